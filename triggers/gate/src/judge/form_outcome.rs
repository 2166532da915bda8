//! The verdict of a policy on a form or a submit.

use crate::contract::form_finding::FormFinding;
use crate::judge::command_outcome::Verdict;
use crate::judge::form_policy::NamedRule;
use crate::judge::form_standing::FormStanding;
use crate::policy::exemptions::Exemption;
use std::collections::BTreeSet;

/// The verdict of one rule, after mode, exemptions and baseline are applied.
pub struct FormJudgement<'e> {
    pub standing: &'e FormStanding<'e>,
    /// Constant, so that logs can be grouped by it.
    pub summary: &'static str,
    pub verdict: Verdict,
    pub findings: Vec<FormFinding<'e>>,
    /// To display; None to leave the form as it is.
    pub form: Option<Vec<u8>>,
    /// Why the verdict is `Unknown`.
    pub unknown: Option<&'static str>,
    /// When a rule that refuses ends for the sender, in words; None if that is not a matter of hours.
    pub end: Option<String>,
}

/// Complete but for the lines that findings propose (`accepted_lines::advise`).
pub struct FormOutcome<'e> {
    /// The most severe of all judgements.
    pub verdict: Verdict,
    /// Of each rule about the event, in policy order.
    pub judgements: Vec<FormJudgement<'e>>,
}

impl<'e> FormJudgement<'e> {
    pub fn new(standing: &'e FormStanding<'e>) -> Self {
        FormJudgement {
            standing,
            summary: standing.rule.kind.summary,
            verdict: Verdict::Allow,
            findings: Vec::new(),
            form: None,
            unknown: None,
            end: None,
        }
    }

    pub fn rule(&self) -> &'e NamedRule<'e> {
        self.standing.rule
    }

    pub fn exemption(&self) -> Option<&'e Exemption<'e>> {
        self.standing.standing.exemption
    }

    pub fn unknown(self, why: &'static str) -> Self {
        FormJudgement { verdict: Verdict::Unknown, unknown: Some(why), ..self }
    }

    /// The verdict of an enforced rule on findings that are not all warnings is `Refuse`.
    pub fn with(self, findings: Vec<FormFinding<'e>>) -> Self {
        let acts = self.standing.standing.is_enforced
            && !findings.iter().all(|finding| finding.is_warning);
        let verdict = match findings.is_empty() {
            true => Verdict::Allow,
            false if acts => Verdict::Refuse,
            false => Verdict::Observe,
        };
        FormJudgement { verdict, findings, ..self }
    }

    /// It observes an event that it would refuse if it were enforced.
    pub fn would_refuse(&self) -> bool {
        self.verdict == Verdict::Observe && self.findings.iter().any(|finding| !finding.is_warning)
    }
}

impl<'e> FormOutcome<'e> {
    pub fn of(judgements: Vec<FormJudgement<'e>>) -> Self {
        let verdict = judgements.iter().map(|judgement| judgement.verdict).max();
        FormOutcome { verdict: verdict.unwrap_or(Verdict::Allow), judgements }
    }

    /// The first judgement with the outcome's verdict; None if the verdict is `Allow`.
    pub fn decisive(&self) -> Option<&FormJudgement<'e>> {
        let mut judgements = self.judgements.iter();
        judgements.find(|one| one.verdict == self.verdict && self.verdict != Verdict::Allow)
    }

    pub fn exemption(&self) -> Option<&'e Exemption<'e>> {
        self.judgements.iter().find_map(FormJudgement::exemption)
    }

    /// Of the last rule in policy order that displays one; None to leave the form unchanged.
    pub fn form(&self) -> Option<&[u8]> {
        self.judgements.iter().rev().find_map(|judgement| judgement.form.as_deref())
    }
}

/// The lines that findings propose, each with the number of its finding: the first of all findings
/// come before the second ones.
pub fn in_turn<'f, 'e: 'f>(
    findings: impl IntoIterator<Item = &'f FormFinding<'e>>,
) -> impl Iterator<Item = (usize, &'f str)> {
    let of = |(number, finding): (usize, &'f FormFinding<'e>)| {
        let lines = finding.fix.iter().enumerate();
        lines.map(move |(turn, line)| (turn, number, line.as_str()))
    };
    let mut lines: Vec<_> = findings.into_iter().enumerate().flat_map(of).collect();
    lines.sort_by_key(|(turn, number, _)| (*turn, *number));
    lines.into_iter().map(|(_, number, line)| (number, line))
}

/// The lines that findings propose, without duplicates.
pub fn fix_lines<'f>(findings: &'f [FormFinding<'_>]) -> Vec<&'f str> {
    let mut seen = BTreeSet::new();
    let lines = in_turn(findings).map(|(_, line)| line);
    lines.filter(|line| !line.is_empty() && seen.insert(*line)).collect()
}
