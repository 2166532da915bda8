//! Tests of events that wait until others are admitted, with a clock of which a second passes with
//! each look at it.

mod form_facts;

use p4warden_gate::base::clock::Clock;
use p4warden_gate::base::sums::with_sums;
use p4warden_gate::event::arguments::Arguments;
use p4warden_gate::event::form_event::{FormEvent, FormEventKind};
use p4warden_gate::event::trigger_options::options_of;
use p4warden_gate::event::unasked::Unasked;
use p4warden_gate::facts::known_depots::KnownDepots;
use p4warden_gate::home::folder::{Home, POLICY};
use p4warden_gate::home::policy_file::PolicyFile;
use p4warden_gate::home::turns::admission;
use p4warden_gate::judge::command_outcome::Verdict;
use p4warden_gate::judge::form_decision::judge;
use p4warden_gate::judge::form_policy::FormPolicy;
use p4warden_gate::judge::form_standing::standings;
use p4warden_gate::policy::document::Policy;
use p4warden_gate::trigger::answer::Answer;
use p4warden_gate::trigger::form;
use p4warden_gate::trigger::last_word::{LONGEST, LastWord};
use p4warden_gate::trigger::on_error::FailureHandling;
use p4warden_gate::trigger::trigger_event::TriggerEvent;
use std::cell::Cell;
use std::ffi::OsString;

#[derive(Default)]
struct Seconds(Cell<u64>);

impl Clock for Seconds {
    fn since_boot_ns(&self) -> u64 {
        self.0.set(self.0.get() + 1);
        self.0.get() * 1_000_000_000
    }

    fn wall_ns(&self) -> u64 {
        0
    }

    fn namespace_ns(&self) -> i64 {
        0
    }

    fn boot_id(&self) -> [u8; 36] {
        [0; 36]
    }
}

fn answer(on_error: &str, mode: &str) -> Answer {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::at(folder.path());
    let policy = format!(
        r#"{{"format": 1, "digest": "", "contact": "admins", "on_error": "{on_error}", "rules":
        [{{"name": "few", "rule": "limit_depot_count", "mode": "{mode}", "max": 9}}]"#
    );
    home.replace(POLICY, &with_sums(policy.as_bytes())).unwrap();
    let form = folder.path().join("form");
    std::fs::write(&form, "Depot:\tnew\n").unwrap();
    let (home_path, form) = (folder.path().display().to_string(), form.display().to_string());
    let value = |name| match name {
        "line" => "1.0",
        "home" => &home_path,
        "form" => &form,
        "type" => "depot",
        "name" => "new",
        "end" => ".",
        _ => "",
    };
    let options = options_of(b"form-save").into_iter();
    let options = options.map(|name| format!("--{name}={}", value(name)));
    let words = std::iter::once("form-save".to_owned()).chain(options);
    let words: Vec<_> = words.map(OsString::from).collect();
    let arguments = Arguments::parse(&words);
    let handling = FailureHandling::of_line(&arguments);
    let last_word = LastWord::install(&arguments, &handling, false, LONGEST);
    drop(std::panic::take_hook()); // A panic is of the test.
    let clock = Seconds::default();
    let _first = admission(&home, 0, &clock, &|| ()).unwrap();
    let trigger = TriggerEvent { arguments, handling, last_word, clock, began_ns: 0 };
    let policy_file = PolicyFile::open(&home).unwrap();
    let policy = policy_file.policy().unwrap();
    form::answer(&trigger, (&policy_file, &policy), FormEventKind::Save).unwrap()
}

#[test]
fn an_event_that_is_not_admitted_in_time_is_refused_whatever_on_error_says() {
    for on_error in ["allow", "deny"] {
        let Answer::Refuse(text) = answer(on_error, "enforce") else { panic!("allowed") };
        assert!(text.contains("was not made: its turn did not come, or end, within 60 s."));
        assert!(text.contains("rule=few retry-after=60"), "{text}");
        assert_eq!(answer(on_error, "observe"), Answer::GoOn);
    }
}

#[test]
fn a_submit_that_is_not_admitted_is_judged_by_the_rules_that_count_nothing_of_others() {
    let policy = Policy::read(
        br#"{"format": 1, "digest": "", "contact": "admins", "rules": [
        {"name": "files", "rule": "limit_files", "mode": "enforce", "max": 9},
        {"name": "paths", "rule": "limit_path_length", "mode": "enforce", "max_leading": 9,
         "submits": true},
        {"name": "tops", "rule": "limit_top_directories", "mode": "observe", "max": 1}]}"#,
    )
    .unwrap();
    let policy = FormPolicy::of(&policy).unwrap();
    let event = FormEvent {
        files: Some(Vec::new()),
        file_count: Some(1),
        unasked: Some(Unasked::NotAdmitted),
        ..FormEvent::unknown(FormEventKind::Submit, &String::new)
    };
    let depots = KnownDepots::of(Vec::new());
    let (standings, facts) = (standings(&policy, &event, true), form_facts::facts(&depots));
    let outcome = judge(&standings, &event, &facts, None);
    let verdicts: Vec<_> = outcome.judgements.iter().map(|one| one.verdict).collect();
    assert_eq!(verdicts, [Verdict::Allow, Verdict::Allow, Verdict::Observe]);
}
