//! Rules, an event and the rates so far -> a verdict, and the rates as they are then.
//!
//! All rules are judged before any rate changes: an event that is refused takes no place in any of
//! them, and a rule that only observes takes none beyond its limits.

use crate::event::Event;
use crate::exemptions::applies;
use crate::flat::{Action, Exemption, Limit, Rule, Rules};
use crate::keys::{self, Key, Secret};
use crate::outcome::{Judgement, Outcome, Over, Verdict};
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
    Judgement { rule: rule.name, verdict: Verdict::Allow, exemption, over: None, places }
}

fn judge<'p, R: Rates>(
    rule: &Rule<'p>,
    event: &Event<'_>,
    rates: &mut R,
    now_ns: u64,
) -> Result<Judgement<'p>, R::Fault> {
    let mut tried = Tried::default();
    for limit in &rule.limits {
        tried.limit(rule, limit, event, rates, now_ns)?;
    }
    let verdict = verdict(rule.action, tried.over, tried.unknown);
    let takes = matches!(verdict, Verdict::Allow | Verdict::Unknown | Verdict::Delay);
    let places = if takes { tried.places } else { Vec::new() };
    Ok(Judgement { rule: rule.name, verdict, exemption: None, over: tried.over, places })
}

/// The limits of one rule, tried together.
#[derive(Default)]
struct Tried<'p> {
    over: Option<Over<'p>>,
    unknown: bool,
    places: Vec<(Key, u64)>,
}

impl<'p> Tried<'p> {
    fn limit<R: Rates>(
        &mut self,
        rule: &Rule<'p>,
        limit: &Limit<'p>,
        event: &Event<'_>,
        rates: &mut R,
        now_ns: u64,
    ) -> Result<(), R::Fault> {
        if event.pressure.is_some_and(|pressure| pressure < limit.when) {
            return Ok(());
        }
        let known = event.pressure.is_some() || limit.when == crate::pressure::Level::Low;
        let key = keys::of_limit(&rates.secret(), rule, limit, event).filter(|_| known);
        let Some(key) = key else {
            self.unknown = true;
            return Ok(());
        };
        let horizon_ns = limit.rate.horizon_ns(max_delay_ns(rule.action), now_ns);
        let kept_ns = rates.kept_ns(key, horizon_ns, now_ns)?;
        self.places.push((key, limit.rate.taken_ns(kept_ns, now_ns)));
        self.note(*limit, kept_ns, now_ns);
        Ok(())
    }

    fn note(&mut self, limit: Limit<'p>, kept_ns: u64, now_ns: u64) {
        let wait_ns = limit.rate.wait_ns(kept_ns, now_ns);
        if wait_ns > self.over.map_or(0, |over| over.wait_ns) {
            let counted = limit.rate.counted(kept_ns, now_ns);
            self.over = Some(Over { limit, counted, wait_ns });
        }
    }
}

fn verdict(action: Action, over: Option<Over<'_>>, unknown: bool) -> Verdict {
    match (over, action) {
        (None, _) if unknown => Verdict::Unknown,
        (None, _) => Verdict::Allow,
        (Some(_), Action::Observe) => Verdict::Observe,
        (Some(over), Action::Delay(max_ns)) if over.wait_ns <= max_ns => Verdict::Delay,
        (Some(_), _) => Verdict::Refuse,
    }
}

fn max_delay_ns(action: Action) -> u64 {
    if let Action::Delay(max_ns) = action { max_ns } else { 0 }
}

/// Finds a place to wait in; without one, the rules that delay refuse.
fn settle_delay(outcome: &mut Outcome<'_>, sleepers: &mut Sleepers, now_ns: u64) {
    let delays = outcome.verdict == Verdict::Delay;
    if !delays || sleepers.add(now_ns.saturating_add(outcome.wait_ns()), now_ns) {
        return;
    }
    outcome.verdict = Verdict::Refuse;
    for judgement in &mut outcome.judgements {
        if judgement.verdict == Verdict::Delay {
            judgement.verdict = Verdict::Refuse;
        }
    }
}
