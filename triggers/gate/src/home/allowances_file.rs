//! `allowances.json`, read when a rule would refuse.

use crate::event::refused::Refused;
use crate::home::folder::{ALLOWANCES, Home};
use crate::policy::allowances::{Allowance, allowances};
use crate::policy::exemptions::Exemption;
use std::cell::OnceCell;

const MAX_BYTES: u64 = 1 << 18;

#[derive(Default)]
pub struct AllowancesFile {
    content: OnceCell<Vec<u8>>,
}

impl AllowancesFile {
    /// The exemptions that lift a refusal; none if the file is missing, damaged, too large or cannot
    /// be trusted. `now_s` is in seconds since the Unix epoch.
    pub fn lifting<'f>(
        &'f self,
        home: &Home,
        refused: Option<&Refused<'_>>,
        now_s: u64,
        case_sensitive: bool,
    ) -> Vec<Exemption<'f>> {
        let Some(refused) = refused else { return Vec::new() };
        let all = allowances(self.content.get_or_init(|| read(home).unwrap_or_default()));
        let lifts = |one: &Allowance<'_>| refused.is_allowed_by(one, now_s, case_sensitive);
        let lifting = all.into_iter().flatten().filter(lifts);
        lifting.map(|allowance| allowance.exemption).collect()
    }
}

fn read(home: &Home) -> Option<Vec<u8>> {
    let open_file = home.open(ALLOWANCES).ok().filter(|file| file.bytes <= MAX_BYTES)?;
    open_file.content().ok()
}
