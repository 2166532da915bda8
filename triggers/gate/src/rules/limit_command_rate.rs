//! Rule `limit_command_rate`: objects to a command that is sent more often than the policy allows.

use crate::event::command_event::Event;
use crate::policy::compiled;
use crate::policy::pressure::Level;
use crate::rules::exceeded_limit::ExceededLimit;
use crate::rules::rate_store::RateStore;
use crate::rules::rule_result::{Attempt, Objection, RuleResult};

/// Judges a request by the limits of one rule `limit_command_rate` that apply at the server's load
/// level; the exceeded limit with the longest wait gives the objection. Adds tentative rates to
/// `attempt`.
pub fn find<'p, R: RateStore>(
    settings: &compiled::Rates<'p>,
    event: &Event<'_>,
    attempt: &mut Attempt<'_>,
    rates: &mut R,
) -> Result<RuleResult<'p>, R::Fault> {
    let (mut result, mut worst) = (RuleResult::default(), None::<ExceededLimit<'_>>);
    let now_ns = attempt.now_ns;
    for limit in settings.limits() {
        if event.pressure.is_some_and(|pressure| pressure < limit.min_level) {
            continue;
        }
        let is_pressure_known = event.pressure.is_some() || limit.min_level == Level::Low;
        let Some(key) = attempt.keys.of_limit(&limit).filter(|_| is_pressure_known) else {
            result.is_unknown = true;
            continue;
        };
        let horizon_ns = limit.rate.horizon_ns(settings.max_delay_ns, now_ns);
        let stored_ns = rates.stored_ns(key, horizon_ns, now_ns)?;
        attempt.places.push((key, limit.rate.next_arrival_ns(stored_ns, now_ns)));
        let wait_ns = limit.rate.wait_ns(stored_ns, now_ns);
        if wait_ns > worst.map_or(0, |worst| worst.wait_ns) {
            let count = limit.rate.count_at(stored_ns, now_ns);
            worst = Some(ExceededLimit { limit, count, wait_ns, slot_shortage: None });
        }
    }
    result.objection = worst.map(Objection::Rate);
    Ok(result)
}
