//! Rules, an event and the rates so far -> a verdict, and the rates as they are then.
//!
//! All rules are judged before any rate changes: an event that is refused takes no place in any of
//! them, and a rule that only observes takes none beyond its limits.

use crate::event::Event;
use crate::exemptions::applies;
use crate::flat::{Exemption, Kind, Rule, Rules};
use crate::keys::{Key, Secret};
use crate::outcome::{Judgement, Outcome, Verdict};
use crate::rules::{Found, limit_command_rate};
use crate::sleepers::Sleepers;

/// Where rates are kept.
pub trait Rates {
    /// Why they cannot be read or written.
    type Fault;

    /// What the keys are hashed with.
    fn secret(&self) -> Secret;

    /// What is kept of a key, 0 if nothing; a time beyond the horizon cannot have been kept.
    fn kept_ns(&mut self, key: Key, horizon_ns: u64, now_ns: u64) -> Result<u64, Self::Fault>;

    /// Keeps a time.
    fn keep(&mut self, key: Key, until_ns: u64, now_ns: u64) -> Result<(), Self::Fault>;

    /// Who waits.
    fn sleepers(&mut self) -> &mut Sleepers;
}

/// What lets the event pass each rule, in policy order.
///
/// Exemptions need no rates, so a fault of theirs cannot stop an account that is exempt from all.
#[must_use]
pub fn exempt<'p>(rules: &Rules<'p>, event: &Event<'_>) -> Vec<Option<Exemption<'p>>> {
    let first = |rule| rules.exemptions_of(rule).find(|exemption| applies(exemption, event));
    rules.rules.iter().map(first).collect()
}

/// Judges an event by all its rules, and keeps what it takes of their rates.
pub fn decide<'p, R: Rates>(
    rules: &Rules<'p>,
    exempt: &[Option<Exemption<'p>>],
    event: &Event<'_>,
    rates: &mut R,
    now_ns: u64,
) -> Result<Outcome<'p>, R::Fault> {
    let mut judgements = Vec::with_capacity(rules.rules.len());
    for (rule, exemption) in rules.rules.iter().zip(exempt) {
        judgements.push(match exemption {
            Some(exemption) => passed(rule, *exemption),
            None => judge(rule, event, rates, now_ns)?,
        });
    }
    let verdict = judgements.iter().map(|judgement| judgement.verdict).max();
    let mut outcome = Outcome { verdict: verdict.unwrap_or(Verdict::Allow), judgements };
    settle_delay(&mut outcome, rates.sleepers(), now_ns);
    if outcome.verdict < Verdict::Refuse {
        let places = outcome.judgements.iter().flat_map(|judgement| &judgement.places);
        for (key, until_ns) in places {
            rates.keep(*key, *until_ns, now_ns)?;
        }
    }
    Ok(outcome)
}

fn passed<'p>(rule: &Rule<'p>, exemption: Exemption<'p>) -> Judgement<'p> {
    let (exemption, places) = (Some(exemption), Vec::new());
    Judgement { rule: rule.name, verdict: Verdict::Allow, exemption, finding: None, places }
}

fn judge<'p, R: Rates>(
    rule: &Rule<'p>,
    event: &Event<'_>,
    rates: &mut R,
    now_ns: u64,
) -> Result<Judgement<'p>, R::Fault> {
    let found = match &rule.kind {
        Kind::Rate(settings) => {
            limit_command_rate::find(rule.name, settings, event, rates, now_ns)?
        }
    };
    let verdict = verdict(rule, &found);
    let takes = matches!(verdict, Verdict::Allow | Verdict::Unknown | Verdict::Delay);
    let places = if takes { found.places } else { Vec::new() };
    Ok(Judgement { rule: rule.name, verdict, exemption: None, finding: found.finding, places })
}

/// What a finding comes to: the rule's mode acts here and nowhere else.
fn verdict(rule: &Rule<'_>, found: &Found) -> Verdict {
    match &found.finding {
        None if found.unknown => Verdict::Unknown,
        None => Verdict::Allow,
        Some(_) if !rule.enforce => Verdict::Observe,
        Some(finding) if finding.wait_ns.is_some_and(|ns| ns <= max_delay_ns(&rule.kind)) => {
            Verdict::Delay
        }
        Some(_) => Verdict::Refuse,
    }
}

fn max_delay_ns(kind: &Kind<'_>) -> u64 {
    match kind {
        Kind::Rate(settings) => settings.max_delay_ns,
    }
}

/// Finds a place to wait in; without one, the rules that delay refuse.
fn settle_delay(outcome: &mut Outcome<'_>, sleepers: &mut Sleepers, now_ns: u64) {
    let delays = outcome.verdict == Verdict::Delay;
    if !delays || sleepers.add(now_ns.saturating_add(outcome.wait_ns().unwrap_or(0)), now_ns) {
        return;
    }
    outcome.verdict = Verdict::Refuse;
    for judgement in &mut outcome.judgements {
        if judgement.verdict == Verdict::Delay {
            judgement.verdict = Verdict::Refuse;
        }
    }
}
