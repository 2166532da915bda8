//! Rules, an event and the rates so far -> a verdict, and the rates as they are then.
//!
//! All rules are judged before any rate changes: an event that is refused takes no place in any of
//! them, and a rule that only observes takes none beyond its limits.

use crate::event::Event;
use crate::exemptions::applies;
use crate::flat::{Action, Exemption, Limit, Rule, Rules};
use crate::keys::{self, Key, Secret};
use crate::sleepers::Sleepers;

/// Every verdict, the mildest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// Nothing was objected.
    Allow,
    /// It would have been stopped.
    Observe,
    /// What is not known would have decided.
    Unknown,
    /// It waits, then goes on.
    Delay,
    /// It does not happen.
    Refuse,
}

impl Verdict {
    /// The verdict as logs and `judge` write it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Allow => "allow",
            Verdict::Observe => "observe",
            Verdict::Unknown => "unknown",
            Verdict::Delay => "delay",
            Verdict::Refuse => "refuse",
        }
    }
}

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

/// A limit that a request goes beyond.
#[derive(Clone, Copy, Debug)]
pub struct Over<'p> {
    /// Which one.
    pub limit: Limit<'p>,
    /// How many requests count, this one included.
    pub counted: u64,
    /// In how many nanoseconds it would conform.
    pub wait_ns: u64,
}

/// What one rule says of an event.
#[derive(Debug)]
pub struct Judgement<'p> {
    /// The rule's name.
    pub rule: &'p str,
    /// What it says.
    pub verdict: Verdict,
    /// What let the event pass.
    pub exemption: Option<Exemption<'p>>,
    /// Of the limits it goes beyond, the one that takes longest.
    pub over: Option<Over<'p>>,
    places: Vec<(Key, u64)>,
}

/// The answer to an event.
#[derive(Debug)]
pub struct Outcome<'p> {
    /// The worst of all judgements.
    pub verdict: Verdict,
    /// One for each rule, in policy order.
    pub judgements: Vec<Judgement<'p>>,
}

impl<'p> Outcome<'p> {
    /// The first rule in policy order that has the verdict; None when nothing was objected.
    #[must_use]
    pub fn decisive(&self) -> Option<&Judgement<'p>> {
        let objected = self.verdict > Verdict::Allow;
        self.judgements.iter().find(|judgement| objected && judgement.verdict == self.verdict)
    }

    /// What let the event pass, the first in policy order.
    #[must_use]
    pub fn exemption(&self) -> Option<&Exemption<'p>> {
        self.judgements.iter().find_map(|judgement| judgement.exemption.as_ref())
    }

    /// How long it has to wait before all the rules that have the verdict let it through.
    #[must_use]
    pub fn wait_ns(&self) -> u64 {
        let decisive = self.judgements.iter().filter(|judgement| judgement.verdict == self.verdict);
        decisive.filter_map(|judgement| judgement.over).map(|over| over.wait_ns).max().unwrap_or(0)
    }
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
