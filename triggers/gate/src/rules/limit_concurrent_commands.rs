//! Rule `limit_concurrent_commands`: objects to a command while as many of its kind run as the policy
//! allows.

use crate::contract::command_rule::{CommandRule, ReadRule};
use crate::contract::draft::{DEEP, Draft, Server};
use crate::contract::exceeded_limit::{crowd, scope};
use crate::contract::finding::{Amount, Finding, Fix};
use crate::contract::keys::{Keys, of_rule};
use crate::contract::kind_of_rule::{KindOfRule, Reader};
use crate::contract::named_commands::need_arguments;
use crate::contract::rate_store::RateStore;
use crate::contract::remarks::{Document, Remarks, mappings, text};
use crate::contract::rule_result::{Attempt, Objection, Place, RuleResult};
use crate::event::command_event::Event;
use crate::policy::concurrency::{self, Concurrency, ConcurrencyLimit};
use crate::policy::rule_fields::settings;
use crate::rate::limits::spelled_duration_ns;
use crate::rate::queue::{
    Arrival, Ends, Later, MOST_LIMITS, MOST_WAITING_OF_A_USER, RETRY_NS, Start,
};
use crate::rules::limit_command_rate::delay_problems;
use serde_json::json;

const LEAST_AGE_NS: u64 = 2 * 60 * 1_000_000_000;
/// Of a draft.
const LASTS_S: u64 = 7_200;
/// Keys that nobody chooses.
const FIRM: [&[&str]; 2] = [&[], &["user"]];

pub const KIND: KindOfRule = KindOfRule {
    name: "limit_concurrent_commands",
    summary: "more commands run at once than the policy allows",
    events: &["command"],
    read: Reader::OfCommands(read),
    remarks,
};

impl CommandRule for Concurrency {
    fn find<'e>(&'e self, _: &'e Event<'e>) -> RuleResult<'e> {
        RuleResult::default()
    }

    fn concurrency(&self) -> Option<&Concurrency> {
        Some(self)
    }

    fn needed_options(&self, commands: &[&[u8]]) -> Vec<&'static str> {
        need_arguments(commands).then_some("args").into_iter().collect()
    }

    /// Commands that last for long, one more than the least limit.
    fn drafts(&self, commands: &[&str], server: &Server<'_>) -> Vec<Draft> {
        let least = self.limits.iter().map(|limit| limit.at_most).min();
        let (Some(command), Some(least)) = (commands.first(), least) else { return Vec::new() };
        let description = format!("{command} while {least} of it run");
        let path = format!("//{}/{DEEP}", server.first_depot());
        let draft = Draft::of_command(description, command, &path).with("runs_s", LASTS_S);
        vec![Draft { times: u64::from(least) + 1, ..draft }]
    }

    fn without_witness(&self, _: &[&str]) -> String {
        "as many as its limits at once are allowed (lower at_most)".to_owned()
    }
}

fn read<'a>(name: &str, rule: &'a str) -> ReadRule<'a> {
    Ok(Box::new(settings::<concurrency::Document>(rule)?.checked(of_rule(name))?))
}

/// Judges a command by those of the rule's commands that run. `attempt` counts it from then on, also
/// if it must wait.
pub fn find<'p, R: RateStore>(
    settings: &'p Concurrency,
    event: &Event<'_>,
    attempt: &mut Attempt<'_>,
    rates: &mut R,
) -> Result<RuleResult<'p>, R::Fault> {
    if event.ends == Ends::Unknown {
        return Ok(RuleResult::unknown("end-unknown"));
    }
    let arrival = arrival(settings, event, &mut attempt.keys);
    let start = rates.start(&arrival, attempt.now_ns)?;
    attempt.places.push(Place::Queue(arrival, start == Start::Now));
    Ok(match start {
        Start::Now => RuleResult::default(),
        Start::Later(later) => objection(settings, event, arrival, later),
    })
}

fn arrival(settings: &Concurrency, event: &Event<'_>, keys: &mut Keys<'_>) -> Arrival {
    let mut limits = [(0, 0); MOST_LIMITS];
    for (place, limit) in limits.iter_mut().zip(&settings.limits) {
        *place = keys.of_parts(limit.parts).map_or((0, 0), |key| (key as u64, limit.at_most));
    }
    let (max_delay_ns, max_age_ns) = (settings.max_delay_ns, settings.max_age_ns);
    let (rule, user, ends) = (settings.id, keys.of_user(), event.ends);
    Arrival { rule, limits, user, ends, max_delay_ns, max_age_ns }
}

fn objection<'p>(
    settings: &'p Concurrency,
    event: &Event<'_>,
    arrival: Arrival,
    later: Later,
) -> RuleResult<'p> {
    let Some(limit) = settings.limits.get(later.limit) else { return RuleResult::default() };
    let most_ns = settings.max_delay_ns;
    let is_in_time = later.wait_ns.is_none_or(|ns| ns <= most_ns);
    let may_wait = most_ns > 0 && later.shortage.is_none() && is_in_time;
    let wait_ns = later.wait_ns.or((!may_wait).then_some(RETRY_NS));
    let finding = Finding { wait_ns, ..finding(limit, event, later) };
    RuleResult {
        objection: Some(Objection::Told(Box::new(finding))),
        waits_as: may_wait.then_some(arrival),
        ..RuleResult::default()
    }
}

fn finding(limit: &ConcurrencyLimit, event: &Event<'_>, later: Later) -> Finding {
    let ConcurrencyLimit { parts, at_most } = limit;
    let (scope, crowd) = (scope(*parts), crowd(later.shortage, MOST_WAITING_OF_A_USER));
    let problem = format!(
        "is one too many at once: the limit for {scope} is {at_most}, and {} run{}{crowd}",
        later.running,
        if later.running == 1 { "s" } else { "" },
    );
    Finding {
        value: Amount::Number(later.running + 1),
        limit: Amount::Number((*at_most).into()),
        fix: Fix::Advice(
            "Send it when one of them has ended. Jobs that all start at the same minute can start \
             one after another."
                .to_owned(),
        ),
        ..Finding::of_command(event, KIND.summary, problem)
    }
}

fn remarks(rule: &Document, to: &mut Remarks) {
    delay_problems(rule, to);
    let age_ns = text(rule, "max_age").and_then(spelled_duration_ns);
    if age_ns.is_some_and(|age_ns| age_ns < LEAST_AGE_NS) {
        to.problem(&["max_age".into()], "is too short (at least 2m)");
    }
    let is_firm = |limit: &Document| FIRM.iter().any(|per| limit.get("per") == Some(&json!(per)));
    let mut limits = mappings(rule, "limits").peekable();
    if limits.peek().is_some() && !limits.any(|(_, limit)| is_firm(limit)) {
        let text = "users can vary the keys of all limits to evade them (add a limit with per: [user] or \
            per: [])";
        to.doubt(&["limits".into()], text);
    }
}
