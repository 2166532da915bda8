//! `allowances.json`: exemptions with an end, for one act each.

use crate::base::sums::without_sums;
use crate::event::refused::Refused;
use crate::home::folder::{ALLOWANCES, Home};
use crate::policy::allowances::{Allowance, allowances};
use crate::policy::exemptions::Exemption;

const MAX_BYTES: u64 = 1 << 18;

/// Empty if the file is missing, damaged, too large or cannot be trusted.
pub fn read(home: &Home) -> Vec<u8> {
    let file = home.open_unless_missing(ALLOWANCES).ok().flatten();
    let content = file.filter(|file| file.bytes <= MAX_BYTES).and_then(|file| file.content().ok());
    content.and_then(|content| without_sums(content).ok()).unwrap_or_default()
}

/// The exemptions of an act, as its refusal would name it. `now_ns` is since the Unix epoch.
pub fn of<'f, 'e>(
    content: &'f [u8],
    act: impl FnOnce() -> Option<Refused<'e>>,
    case_sensitive: bool,
    now_ns: u64,
) -> Vec<Exemption<'f>> {
    let Some(act) = Some(content).filter(|content| !content.is_empty()).and_then(|_| act()) else {
        return Vec::new();
    };
    let now_s = now_ns / 1_000_000_000;
    let is_of_it = |one: &Allowance<'_>| act.is_allowed_by(one, now_s, case_sensitive);
    let of_it = allowances(content).into_iter().flatten().filter(is_of_it);
    of_it.map(|allowance| allowance.exemption).collect()
}
