//! Judgement of a command event by all rules for its command.
//!
//! All rules are judged before any rate changes, so a refused event uses up no rate.

use crate::contract::keys::{Keys, of_rule};
use crate::contract::rate_store::RateStore;
use crate::contract::rule_result::{Attempt, Objection, Place, Rows, RuleResult};
use crate::event::command_event::Event;
use crate::event::selector::Match;
use crate::judge::command_outcome::{Judgement, Outcome, Verdict};
use crate::judge::command_policy::{Rule, Rules};
use crate::judge::standing::{Standing, Standings};
use crate::judge::tampered_line;
use crate::rate::waiting_slots::SlotPool;
use crate::rules::limit_command_rate;
use crate::rules::limit_concurrent_commands;
use crate::rules::limit_scanned_rows;
use std::ops::Range;

/// How each rule stands to a command event, in policy order.
///
/// Exemptions need no rates, so a fault of the rate store cannot stop an account that is exempt
/// from every rule. A command that runs is not ended while it is in doubt whether it is exempt.
pub fn standings<'p>(rules: &'p Rules<'p>, event: &Event<'_>) -> Vec<Standing<'p>> {
    let is_running = event.running.is_some();
    let standings = Standings::of(event.sender(), event.is_trial, &rules.exemptions, is_running);
    let of_rule =
        |rule: &Rule<'_>| standings.of_rule(&rule.name, rule.selector.as_ref(), &rule.mode);
    rules.rules.iter().map(of_rule).collect()
}

/// The results, for one command event, of the rules that need no request rates.
pub struct RateFreeResults<'j, 'e> {
    rules: &'e Rules<'e>,
    standings: &'j [Standing<'e>],
    event: &'e Event<'e>,
    /// In policy order, without objection if the event is exempt from the rule; None if the result
    /// needs the request rates.
    results: Vec<Option<RuleResult<'e>>>,
    rows: Rows,
}

impl<'j, 'e> RateFreeResults<'j, 'e> {
    /// The rules may read the checkpoint index, so the state file must not be locked yet.
    pub fn new(rules: &'e Rules<'e>, standings: &'j [Standing<'e>], event: &'e Event<'e>) -> Self {
        let results = rules.rules.iter().zip(standings);
        let results = results.map(|(rule, standing)| result_without_rates(rule, standing, event));
        let results: Vec<Option<RuleResult<'e>>> = results.collect();
        let rows = if budgets(rules, standings, event) {
            let known = results.iter().flatten().find_map(|result| result.rows);
            known.unwrap_or_else(|| limit_scanned_rows::rows(event))
        } else {
            Rows::default()
        };
        RateFreeResults { rules, standings, event, results, rows }
    }

    /// The first objection of an enforced rule, which refuses the event whatever its rates are.
    pub fn refusal(&self) -> Option<(&'e Rule<'e>, &Objection<'e>)> {
        let mut results = self.rules.rules.iter().zip(self.standings).zip(&self.results);
        results.find_map(|((rule, standing), result)| {
            let objection = result.as_ref()?.objection.as_ref();
            let refuses = |one: &&Objection<'_>| standing.is_enforced && !is_allowed(rule, one);
            objection.filter(refuses).map(|objection| (rule, objection))
        })
    }

    /// A rate rule, enforced or observing, counts the event unless an enforced rule refuses the
    /// event, or the rule itself refuses it or would do so if it were enforced.
    pub fn decide<R: RateStore>(self, rates: &mut R, now_ns: u64) -> Result<Outcome<'e>, R::Fault> {
        let keys = Keys::new(rates.secret(), self.event);
        let mut attempt = Attempt { keys, places: Vec::new(), now_ns, rows: self.rows };
        let mut judgements = Judgements::default();
        let standings = self.rules.rules.iter().zip(self.standings);
        for ((rule, standing), result) in standings.zip(self.results) {
            let start = attempt.places.len();
            let result = match result {
                Some(result) => result,
                None => result_by_rates(rule, standing, self.event, &mut attempt, rates)?,
            };
            judgements.judge(rule, standing, result, &mut attempt.places, start);
        }
        if judgements.settle(&mut attempt, rates)? < Verdict::Refuse {
            for place in attempt.places {
                match place {
                    Place::Rate(_, WITHDRAWAL_NS) => {}
                    Place::Rate(key, until_ns) => rates.keep(key, until_ns, now_ns)?,
                    Place::Queue(arrival, runs) => rates.enter(&arrival, runs, now_ns)?,
                }
            }
        }
        Ok(judgements.outcome(self.standings))
    }

    /// For a tampered trigger line these are the results of all rules, because then none needs a rate.
    pub fn decide_without_rates(self) -> Outcome<'e> {
        let mut judgements = Judgements::default();
        let standings = self.rules.rules.iter().zip(self.standings);
        for ((rule, standing), result) in standings.zip(self.results) {
            if let Some(result) = result {
                judgements.judge(rule, standing, result, &mut Vec::new(), 0);
            }
        }
        judgements.outcome(self.standings)
    }
}

