//! Record of the Perforce users for whom p4d still runs trigger lines that the triggers table no
//! longer contains: their connections were opened before the table was rewritten, and p4d may keep
//! the table that a connection first read.
//!
//! `p4warden doctor` reads the file `old_lines.jsonl` with these users. The file stays small: the
//! same user, event and trigger line are written at most once an hour, unless the file was emptied
//! because of its size. A failure to write it changes no verdict.

use crate::base::clock::Clock;
use crate::base::fault::Fault;
use crate::base::json::object_text;
use crate::event::arguments::Arguments;
use crate::event::trigger_options::COMMAND_END;
use crate::home::folder::{Home, LINES_DIGEST, OLD_LINES, POLICY};

const QUIET_S: u64 = 3600;
/// Size of `old_lines.jsonl` in bytes above which the file is emptied before the next entry; enough
/// for a few hundred users.
const MAX_BYTES: u64 = 64 * 1024;
/// Length in bytes of the digest in a trigger line and in the file `lines_digest`. The same as in
/// `core/trigger_options.py`.
pub const DIGEST_BYTES: usize = 8;

/// Records the user of an event in `old_lines.jsonl` if the event's trigger line is no longer in
/// the triggers table or p4warden was uninstalled, unless the file has such an entry from the last
/// hour.
pub fn note(home: &Home, arguments: &Arguments<'_>, clock: &impl Clock) {
    if arguments.event == COMMAND_END {
        return; // It has no user, and its command was recorded.
    }
    let is_old =
        !arguments.has_known_form || home.is_uninstalled() || is_of_another_set(home, arguments);
    // Without a policy, as after an uninstall with `--remove-files`, `old_lines.jsonl` is not
    // written.
    if is_old && home.file(POLICY).exists() {
        let _ = append(home, arguments, clock.wall_ns() / 1_000_000_000);
    }
}

/// Whether a trigger line is one of an earlier set: its digest differs from the digest of the lines
/// that the triggers table has now, according to the file `lines_digest`. False without that file,
/// which is absent while a deploy writes the table.
fn is_of_another_set(home: &Home, arguments: &Arguments<'_>) -> bool {
    let digest = home.open(LINES_DIGEST).and_then(|file| file.part(0, DIGEST_BYTES as u64));
    digest.is_ok_and(|digest| arguments.lines != Some(&digest[..]))
}

fn append(home: &Home, arguments: &Arguments<'_>, now_s: u64) -> Result<(), Fault> {
    let account = account_text(arguments);
    let open_file = home.open_to_append(OLD_LINES)?;
    if open_file.bytes > MAX_BYTES {
        open_file.file.set_len(0).map_err(|error| open_file.fault(&error))?;
    } else {
        let content = open_file.part(0, open_file.bytes)?;
        if is_recorded(&String::from_utf8_lossy(&content), &account, now_s) {
            return Ok(());
        }
    }
    open_file.append(&format!("{{\"time\": {now_s}, {}\n", account.trim_start_matches('{')))
}

fn account_text(arguments: &Arguments<'_>) -> String {
    object_text(|object| {
        object.short_text("user", arguments.get("user")).short_text("event", Some(arguments.event));
        if let Some(lines) = arguments.lines {
            object.short_text("lines", Some(lines));
        }
    })
}

/// Whether `old_lines.jsonl` already has an entry from within the last hour with the same user,
/// event and trigger line.
fn is_recorded(content: &str, account: &str, now_s: u64) -> bool {
    let last = content.lines().rfind(|line| line.ends_with(account.trim_start_matches('{')));
    let time_s = last.and_then(|line| line.strip_prefix("{\"time\": ")?.split(',').next());
    let time_s = time_s.and_then(|number| number.parse::<u64>().ok());
    time_s.is_some_and(|time_s| now_s.abs_diff(time_s) < QUIET_S)
}
