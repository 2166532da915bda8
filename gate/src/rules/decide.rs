//! Rules, an event and the rates so far -> a verdict, and the rates as they are then.
//!
//! All rules are judged before any rate changes: an event that is refused takes no place in any of
//! them, and a rule that only observes takes none beyond its limits.

use crate::event::canary;
use crate::event::command_event::Event;
use crate::event::exemptions::applies;
use crate::policy::compiled::{Kind, Mode, Rule, Rules};
use crate::rate::waiting::Sleepers;
use crate::rules::block_client_program;
use crate::rules::found::{Attempt, Found};
use crate::rules::keys::Keys;
use crate::rules::limit_command_rate;
use crate::rules::limit_command_scope;
use crate::rules::outcome::{Judgement, Outcome, Verdict};
use crate::rules::rate_store::RateStore;

/// What lets the event pass each rule, in policy order; by its number, for `Rules::exemption`.
///
/// Exemptions need no rates, so a fault of theirs cannot stop an account that is exempt from all.
#[must_use]
pub fn exempt(rules: &Rules<'_>, event: &Event<'_>) -> Vec<Option<u16>> {
    if event.is_trial {
        return vec![None; rules.rules.len()];
    }
    let applies = |number| rules.exemption(number).is_some_and(|entry| applies(&entry, event));
    let applying: Vec<bool> = rules.exemptions().map(applies).collect();
    let applies = |number: &u16| applying.get(usize::from(*number)).is_some_and(|applies| *applies);
    rules.rules.iter().map(|rule| rule.exemptions().find(applies)).collect()
}

/// Judges an event by all its rules, and keeps what it takes of their rates.
pub fn decide<'p, R: RateStore>(
    rules: &Rules<'p>,
    exempt: &[Option<u16>],
    event: &Event<'_>,
    rates: &mut R,
    now_ns: u64,
) -> Result<Outcome<'p>, R::Fault> {
    let mut attempt =
        Attempt { keys: Keys::new(rates.secret(), event), places: Vec::new(), now_ns };
    let mut judgements = Vec::new();
    for (rule, exemption) in rules.rules.iter().zip(exempt) {
        if exemption.is_none() {
            judgements.extend(judge(rule, event, &mut attempt, rates)?);
        }
    }
    let verdict = judgements.iter().map(|judgement| judgement.verdict).max();
    let verdict = verdict.unwrap_or(Verdict::Allow);
    let exemption = exempt.iter().flatten().next().and_then(|number| rules.exemption(*number));
    let mut outcome = Outcome { verdict, judgements, exemption };
    settle_delay(&mut outcome, rates.sleepers(), now_ns);
    if outcome.verdict < Verdict::Refuse {
        for (key, until_ns) in attempt.places {
            rates.keep(key, until_ns, now_ns)?;
        }
    }
    Ok(outcome)
}

/// What a rule says, if it objects. One that observes or refuses takes no place in its rates.
fn judge<'p, R: RateStore>(
    rule: &Rule<'p>,
    event: &Event<'_>,
    attempt: &mut Attempt<'_>,
    rates: &mut R,
) -> Result<Option<Judgement<'p>>, R::Fault> {
    let taken = attempt.places.len();
    let found = match &rule.kind {
        Kind::Rate(settings) => limit_command_rate::find(settings, event, attempt, rates)?,
        Kind::Scope(settings) => limit_command_scope::find(settings, event),
        Kind::Program(settings) => block_client_program::find(settings, event),
    };
    let verdict = verdict(rule, event, &found);
    if matches!(verdict, Verdict::Observe | Verdict::Refuse) {
        attempt.places.truncate(taken);
    }
    let objects = verdict > Verdict::Allow;
    let (name, kind) = (rule.name, rule.kind.word());
    Ok(objects.then_some(Judgement { rule: name, kind, verdict, objection: found.objection }))
}

/// What a finding comes to: the rule's mode acts here and nowhere else.
fn verdict(rule: &Rule<'_>, event: &Event<'_>, found: &Found<'_>) -> Verdict {
    match &found.objection {
        None if found.unknown => Verdict::Unknown,
        None => Verdict::Allow,
        Some(_) if !acts(&rule.mode, event) => Verdict::Observe,
        Some(objection) if objection.wait_ns().is_some_and(|ns| ns <= max_delay_ns(&rule.kind)) => {
            Verdict::Delay
        }
        Some(_) => Verdict::Refuse,
    }
}

fn acts(mode: &Mode<'_>, event: &Event<'_>) -> bool {
    event.is_trial
        || match mode {
            Mode::Observe => false,
            Mode::Enforce => true,
            Mode::Canary(canary) => canary::includes(canary, event),
        }
}

fn max_delay_ns(kind: &Kind<'_>) -> u64 {
    match kind {
        Kind::Rate(settings) => settings.max_delay_ns,
        Kind::Scope(_) | Kind::Program(_) => 0,
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