/// Whether all rules would allow the event's command with other arguments; rates are not asked. A rule
/// may be unable to decide only if it was for the event's own arguments.
pub fn allows(
    rules: &Rules<'_>,
    standings: &[Standing<'_>],
    event: &Event<'_>,
    args: &[u8],
) -> bool {
    let other = Event { args: Some(args), ..event.clone() };
    rules.rules.iter().zip(standings).all(|(rule, standing)| {
        let is_unknown = |event| {
            let result = result_without_rates(rule, standing, event);
            result.is_some_and(|result| result.unknown.is_some())
        };
        let result = result_without_rates(rule, standing, &other).unwrap_or_default();
        result.objection.is_none() && (result.unknown.is_none() || is_unknown(event))
    })
}

/// Without objection if the event is exempt from the rule; None if the rule needs the request rates.
fn result_without_rates<'e>(
    rule: &'e Rule<'e>,
    standing: &Standing<'_>,
    event: &'e Event<'e>,
) -> Option<RuleResult<'e>> {
    if standing.exemption.is_some() {
        return Some(RuleResult::default());
    }
    if !event.is_tampered && needs_state(rule) {
        return None;
    }
    Some(match rule.covers(standing.about, event) {
        Match::No => RuleResult::default(),
        _ if event.is_tampered => tampered_line::result(event),
        Match::Yes => rule.settings.find(event),
        Match::Unknown(why) => RuleResult::unknown(why),
    })
}

/// Whether a rule remembers earlier commands.
fn needs_state(rule: &Rule<'_>) -> bool {
    rule.settings.rates().is_some() || rule.settings.concurrency().is_some()
}

/// The result of a rule that remembers earlier commands, from which the event is not exempt; for other
/// rules a result without objection.
fn result_by_rates<'p, R: RateStore>(
    rule: &'p Rule<'p>,
    standing: &Standing<'_>,
    event: &Event<'_>,
    attempt: &mut Attempt<'_>,
    rates: &mut R,
) -> Result<RuleResult<'p>, R::Fault> {
    match rule.covers(standing.about, event) {
        Match::Yes => {}
        Match::No => return Ok(RuleResult::default()),
        Match::Unknown(why) => return Ok(RuleResult::unknown(why)),
    }
    if let Some(settings) = rule.settings.concurrency() {
        return limit_concurrent_commands::find(settings, event, attempt, rates);
    }
    let Some(settings) = rule.settings.rates() else { return Ok(RuleResult::default()) };
    limit_command_rate::find(settings, event, attempt, rates)
}

/// Whether any rule that remembers earlier commands certainly covers the event, without an exemption
/// for it; false for a tampered trigger line, for which no rule needs them.
pub fn keeps_rates(rules: &Rules<'_>, standings: &[Standing<'_>], event: &Event<'_>) -> bool {
    !event.is_tampered && counts(rules, standings, event, needs_state)
}

/// Whether a budget of records covers the event, without an exemption for it.
fn budgets(rules: &Rules<'_>, standings: &[Standing<'_>], event: &Event<'_>) -> bool {
    let has_weight =
        |rule: &Rule<'_>| rule.settings.rates().is_some_and(|one| one.weight.is_some());
    counts(rules, standings, event, has_weight)
}

