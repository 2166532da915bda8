//! Tests of panics in a trigger process: a panic ends in the declared reply to p4d and a record in
//! the decision log, never in a signal.

use p4warden_gate::event::arguments::Arguments;
use p4warden_gate::trigger::defect;
use p4warden_gate::trigger::on_error::FailureHandling;
use std::error::Error;
use std::ffi::OsString;
use std::process::{Command, Output};
use tempfile::TempDir;

const WORDS: &str = "P4WARDEN_TEST_WORDS";

fn panic_as_a_trigger() {
    let words = std::env::var(WORDS).unwrap_or_default();
    let words: Vec<OsString> = words.split('|').map(OsString::from).collect();
    let arguments = Arguments::parse(&words);
    let handling = FailureHandling::of_line(&arguments);
    defect::answer_as_declared(&arguments, &handling, arguments.triggers_io());
    let nothing: [u8; 0] = [];
    assert!(nothing.len() > words.len(), "a made \x1b defect");
}

/// Not a test itself: the other tests start it in a separate process, where it panics as a defect
/// of the gate would.
#[test]
#[ignore = "the other tests start it"]
fn panics() {
    panic_as_a_trigger();
}

/// Not a test itself: like `panics`, but the panic is in a second thread, such as the one that
/// answers the worker's questions, while the first waits for it.
#[test]
#[ignore = "the other tests start it"]
fn panics_in_a_thread() {
    let _ = std::thread::spawn(panic_as_a_trigger).join();
}

fn start(name: &str, folder: &TempDir, more: &str) -> Result<(Output, String), Box<dyn Error>> {
    let words = format!("command|--home={}|{more}|--user=ann", folder.path().display());
    let mut command = Command::new(std::env::current_exe()?);
    let output = command.args(["--exact", name, "--ignored"]).env(WORDS, words).output()?;
    let log = std::fs::read_to_string(folder.path().join("decisions.jsonl")).unwrap_or_default();
    Ok((output, log))
}

#[test]
fn a_panic_follows_on_error_and_is_logged() -> Result<(), Box<dyn Error>> {
    for (name, on_error, code, verdict) in [
        ("panics", "allow", 0, "allow"),
        ("panics", "deny", 1, "refuse"),
        ("panics_in_a_thread", "allow", 0, "allow"),
        ("panics_in_a_thread", "deny", 1, "refuse"),
    ] {
        let folder = TempDir::new()?;
        let (output, log) = start(name, &folder, &format!("--on-error={on_error}"))?;
        assert_eq!(output.status.code(), Some(code));
        let text = String::from_utf8_lossy(&output.stdout);
        assert_eq!(text.contains("has failed"), code == 1);
        let record: serde_json::Value = serde_json::from_str(&log)?;
        assert_eq!(record["verdict"], verdict);
        let fault = record["fault"].as_str().ok_or("no fault")?;
        assert!(fault.starts_with("a defect: a made \u{1b} defect (tests/defects.rs:"), "{fault}");
    }
    Ok(())
}

#[test]
fn a_panic_with_triggers_io_1_is_answered_with_a_dictionary() -> Result<(), Box<dyn Error>> {
    let (output, _) = start("panics", &TempDir::new()?, "--on-error=deny|--triggers-io=1")?;
    assert_eq!(output.status.code(), Some(0));
    assert!(
        String::from_utf8_lossy(&output.stdout)
            .contains("action:fail\nmessage:Your request was refused")
    );
    Ok(())
}

#[test]
fn a_panic_with_a_missing_home_folder_follows_on_error() -> Result<(), Box<dyn Error>> {
    let folder = TempDir::new()?;
    std::fs::remove_dir(folder.path())?;
    let (output, log) = start("panics", &folder, "--on-error=deny")?;
    assert_eq!((output.status.code(), log.as_str()), (Some(1), ""));
    Ok(())
}
