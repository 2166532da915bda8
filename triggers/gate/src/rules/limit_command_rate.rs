//! Rule `limit_command_rate`: objects to a command that is sent more often than the policy allows.

use crate::contract::command_rule::{CommandRule, ReadRule};
use crate::contract::draft::{DEEP, Draft, Server};
use crate::contract::exceeded_limit::{ExceededLimit, Records, SUMMARY};
use crate::contract::kind_of_rule::{KindOfRule, Reader};
use crate::contract::named_commands::need_arguments;
use crate::contract::rate_store::RateStore;
use crate::contract::remarks::{Document, Remarks, mappings, text, value};
use crate::contract::rule_result::{ARGS_LEFT_OUT, Attempt, Objection, Place, Rows, RuleResult};
use crate::event::command_event::Event;
use crate::policy::parts::Part;
use crate::policy::pressure::{Level, Load};
use crate::policy::rates::{self, Limit, Rates, Weight};
use crate::policy::rule_fields::settings;
use crate::rate::limits::{self, LONGEST_NS};
use crate::rules::limit_scanned_rows::estimate_doubts;
use serde_json::{Value, json};

const LONGEST_S: u64 = 60;
const EVERY_NS: u64 = 1_000_000;

pub const KIND: KindOfRule = KindOfRule {
    name: "limit_command_rate",
    summary: SUMMARY,
    events: &["command"],
    read: Reader::OfCommands(read),
    remarks,
};

impl CommandRule for Rates {
    fn find<'e>(&'e self, _: &'e Event<'e>) -> RuleResult<'e> {
        RuleResult::default()
    }

    fn rates(&self) -> Option<&Rates> {
        Some(self)
    }

    fn needs_the_depots(&self) -> bool {
        self.weight.is_some()
    }

    fn needed_options(&self, commands: &[&[u8]]) -> Vec<&'static str> {
        let mut parts = self.limits.iter().flat_map(|limit| limit.parts.iter());
        let has_weight = self.weight.is_some();
        let by_arguments = parts.any(|part| matches!(part, Part::Args | Part::Shape));
        let mut options = Vec::new();
        if by_arguments || has_weight || need_arguments(commands) {
            options.push("args");
        }
        if has_weight {
            options.push("cwd");
        }
        if self.need_the_level() {
            options.extend(["pressure-cpu", "pressure-mem"]);
        }
        options
    }

    /// A command repeated until a limit must refuse it: under low pressure, and under the highest
    /// that a limit asks for.
    fn drafts(&self, commands: &[&str], server: &Server<'_>) -> Vec<Draft> {
        let Some(command) = commands.first() else { return Vec::new() };
        // A rate with a weight is to count it as a command without an estimate, also if there is an
        // index.
        let path = match self.weight {
            Some(_) => DEEP.to_owned(),
            None => format!("//{}/{DEEP}", server.first_depot()),
        };
        let draft = |(load, condition): (Load, String)| {
            let applies = |limit: &&Limit| limit.least_load.is_reached(load) == Some(true);
            let limits = self.limits.iter().filter(applies);
            let times = limits.filter_map(|limit| first_refused(self, limit)).min()?;
            let description =
                format!("the same {command} {times} times, one each millisecond{condition}");
            let draft = Draft::of_command(description, command, &path);
            let draft = draft.with("clientcwd", "/nowhere");
            let draft = draft.with("pressure", load.level.map(Level::word));
            Some(Draft { times, ..draft.with("lock_waiters", load.lock_waiters) })
        };
        let lock_waiters = self.lock_waiters();
        let high = Load { level: Some(Level::High), lock_waiters: lock_waiters.or(Some(0)) };
        let and_locks = lock_waiters.map(|number| format!(" and {number} sessions wait for locks"));
        let and_locks = and_locks.unwrap_or_default();
        let high = (high, format!(", while the server is under high pressure{and_locks}"));
        [(Load::LOW, String::new()), high].into_iter().filter_map(draft).collect()
    }

    fn without_witness(&self, _: &[&str]) -> String {
        let (counting, remedy) = match self.weight {
            Some(_) => (" that each count as unknown_as", ", or raise unknown_as"),
            None => ("", ""),
        };
        format!(
            "a thousand commands per second for {LONGEST_S} s{counting} stay within its limits \
             (lower allow or burst{remedy})"
        )
    }
}