fn counts(
    rules: &Rules<'_>,
    standings: &[Standing<'_>],
    event: &Event<'_>,
    is_meant: impl Fn(&Rule<'_>) -> bool,
) -> bool {
    rules.rules.iter().zip(standings).any(|(rule, standing)| {
        standing.exemption.is_none()
            && is_meant(rule)
            && rule.covers(standing.about, event) == Match::Yes
    })
}

/// Time that replaces the times in a rule's tentative rate changes so that they are not stored: the
/// rule, in observe mode, would refuse the event for lack of a waiting slot.
const WITHDRAWAL_NS: u64 = 0;

/// Before the event's verdict is chosen.
#[derive(Default)]
struct Judgements<'p> {
    list: Vec<Judgement<'p>>,
    /// The judgements that delay the event, or would do so: the index of each in `list`, and
    /// the range of its entries in the list of tentative rate changes.
    delays: Vec<(usize, Range<usize>)>,
    /// As in `Outcome`.
    estimates: Vec<(&'p str, u64)>,
}

impl<'p> Judgements<'p> {
    /// A rule that refuses the event, or would, does not count it in its own rates.
    fn judge(
        &mut self,
        rule: &'p Rule<'p>,
        standing: &Standing<'_>,
        result: RuleResult<'p>,
        places: &mut Vec<Place>,
        start: usize,
    ) {
        if let Some(estimate) = result.estimate {
            self.estimates.push((&rule.name, estimate));
        }
        let enforced_verdict = enforced_verdict(rule, &result);
        match enforced_verdict {
            Verdict::Allow => return,
            Verdict::Refuse => places.truncate(start),
            Verdict::Delay if result.waits_as.is_some() => {}
            Verdict::Delay => self.delays.push((self.list.len(), start..places.len())),
            Verdict::Observe | Verdict::Unknown => {}
        }
        let stops = enforced_verdict >= Verdict::Delay;
        let verdict =
            if stops && !standing.is_enforced { Verdict::Observe } else { enforced_verdict };
        let objection = result.objection;
        self.list.push(Judgement {
            rule: &rule.name,
            advice: rule.advice.as_deref(),
            kind: rule.kind.name,
            verdict,
            enforced_verdict,
            objection,
            better_fix: result.better_fix,
            waits_as: result.waits_as,
            unknown: result.unknown,
            selector: rule.selector.as_ref(),
        });
    }

    /// Unless an enforced rule refuses the event, reserves waiting slots for the rates that delay
    /// it, or would; a rule without a free slot refuses, or would refuse, instead. Returns the
    /// worst verdict on the event other than `Observe`.
    fn settle<R: RateStore>(
        &mut self,
        attempt: &mut Attempt<'_>,
        rates: &mut R,
    ) -> Result<Verdict, R::Fault> {
        let acting = self.list.iter().map(|judgement| judgement.verdict);
        let acting = acting.filter(|verdict| *verdict != Verdict::Observe).max();
        let acting = acting.unwrap_or(Verdict::Allow);
        if acting == Verdict::Refuse || self.delays.is_empty() {
            return Ok(acting);
        }
        let of_a_rate =
            |one: &Judgement<'_>| one.verdict == Verdict::Delay && one.waits_as.is_none();
        if self.list.iter().any(of_a_rate) && !self.wait(attempt, rates)? {
            return Ok(Verdict::Refuse);
        }
        self.reserve_simulated_slots(attempt, rates)?;
        Ok(acting)
    }

    /// Reserves one waiting slot for an event; the event waits once for all enforced rules that
    /// delay it. Returns whether a slot was free; if not, these rules refuse the event.
    fn wait<R: RateStore>(
        &mut self,
        attempt: &mut Attempt<'_>,
        rates: &mut R,
    ) -> Result<bool, R::Fault> {
        let delaying = |judgement: &&mut Judgement<'p>| {
            judgement.verdict == Verdict::Delay && judgement.waits_as.is_none()
        };
        let waits = self.list.iter_mut().filter(delaying);
        let wait_ns = waits.filter_map(|judgement| judgement.wait_ns()).max().unwrap_or(0);
        let place = attempt.waiting_slot(wait_ns);
        let Some(full) = rates.wait(SlotPool::Real, place, attempt.now_ns)? else {
            return Ok(true);
        };
        for judgement in self.list.iter_mut().filter(delaying) {
            (judgement.verdict, judgement.enforced_verdict) = (Verdict::Refuse, Verdict::Refuse);
            judgement.add_shortage(full);
        }
        Ok(false)
    }

    /// Reserves a simulated waiting slot for each observing rule that would delay the event, as if
    /// that rule alone were enforced. Without a free slot the rule would refuse.
    fn reserve_simulated_slots<R: RateStore>(
        &mut self,
        attempt: &mut Attempt<'_>,
        rates: &mut R,
    ) -> Result<(), R::Fault> {
        for (index, places) in &self.delays {
            let judgement = self.list.get_mut(*index);
            let observing = judgement.filter(|judgement| judgement.verdict == Verdict::Observe);
            let Some(judgement) = observing else { continue };
            let slot = attempt.waiting_slot(judgement.wait_ns().unwrap_or(0));
            let pool = SlotPool::Shadow(of_rule(judgement.rule));
            if let Some(full) = rates.wait(pool, slot, attempt.now_ns)? {
                judgement.enforced_verdict = Verdict::Refuse;
                judgement.add_shortage(full);
                let places = attempt.places.get_mut(places.clone()).unwrap_or_default();
                withdraw(places);
            }
        }
        Ok(())
    }

    fn outcome(self, standings: &[Standing<'p>]) -> Outcome<'p> {
        let verdict = self.list.iter().map(|judgement| judgement.verdict).max();
        let exemption = standings.iter().find_map(|standing| standing.exemption);
        let verdict = verdict.unwrap_or(Verdict::Allow);
        Outcome { verdict, judgements: self.list, exemption, estimates: self.estimates }
    }
}

fn withdraw(places: &mut [Place]) {
    for place in places {
        if let Place::Rate(_, until_ns) = place {
            *until_ns = WITHDRAWAL_NS;
        }
    }
}

fn enforced_verdict(rule: &Rule<'_>, result: &RuleResult<'_>) -> Verdict {
    match &result.objection {
        None if result.unknown.is_some() => Verdict::Unknown,
        None => Verdict::Allow,
        Some(objection) if is_allowed(rule, objection) => Verdict::Observe,
        Some(objection) if may_wait(rule, result, objection) => Verdict::Delay,
        Some(_) => Verdict::Refuse,
    }
}

fn is_allowed(rule: &Rule<'_>, objection: &Objection<'_>) -> bool {
    rule.allows_unusual && objection.is_unusual()
}

fn may_wait(rule: &Rule<'_>, result: &RuleResult<'_>, objection: &Objection<'_>) -> bool {
    match rule.settings.rates() {
        Some(rates) => objection.wait_ns().is_some_and(|ns| ns <= rates.max_delay_ns),
        None => result.waits_as.is_some(),
    }
}
