//! The worker's record of the form or submit that it judged, to be written to the decision log.

use crate::home::decision_log::duration_s;
use crate::home::state::{Counter, Note};
use crate::rules::outcome::Verdict;
use serde::Deserialize;
use std::borrow::Cow;

/// Record of one form or submit event by the form worker (a Python program): a line of JSON, as
/// written by `home/decisions.py`.
pub struct Record<'a> {
    line: &'a str,
    verdict: Verdict,
    document: Document<'a>,
}

/// The fields of the worker's record that the gate needs to count and log the event.
#[derive(Deserialize)]
struct Document<'a> {
    #[serde(borrow)]
    event: Cow<'a, str>,
    #[serde(borrow)]
    verdict: Cow<'a, str>,
    #[serde(borrow)]
    would: Option<Cow<'a, str>>,
    #[serde(borrow)]
    user: Option<Cow<'a, str>>,
    #[serde(borrow)]
    ip: Option<Cow<'a, str>>,
    #[serde(borrow)]
    rule: Option<Cow<'a, str>>,
    #[serde(borrow)]
    exemption: Option<Cow<'a, str>>,
    #[serde(borrow)]
    trouble: Option<Cow<'a, str>>,
    #[serde(borrow)]
    fault: Option<Cow<'a, str>>,
    #[serde(default)]
    trial: bool,
}

impl<'a> Record<'a> {
    /// Parses the worker's record of an event; None if the bytes are not such a record, for example
    /// because the worker died early.
    #[must_use]
    pub fn read(bytes: &'a [u8]) -> Option<Self> {
        let line = str::from_utf8(bytes).ok()?.strip_suffix('\n')?;
        let printable = line.ends_with('}') && !line.contains(|c: char| c.is_control());
        let document: Document<'_> = serde_json::from_str(line).ok().filter(|_| printable)?;
        Some(Record { line, verdict: Verdict::of_word(&document.verdict)?, document })
    }

    /// Whether the event of the worker's record belongs to the trial run of a deploy, which looks
    /// for each of its events in the decision log.
    #[must_use]
    pub fn is_trial(&self) -> bool {
        self.document.trial
    }

    /// The counter of the state file that counts the event of the worker's record.
    #[must_use]
    pub fn counter(&self) -> Counter {
        if self.document.fault.is_some() { Counter::Faults } else { Counter::of(self.verdict) }
    }

    /// The decision in the worker's record that is to be counted and logged; None for an allowed
    /// event whose record has no exemption, no `trouble` (such as an unknown fact) and no fault.
    #[must_use]
    pub fn note(&self) -> Option<Note<'_>> {
        let Document { event, user, ip, rule, exemption, trouble, fault, .. } = &self.document;
        if let Some(cause) = fault {
            return Some(Note {
                event,
                verdict: "fault",
                enforced_verdict: None,
                rule: cause,
                user: b"",
                ip: b"",
            });
        }
        let is_plain_allow =
            self.verdict == Verdict::Allow && exemption.is_none() && trouble.is_none();
        // A trouble is the site's, not the user's: one line for all users.
        let user = if rule.is_some() { user.as_deref() } else { None };
        let user = user.unwrap_or_default().as_bytes();
        let rule = rule.as_deref().or(trouble.as_deref()).unwrap_or_default();
        let verdict = self.verdict.word();
        let enforced_verdict = self.document.would.as_deref().and_then(Verdict::of_word);
        let ip = ip.as_deref().unwrap_or_default().as_bytes();
        (!is_plain_allow).then_some(Note { event, verdict, enforced_verdict, rule, user, ip })
    }

    /// The decision log's line for the worker's record, with two fields added: `count`, the number
    /// of similar events that the line stands for (if over 1), and `took_s`, the seconds that this
    /// event took, from `took_ns`.
    #[must_use]
    pub fn line(&self, count: u64, took_ns: u64) -> String {
        let fields = self.line.strip_suffix('}').unwrap_or(self.line);
        let count = if count > 1 { format!(", \"count\": {count}") } else { String::new() };
        format!("{fields}, \"took_s\": {}{count}}}\n", duration_s(took_ns))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const REFUSED: &str =
        "{\"event\": \"form-save\", \"user\": \"ann\", \"verdict\": \"refuse\", \"rule\": \"r\"}\n";

    fn parse_note(line: &str) -> Option<(Counter, Option<(String, String)>)> {
        let record = Record::read(line.as_bytes())?;
        let note = record.note().map(|note| (note.verdict.to_owned(), note.rule.to_owned()));
        Some((record.counter(), note))
    }

    #[test]
    fn every_record_except_a_plain_allow_has_a_note() {
        let note = |verdict: &str, rule: &str| Some((verdict.to_owned(), rule.to_owned()));
        let with = |more: &str| parse_note(&format!("{{\"event\": \"form-save\", {more}}}\n"));
        assert_eq!(parse_note(REFUSED), Some((Counter::Refused, note("refuse", "r"))));
        assert_eq!(with("\"verdict\": \"allow\""), Some((Counter::Allowed, None)));
        assert_eq!(
            with("\"verdict\": \"allow\", \"rule\": \"r\", \"exemption\": \"e\""),
            Some((Counter::Allowed, note("allow", "r")))
        );
        assert_eq!(
            with("\"verdict\": \"allow\", \"trouble\": \"t\""),
            Some((Counter::Allowed, note("allow", "t")))
        );
        assert_eq!(
            with("\"verdict\": \"refuse\", \"fault\": \"f\""),
            Some((Counter::Faults, note("fault", "f")))
        );
    }

    #[test]
    fn the_note_of_an_observed_form_has_its_enforced_verdict() {
        let would = |more: &str| {
            let line = format!("{{\"event\": \"form-save\", \"verdict\": \"observe\"{more}}}\n");
            Record::read(line.as_bytes())
                .and_then(|record| record.note().map(|note| note.enforced_verdict))
        };
        assert_eq!(would(", \"would\": \"refuse\""), Some(Some(Verdict::Refuse)));
        assert_eq!(would(", \"would\": \"allow\""), Some(Some(Verdict::Allow)));
        assert_eq!(would(", \"would\": \"perhaps\""), Some(None));
        assert_eq!(would(""), Some(None));
    }

    #[test]
    fn a_log_line_for_several_records_has_a_count() {
        let record = Record::read(REFUSED.as_bytes());
        let once = REFUSED.replace('}', ", \"took_s\": 0.012345}");
        assert_eq!(record.as_ref().map(|record| record.line(1, 12_345_678)), Some(once));
        let expected = REFUSED.replace('}', ", \"took_s\": 0, \"count\": 7}");
        assert_eq!(record.map(|record| record.line(7, 999)), Some(expected));
    }

    #[test]
    fn an_incomplete_or_invalid_line_is_no_record() {
        for (from, to) in
            [("\n", ""), ("\n", "\n\n"), ("refuse", "maybe"), ("}", "}}"), ("e\"", "e\n\"")]
        {
            assert_eq!(parse_note(&REFUSED.replace(from, to)), None, "{from:?} {to:?}");
        }
    }

    proptest! {
        #[test]
        fn arbitrary_bytes_are_no_record(bytes: Vec<u8>) {
            prop_assert!(Record::read(&bytes).is_none());
        }
    }
}
