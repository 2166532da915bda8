//! Rule `limit_command_rate`: objects to a command that is sent more often than the policy allows.

use crate::event::command_event::Event;
use crate::policy::pressure::Level;
use crate::policy::rates::{Rates, Weight};
use crate::rules::exceeded_limit::{ExceededLimit, Records};
use crate::rules::rate_store::RateStore;
use crate::rules::rule_result::{ARGS_LEFT_OUT, Attempt, Objection, Rows, RuleResult};

/// Judges a request by the limits of one rule `limit_command_rate` that apply at the server's load
/// level; the exceeded limit with the longest wait gives the objection. Adds tentative rates to
/// `attempt`. With a weight the request counts with the records that it reads, and one that reads
/// none exceeds no limit.
pub fn find<'p, R: RateStore>(
    settings: &'p Rates,
    event: &Event<'_>,
    attempt: &mut Attempt<'_>,
    rates: &mut R,
) -> Result<RuleResult<'p>, R::Fault> {
    let (mut result, mut worst) = (RuleResult::default(), None::<ExceededLimit<'_>>);
    let (now_ns, records) = (attempt.now_ns, settings.weight.map(|one| records(one, attempt.rows)));
    let own = records.map_or(1, |records| records.own);
    if records.is_some() {
        result.unknown = attempt.rows.unknown.filter(|_| !attempt.rows.is_whole);
        result.estimate = Some(attempt.rows.known).filter(|_| attempt.rows.is_whole);
    }
    for limit in &settings.limits {
        if event.pressure.is_some_and(|pressure| pressure < limit.min_level) {
            continue;
        }
        let is_pressure_known = event.pressure.is_some() || limit.min_level == Level::Low;
        let Some(key) = attempt.keys.of_limit(limit).filter(|_| is_pressure_known) else {
            let unknown = if is_pressure_known { ARGS_LEFT_OUT } else { "pressure-unknown" };
            result.unknown = Some(unknown);
            continue;
        };
        if own == 0 {
            continue;
        }
        // A dear command leaves a debt of any length.
        let horizon_ns = match records {
            None => limit.rate.horizon_ns(settings.max_delay_ns, now_ns),
            Some(_) => u64::MAX,
        };
        let stored_ns = rates.stored_ns(key, horizon_ns, now_ns)?;
        attempt.places.push((key, limit.rate.next_arrival_ns(stored_ns, now_ns, own)));
        let wait_ns = limit.rate.wait_ns(stored_ns, now_ns, own);
        if wait_ns > worst.map_or(0, |worst| worst.wait_ns) {
            let used = limit.rate.used_at(stored_ns, now_ns);
            worst = Some(ExceededLimit { limit, used, records, wait_ns, slot_shortage: None });
        }
    }
    result.objection = worst.map(Objection::Rate);
    Ok(result)
}

/// The records by which a command counts: at least those that it certainly reads.
#[must_use]
pub fn records(weight: Weight, rows: Rows) -> Records {
    let Weight { unit, unknown_as } = weight;
    let own = if rows.is_whole { rows.known } else { rows.known.max(unknown_as) };
    Records { unit, own, is_known: rows.is_whole }
}
