//! Recognition of the client with which a deploy tests its triggers; `home/trial_client.py` writes
//! its name to the file `trial`.
//!
//! A user who uses the client's name meanwhile is judged more strictly: no exemption applies,
//! and every rule is enforced.

use crate::home::folder::{Home, TRIAL};

const PREFIX: &[u8] = b"p4warden-trial-";
/// The file holds a single short line.
const MAX_BYTES: u64 = 256;

/// The file is read only for clients whose name has the trial's prefix. An announcement that has
/// expired, is damaged or could have been written by other accounts is ignored.
#[must_use]
pub fn is_trial(home: &Home, client: Option<&[u8]>, wall_ns: u64) -> bool {
    let Some(client) = client.filter(|client| client.starts_with(PREFIX)) else {
        return false;
    };
    let announced = read(home).unwrap_or_default();
    let line = announced.strip_suffix('\n').and_then(|line| line.split_once(' '));
    line.is_some_and(|(name, until_s)| {
        let is_open =
            whole_number(until_s).is_some_and(|until_s| wall_ns / 1_000_000_000 < until_s);
        name.as_bytes() == client && is_open
    })
}

/// Parses a whole number without a sign; `str::parse` would accept a leading `+`.
fn whole_number(word: &str) -> Option<u64> {
    word.bytes().all(|byte| byte.is_ascii_digit()).then(|| word.parse().ok())?
}

fn read(home: &Home) -> Option<String> {
    let open_file = home.open(TRIAL).ok().filter(|open_file| open_file.bytes <= MAX_BYTES)?;
    let mut bytes = vec![0; usize::try_from(open_file.bytes).ok()?];
    open_file.read(&mut bytes, 0).ok()?;
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{Permissions, set_permissions, write};
    use std::os::unix::fs::PermissionsExt;

    const CLIENT: &str = "p4warden-trial-0a";
    const UNTIL_NS: u64 = 1_800_000_000_000_000_000;

    fn accepts(announced: &str, client: &str, wall_ns: u64) -> Result<bool, std::io::Error> {
        let folder = tempfile::tempdir()?;
        write(folder.path().join(TRIAL), announced)?;
        set_permissions(folder.path().join(TRIAL), Permissions::from_mode(0o600))?;
        Ok(is_trial(&Home::at(folder.path()), Some(client.as_bytes()), wall_ns))
    }

    #[test]
    fn a_trial_ends_at_its_announced_second() -> Result<(), std::io::Error> {
        let announced = format!("{CLIENT} {}\n", UNTIL_NS / 1_000_000_000);
        assert!(accepts(&announced, CLIENT, UNTIL_NS - 1)?);
        assert!(!accepts(&announced, CLIENT, UNTIL_NS)?);
        Ok(())
    }

    #[test]
    fn only_the_announced_client_is_a_trial_client() -> Result<(), std::io::Error> {
        let announced = format!("{CLIENT} 1800000000\n");
        for other in
            ["ws", "p4warden-trial-", "p4warden-trial-0", "p4warden-trial-0ab", "P4WARDEN-TRIAL-0A"]
        {
            assert!(!accepts(&announced, other, 0)?, "{other}");
        }
        assert!(!accepts("ws 1800000000\n", "ws", 0)?);
        Ok(())
    }

    #[test]
    fn an_invalid_announcement_announces_no_trial_client() -> Result<(), std::io::Error> {
        let long = format!("{CLIENT} 1800000000{}\n", " ".repeat(256));
        let unreadable = ["", CLIENT, "1800000000", "x 1", &long].map(str::to_owned);
        let damaged = ["", "never", "-1", "1.5", "1800000000 more", "99999999999999999999"];
        for text in unreadable.into_iter().chain(damaged.map(|until| format!("{CLIENT} {until}"))) {
            assert!(!accepts(&text, CLIENT, 0)?, "{text:?}");
        }
        Ok(())
    }
}
