//! Tests of the decision log, such as the suppression of repeated faults, the count in a line that
//! stands for several decisions, and the format of a decision's duration.

use p4warden_gate::base::fault::Fault;
use p4warden_gate::event::arguments::Arguments;
use p4warden_gate::home::decision_log::{append, duration_s, fault, is_fault_logged, pending_line};
use p4warden_gate::home::folder::Home;
use p4warden_gate::home::state::PendingDecisions;
use std::error::Error;
use std::ffi::OsString;
use tempfile::TempDir;

type Outcome = Result<(), Box<dyn Error>>;

const S: u64 = 1_000_000_000;
const NOW_NS: u64 = 2_000_000 * S;
/// Number of bytes at the end of the decision log that are searched for a repeated fault.
const TAIL_BYTES: usize = 4096;

fn line(of: &Fault, count: u64, wall_ns: u64) -> String {
    let words = [OsString::from("command"), OsString::from("--user=ann")];
    fault(&Arguments::parse(&words), false, of, count, wall_ns)
}

/// Test step: logs a fault at `NOW_NS`, then the line `more`; returns whether the same fault counts
/// as already logged `later_ns` nanoseconds later.
fn is_logged(more: &str, later_ns: u64) -> Result<bool, Box<dyn Error>> {
    let (folder, state) = (TempDir::new()?, Fault::new("state: it is \"full\""));
    let home = Home::at(folder.path());
    for line in [&line(&state, 1, NOW_NS), more].into_iter().filter(|line| !line.is_empty()) {
        append(&home, line).map_err(|fault| fault.to_string())?;
    }
    Ok(is_fault_logged(&home, &state, NOW_NS + later_ns))
}

#[test]
fn a_fault_counts_as_logged_for_ten_seconds() -> Outcome {
    assert!(is_logged("", 0)?);
    assert!(is_logged("", 10 * S - 1)?);
    assert!(!is_logged("", 10 * S)?);
    Ok(())
}

#[test]
fn a_different_fault_does_not_count_as_logged() -> Outcome {
    let folder = TempDir::new()?;
    let home = Home::at(folder.path());
    let (one, other) = (Fault::new("state: it is full"), Fault::new("state: it is a link"));
    assert!(!is_fault_logged(&home, &one, NOW_NS));
    append(&home, &line(&one, 1, NOW_NS)).map_err(|fault| fault.to_string())?;
    assert!(is_fault_logged(&home, &one, NOW_NS));
    assert!(!is_fault_logged(&home, &other, NOW_NS));
    Ok(())
}

#[test]
fn a_fault_is_found_only_at_the_end_of_a_long_log() -> Outcome {
    let line_bytes = line(&Fault::new("state: it is \"full\""), 1, NOW_NS).len();
    let room = TAIL_BYTES - line_bytes;
    let filled = |bytes: usize| format!("{}\n", " ".repeat(bytes - 1));
    assert!(is_logged(&filled(room), S)?);
    assert!(!is_logged(&filled(room + 1), S)?);
    let long = filled(9 * TAIL_BYTES) + &line(&Fault::new("state: it is \"full\""), 1, NOW_NS + S);
    assert!(is_logged(&long, 11 * S - 1)?);
    assert!(!is_logged(&long, 11 * S)?);
    Ok(())
}

#[test]
fn a_log_line_for_several_faults_has_a_count() {
    let fault = Fault::new("the disk is full");
    assert!(!line(&fault, 1, NOW_NS).contains("\"count\""));
    assert!(line(&fault, 2, NOW_NS).contains("\"count\": 2"));
}

#[test]
fn a_pending_line_has_the_time_of_its_last_decision_and_names_its_rule_or_fault() {
    for (verdict, field) in [("refuse", "\"rule\": \"x\""), ("fault", "\"fault\": \"x\"")] {
        let of = |text: &str| text.to_owned();
        let (event, verdict, rule) = (of("command"), of(verdict), of("x"));
        let user = b"ann".to_vec();
        let (enforced_verdict, last_wall_ns) = (None, NOW_NS);
        let pending = PendingDecisions {
            is_unusual: false,
            event,
            verdict,
            enforced_verdict,
            rule,
            user,
            count: 2,
            last_wall_ns,
        };
        let line = pending_line(&pending);
        assert!(line.starts_with("{\"time\": 2000000, ") && line.contains(field), "{line}");
    }
}

#[test]
fn a_decision_is_timed_to_the_microsecond() {
    assert_eq!(duration_s(1_234_567_999), "1.234567");
    assert_eq!(duration_s(999), "0");
}
