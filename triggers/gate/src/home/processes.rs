//! The processes of p4d, by `/proc`: one for each connection, as long as that lasts.

use crate::rate::queue::Process;
use std::fs;
use std::io::ErrorKind;
use std::os::unix::process::parent_id;

/// Of a line `/proc/PID/stat`. The name is in brackets and may contain any byte.
struct Stat<'a> {
    name: &'a [u8],
    state: u8,
    parent: u32,
    started: u64,
}

impl<'a> Stat<'a> {
    fn of(line: &'a [u8]) -> Option<Self> {
        let from = line.iter().position(|byte| *byte == b'(')?;
        let to = line.iter().rposition(|byte| *byte == b')')?;
        let (name, rest) = (line.get(from..to)?, line.get(to + 2..)?);
        let mut fields = str::from_utf8(rest).ok()?.split_ascii_whitespace();
        let state = fields.next()?.bytes().next()?;
        let parent = fields.next()?.parse().ok()?;
        Some(Stat { name, state, parent, started: fields.nth(17)?.parse().ok()? })
    }
}

/// That started this trigger, if it is p4d's own for the connection: then it is a copy of another of
/// p4d. A shell between them is none.
pub fn of_the_connection() -> Option<Process> {
    let id = parent_id();
    let line = fs::read(file(id)).ok()?;
    let own = Stat::of(&line)?;
    let parents = fs::read(file(own.parent)).ok()?;
    let is_copy = Stat::of(&parents)?.name == own.name;
    is_copy.then_some(Process { id, started: own.started })
}

/// Whether the process has not ended; true if that cannot be read.
pub fn is_alive(process: Process) -> bool {
    match fs::read(file(process.id)) {
        Ok(line) => Stat::of(&line).is_none_or(|stat| {
            stat.started == process.started && !matches!(stat.state, b'Z' | b'X')
        }),
        // ESRCH: it ended while it was read.
        Err(error) => error.kind() != ErrorKind::NotFound && error.raw_os_error() != Some(3),
    }
}

fn file(id: u32) -> String {
    format!("/proc/{id}/stat")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_may_contain_any_byte() {
        let fields = "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 777 20";
        let line = format!("12 (p4d) S 9 (x) S {fields}");
        let stat = Stat::of(line.as_bytes());
        assert_eq!(stat.map(|stat| (stat.parent, stat.state, stat.started)), Some((1, b'S', 777)));
    }

    #[test]
    fn this_process_is_alive_and_an_earlier_one_with_its_number_is_not() {
        let id = std::process::id();
        let line = fs::read(file(id)).unwrap_or_default();
        let started = Stat::of(&line).map_or(0, |stat| stat.started);
        assert!(is_alive(Process { id, started }));
        assert!(!is_alive(Process { id, started: started + 1 }));
        assert!(!is_alive(Process { id: u32::MAX, started }));
    }
}
