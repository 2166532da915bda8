//! Recognition of the client with which a deploy tests its triggers; `home/trial_client.py` writes
//! its name to the file `trial`.
//!
//! A user who uses the client's name meanwhile is judged more strictly: no exemption applies,
//! and every rule is enforced.

use crate::base::text::number;
use crate::home::folder::{Home, TRIAL};

const PREFIX: &[u8] = b"p4warden-trial-";
/// The file holds a single short line.
const MAX_BYTES: u64 = 256;

/// The file is read only for clients whose name has the trial's prefix. An announcement that has
/// expired, is damaged or could have been written by other accounts is ignored.
pub fn is_trial(home: &Home, client: Option<&[u8]>, wall_ns: u64) -> bool {
    let Some(client) = client.filter(|client| client.starts_with(PREFIX)) else {
        return false;
    };
    let announced = read(home).unwrap_or_default();
    let line = announced.strip_suffix('\n').and_then(|line| line.split_once(' '));
    line.is_some_and(|(name, until_s)| {
        let until_s = number(until_s.as_bytes());
        let is_open = until_s.is_some_and(|until_s| wall_ns / 1_000_000_000 < until_s);
        name.as_bytes() == client && is_open
    })
}

fn read(home: &Home) -> Option<String> {
    let open_file = home.open(TRIAL).ok().filter(|open_file| open_file.bytes <= MAX_BYTES)?;
    String::from_utf8(open_file.part(0, open_file.bytes).ok()?).ok()
}
