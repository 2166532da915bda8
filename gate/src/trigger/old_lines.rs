//! Which accounts still call trigger lines of before: their connections were opened before the table
//! was written anew, and p4d may keep the table that a connection first saw.
//!
//! `p4warden doctor` reads the file. It is small and is written at most once an hour for an account, so
//! that old lines cost little; whoever cannot be told of changes no verdict.

use crate::base::clock::Clock;
use crate::base::fault::Fault;
use crate::event::arguments::{Arguments, LineForm};
use crate::event::json::Object;
use crate::home::folder::{Home, OLD_LINES, POLICY};
use std::io::Write;

const QUIET_S: u64 = 3600;
/// A file of that size starts anew: it has room for some hundred accounts.
const MAX_BYTES: u64 = 64 * 1024;

/// Notes the account of a line that is not one of today's.
pub fn note(home: &Home, given: &Arguments<'_>, clock: &impl Clock) {
    let is_old = given.line == LineForm::One || home.is_uninstalled();
    // Without a policy, as after an uninstall, no file is made.
    if is_old && home.file(POLICY).exists() {
        let _ = append(home, given, clock.wall_ns() / 1_000_000_000);
    }
}

fn append(home: &Home, given: &Arguments<'_>, now_s: u64) -> Result<(), Fault> {
    let told = told(given);
    let opened = home.open_to_append(OLD_LINES)?;
    if opened.bytes > MAX_BYTES {
        opened.file.set_len(0).map_err(|error| opened.fault(&error))?;
    } else {
        let mut known = vec![0; usize::try_from(opened.bytes).unwrap_or(0)];
        opened.read(&mut known, 0)?;
        if is_told(&String::from_utf8_lossy(&known), &told, now_s) {
            return Ok(());
        }
    }
    let line = format!("{{\"time\": {now_s}, {}\n", told.trim_start_matches('{'));
    opened.allow_length(opened.bytes.saturating_add(line.len() as u64))?;
    (&opened.file).write_all(line.as_bytes()).map_err(|error| opened.fault(&error))
}

/// The text of the file about an account, its time apart.
fn told(given: &Arguments<'_>) -> String {
    let mut line = String::new();
    let mut object = Object::new(&mut line);
    object.chosen("user", given.get("user")).chosen("event", Some(given.event));
    object.number("line", if given.line == LineForm::One { 1 } else { 2 });
    object.finish();
    line
}

/// Whether the same was told within the last hour.
fn is_told(known: &str, told: &str, now_s: u64) -> bool {
    let last = known.lines().rfind(|line| line.ends_with(told.trim_start_matches('{')));
    let time_s = last.and_then(|line| line.strip_prefix("{\"time\": ")?.split(',').next());
    let time_s = time_s.and_then(|number| number.parse::<u64>().ok());
    time_s.is_some_and(|time_s| now_s.abs_diff(time_s) < QUIET_S)
}
