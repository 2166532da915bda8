//! `allowances.json`, read if it exists.

use crate::base::sums::without_sums;
use crate::event::refused::Refused;
use crate::home::folder::{ALLOWANCES, Home};
use crate::policy::allowances::{Allowance, allowances};
use crate::policy::exemptions::Exemption;
use std::cell::OnceCell;

const MAX_BYTES: u64 = 1 << 18;

/// Exemptions with an end, for one act each.
#[derive(Default)]
pub struct AllowancesFile {
    content: OnceCell<Vec<u8>>,
}

impl AllowancesFile {
    /// The exemptions of an act, as its refusal would name it; none if the file is missing, damaged,
    /// too large or cannot be trusted. `now_ns` is since the Unix epoch.
    pub fn of<'f, 'e>(
        &'f self,
        home: &Home,
        act: impl FnOnce() -> Option<Refused<'e>>,
        case_sensitive: bool,
        now_ns: u64,
    ) -> Vec<Exemption<'f>> {
        let content = self.content.get_or_init(|| read(home).unwrap_or_default());
        let act = if content.is_empty() { None } else { act() };
        let Some(act) = act else { return Vec::new() };
        let now_s = now_ns / 1_000_000_000;
        let all = allowances(content);
        let is_of_it = |one: &Allowance<'_>| act.is_allowed_by(one, now_s, case_sensitive);
        let of_it = all.into_iter().flatten().filter(is_of_it);
        of_it.map(|allowance| allowance.exemption).collect()
    }
}

fn read(home: &Home) -> Option<Vec<u8>> {
    let open_file = home.open_unless_missing(ALLOWANCES).ok()??;
    let content = Some(open_file).filter(|file| file.bytes <= MAX_BYTES)?.content().ok()?;
    without_sums(content).ok()
}
