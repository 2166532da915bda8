//! Tests of trigger processes that panic or take too long: they end in the standing verdict or in the
//! declared reply to p4d, and in a record in the decision log, never in a signal.

use p4warden_gate::event::arguments::Arguments;
use p4warden_gate::trigger::last_word::LastWord;
use p4warden_gate::trigger::on_error::FailureHandling;
use std::error::Error;
use std::ffi::OsString;
use std::process::{Command, Output};
use std::time::Duration;
use tempfile::TempDir;

const WORDS: &str = "P4WARDEN_TEST_WORDS";

fn as_a_trigger(work: impl FnOnce(&LastWord)) {
    let words = std::env::var(WORDS).unwrap_or_default();
    let words: Vec<OsString> = words.split('|').map(OsString::from).collect();
    let arguments = Arguments::parse(&words);
    let handling = FailureHandling::of_line(&arguments);
    let time = Duration::from_millis(500);
    work(&LastWord::install(&arguments, &handling, arguments.triggers_io(), time));
}

fn panic_now(last_word: &LastWord) {
    assert!(format!("{last_word:?}").is_empty(), "a made \x1b defect");
}

fn never_end(_: &LastWord) {
    loop {
        std::thread::park();
    }
}

fn refuse(last_word: &LastWord) {
    last_word.refuse("client ws is refused.\n".to_owned());
}

/// Not a test itself, nor are the next ones: the other tests start it in a separate process, where
/// it panics as a defect of the gate would.
#[test]
#[ignore = "the other tests start it"]
fn panics() {
    as_a_trigger(panic_now);
}

#[test]
#[ignore = "the other tests start it"]
fn takes_too_long() {
    as_a_trigger(never_end);
}

#[test]
#[ignore = "the other tests start it"]
fn panics_after_the_verdict() {
    as_a_trigger(|last_word| {
        refuse(last_word);
        panic_now(last_word);
    });
}

#[test]
#[ignore = "the other tests start it"]
fn takes_too_long_after_the_verdict() {
    as_a_trigger(|last_word| {
        refuse(last_word);
        never_end(last_word);
    });
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
    for (name, on_error, code, verdict) in
        [("panics", "allow", 0, "allow"), ("panics", "deny", 1, "refuse")]
    {
        let folder = TempDir::new()?;
        let (output, log) = start(name, &folder, &format!("--on-error={on_error}"))?;
        assert_eq!(output.status.code(), Some(code));
        let text = String::from_utf8_lossy(&output.stdout);
        assert_eq!(text.contains("has failed"), code == 1);
        let record: serde_json::Value = serde_json::from_str(&log)?;
        assert_eq!(record["verdict"], verdict);
        let fault = record["fault"].as_str().ok_or("no fault")?;
        assert!(
            fault.starts_with("a defect: a made \u{1b} defect (tests/last_word.rs:"),
            "{fault}"
        );
    }
    Ok(())
}

#[test]
fn a_process_that_takes_too_long_follows_on_error() -> Result<(), Box<dyn Error>> {
    for (on_error, code) in [("allow", 0), ("deny", 1)] {
        let folder = TempDir::new()?;
        let more = format!("--on-error={on_error}");
        let (output, log) = start("takes_too_long", &folder, &more)?;
        assert_eq!(output.status.code(), Some(code));
        let record: serde_json::Value = serde_json::from_str(&log)?;
        assert_eq!(record["fault"], "the watchdog: judging took 0 s");
    }
    Ok(())
}

#[test]
fn a_standing_verdict_is_the_answer_whatever_on_error_says() -> Result<(), Box<dyn Error>> {
    for name in ["panics_after_the_verdict", "takes_too_long_after_the_verdict"] {
        let folder = TempDir::new()?;
        let (output, log) = start(name, &folder, "--on-error=allow")?;
        assert_eq!(output.status.code(), Some(1));
        assert!(String::from_utf8_lossy(&output.stdout).ends_with("client ws is refused.\n"));
        let record: serde_json::Value = serde_json::from_str(&log)?;
        assert_eq!(record["verdict"], "refuse");
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