fn read<'a>(name: &str, rule: &'a str) -> ReadRule<'a> {
    Ok(Box::new(settings::<rates::Document<'_>>(rule)?.checked(name)?))
}

/// None if the limit refuses none within `LONGEST_S`. With a weight each command is taken as one
/// without an estimate.
fn first_refused(rates: &Rates, limit: &Limit) -> Option<u64> {
    let own = rates.weight.map_or(1, |weight| weight.unknown_as);
    let mut stored_ns = 0;
    (1..=LONGEST_S * 1_000_000_000 / EVERY_NS).find(|number| {
        let now_ns = number * EVERY_NS;
        let wait_ns = limit.rate.wait_ns(stored_ns, now_ns, own);
        stored_ns = limit.rate.next_arrival_ns(stored_ns, now_ns, own);
        wait_ns > rates.max_delay_ns
    })
}

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
        let key = match limit.least_load.is_reached(event.load) {
            Some(false) => continue,
            Some(true) => attempt.keys.of_limit(limit).ok_or(ARGS_LEFT_OUT),
            None => Err("pressure-unknown"),
        };
        let key = match key {
            Ok(key) => key,
            Err(unknown) => {
                result.unknown = Some(unknown);
                continue;
            }
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
        let until_ns = limit.rate.next_arrival_ns(stored_ns, now_ns, own);
        attempt.places.push(Place::Rate(key, until_ns));
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
pub fn records(weight: Weight, rows: Rows) -> Records {
    let Weight { unit, unknown_as } = weight;
    let own = if rows.is_whole { rows.known } else { rows.known.max(unknown_as) };
    Records { unit, own, is_known: rows.is_whole }
}

/// Of a policy; a command waits at most this long.
pub const MAX_DELAY_S: u64 = 60;

fn remarks(rule: &Document, to: &mut Remarks) {
    let weight = value(rule, "weight");
    for (index, limit) in mappings(rule, "limits") {
        if let Some((path, text)) = text(limit, "allow").and_then(|allow| {
            let burst = limit.get("burst").and_then(Value::as_u64);
            limit_problem(allow, burst)
        }) {
            to.problem(&[&["limits".into(), index.into()], &*path].concat(), text);
        }
    }
    delay_problems(rule, to);
    match (weight, value(rule, "unknown_as")) {
        (Some(_), None) => to.problem(&[], "unknown_as is missing (for example unknown_as: 10000)"),
        (None, Some(_)) => {
            let text = "has no effect (write weight: files, or remove this)";
            to.problem(&["unknown_as".into()], text);
        }
        _ => {}
    }
    if weight.is_some() {
        estimate_doubts(rule, "always counts as unknown_as", to);
    }
    user_doubt(rule, to);
}

/// The path of the problem within the limit, and its text.
fn limit_problem(allow: &str, burst: Option<u64>) -> Option<(Vec<Value>, String)> {
    let (count, period_ns) = limits::parts(allow)?;
    if count == 0 || period_ns == 0 {
        let text = format!("no command is possible with {allow} (allow at least one, such as 1/m)");
        return Some((vec!["allow".into()], text));
    }
    let step_ns = u128::from(period_ns.div_ceil(count));
    let steps = u128::from(burst.unwrap_or(count).saturating_sub(1).max(1));
    let days = LONGEST_NS / (86_400 * 1_000_000_000);
    let text = || format!("is over {days} days until all of the burst is allowed again");
    (steps * step_ns > u128::from(LONGEST_NS)).then(|| (Vec::new(), text()))
}

/// Of a rule that may delay.
pub fn delay_problems(rule: &Document, to: &mut Remarks) {
    let delays = text(rule, "action") == Some("delay");
    let path = ["max_delay".into()];
    match value(rule, "max_delay") {
        None if delays => to.problem(&[], "max_delay is missing (for example max_delay: 2s)"),
        Some(_) if !delays => {
            to.problem(&path, "has no effect (write action: delay, or remove this)");
        }
        Some(Value::String(delay)) => match limits::spelled_duration_ns(delay) {
            Some(0) => {
                let text = format!("{delay} is not a delay (from 1ms to {MAX_DELAY_S}s)");
                to.problem(&path, text);
            }
            Some(ns) if ns > MAX_DELAY_S * 1_000_000_000 => {
                to.problem(&path, format!("{delay} is too long (at most {MAX_DELAY_S}s)"));
            }
            _ => {}
        },
        _ => {}
    }
}

fn user_doubt(rule: &Document, to: &mut Remarks) {
    let limits = || mappings(rule, "limits").map(|(_, limit)| limit);
    let is_always = |limit: &Document| value(limit, "when_pressure").is_none();
    let is_by_user = |limit: &Document| limit.get("per") == Some(&json!(["user"]));
    let none_always = !limits().any(is_always);
    let judged = |limit: &Document| none_always || is_always(limit);
    if limits().next().is_some() && !limits().any(|limit| judged(limit) && is_by_user(limit)) {
        let text = "no limit is by user alone, and users can vary all other keys to evade a limit \
            (add a limit with per: [user])";
        to.doubt(&["limits".into()], text);
    }
}
