//! The line of the decision log about a form or a submit, and its note in the state file.

use crate::event::form_event::FormEvent;
use crate::home::decision_log::{
    DIGEST_CHARACTERS, add_count, add_present_text, add_trouble, add_would, duration_s, line,
};
use crate::home::state::{Counter, Note};
use crate::judge::command_outcome::Verdict;
use crate::judge::form_outcome::{FormJudgement, FormOutcome};
use crate::judge::form_refusal::detail;
use crate::judge::tampered_line::LOG_NAME;

pub struct FormRecord<'r, 'e> {
    pub event: &'r FormEvent<'r>,
    pub outcome: &'r FormOutcome<'e>,
    /// Of the policy.
    pub digest: &'r str,
    /// Of the event; None for a policy without classes.
    pub class: Option<&'r str>,
    /// Why a fact that was needed is unknown.
    pub trouble: Option<&'r str>,
}

impl<'e> FormRecord<'_, 'e> {
    pub fn counter(&self) -> Counter {
        Counter::of(self.outcome.verdict)
    }

    /// None for an event that was plainly allowed: without exemption and trouble.
    pub fn note(&self) -> Option<Note<'_>> {
        let judgement = self.judgement();
        let rule = judgement.map(|judgement| judgement.rule().name.as_str()).or(self.trouble)?;
        // A trouble is the site's, not the user's: one line for all users.
        let user = self.user().filter(|_| judgement.is_some());
        Some(Note {
            event: self.event.kind.word(),
            verdict: self.outcome.verdict.word(),
            is_unusual: false,
            enforced_verdict: self.would(),
            rule,
            user: user.unwrap_or_default(),
            ip: self.event.ip.unwrap_or_default(),
        })
    }

    /// `count` is the number of similar decisions that the line stands for.
    pub fn line(&self, count: u64, took_ns: u64, wall_ns: u64) -> String {
        let FormRecord { event, outcome, digest, class, trouble } = self;
        line(wall_ns, |record| {
            record.text("event", event.kind.word());
            for (name, value) in [
                ("type", event.form_type),
                ("name", event.name),
                ("change", event.change),
                ("user", self.user()),
                ("client", event.client),
                ("ip", event.ip),
                ("prog", event.prog),
                ("version", event.version),
                ("class", class.map(str::as_bytes)),
            ] {
                add_present_text(record, name, value);
            }
            record.text("verdict", outcome.verdict.word());
            let judgement = self.judgement();
            if let Some(judgement) = judgement {
                let rule = &judgement.rule().name;
                record.text("rule", rule).text("kind", judgement.rule().kind.name);
                let is_refusal = outcome.verdict == Verdict::Refuse;
                if let Some(refused) = event.refused().filter(|_| is_refusal) {
                    record.text("id", &refused.id(rule));
                }
            }
            add_would(record, self.would());
            if let Some(decisive) = outcome.decisive() {
                record.text("summary", decisive.summary);
            }
            let findings = judgement.map(|one| one.findings.as_slice()).unwrap_or_default();
            if let Some(first) = findings.first() {
                record.text("detail", &detail(first));
                for (name, number) in [("value", first.value), ("limit", first.limit)] {
                    if let Some(number) = number {
                        record.raw(name, &number.to_string());
                    }
                }
            }
            record.number("findings", findings.len() as u64);
            if let Some(exemption) = outcome.exemption() {
                record.text("exemption", &exemption.used_as());
            }
            for (name, _) in [("trial", event.is_trial), ("tampered", event.is_tampered)]
                .iter()
                .filter(|one| one.1)
            {
                record.raw(name, "true");
            }
            record.text("policy", digest.get(..DIGEST_CHARACTERS).unwrap_or(digest));
            add_trouble(record, *trouble);
            record.raw("took_s", &duration_s(took_ns));
            add_count(record, count);
        })
    }

    fn user(&self) -> Option<&[u8]> {
        if self.event.is_tampered { Some(LOG_NAME) } else { self.event.user }
    }

    /// The decisive one, otherwise the first from whose rule an exemption excuses.
    fn judgement(&self) -> Option<&FormJudgement<'e>> {
        let mut judgements = self.outcome.judgements.iter();
        self.outcome.decisive().or_else(|| judgements.find(|one| one.exemption().is_some()))
    }

    fn would(&self) -> Option<Verdict> {
        let decisive = self.outcome.decisive().filter(|one| one.verdict == Verdict::Observe)?;
        Some(if decisive.would_refuse() { Verdict::Refuse } else { Verdict::Allow })
    }
}
