//! Property tests of rules in observe mode: such a rule reports the verdict that it would give if
//! it alone were enforced. With equal requests and an equal initial state, enforcing the rule
//! changes none of its own verdicts, provided that no other enforced rule keeps rates. Tested with
//! rates in memory and in the state file.

use p4warden_gate::ask::judge::{Judge, JudgedPolicy};
use p4warden_gate::base::clock::Clock;
use p4warden_gate::event::command_event::Event;
use p4warden_gate::facts::document::FactsDocument;
use p4warden_gate::home::folder::Home;
use p4warden_gate::home::state::{Layout, State};
use p4warden_gate::judge::command_decision::{RateFreeResults, standings};
use p4warden_gate::judge::command_outcome::{Outcome, Verdict};
use p4warden_gate::judge::command_policy::Rules;
use p4warden_gate::policy::document::Policy;
use p4warden_gate::policy::pressure::Load;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::error::Error;
use tempfile::TempDir;

type Failure = Box<dyn Error>;
/// The verdict of the rule under test (its real one if the rule is enforced, otherwise the one that
/// it would give), and the wait in nanoseconds.
type RuleVerdict = (Verdict, Option<u64>);

const X: &str = "the-rule";
const START_NS: u64 = 1_000_000_000_000;

#[derive(Clone, Debug)]
struct Arrival {
    user: &'static str,
    args: &'static str,
    after_ns: u64,
}

trait EventJudge {
    fn ask(&mut self, event: &Event<'_>, now_ns: u64) -> Result<RuleVerdict, Failure>;
}

impl EventJudge for Judge<'_> {
    fn ask(&mut self, event: &Event<'_>, now_ns: u64) -> Result<RuleVerdict, Failure> {
        Ok(of_x(&self.decide(event, now_ns)))
    }
}

struct StateFileJudge<'p> {
    folder: TempDir,
    rules: Rules<'p>,
}

struct ClockAt(u64);

impl Clock for ClockAt {
    fn since_boot_ns(&self) -> u64 {
        self.0
    }

    fn wall_ns(&self) -> u64 {
        START_NS + self.0
    }

    fn namespace_ns(&self) -> i64 {
        0
    }

    fn boot_id(&self) -> [u8; 36] {
        [1; 36]
    }
}

impl<'p> StateFileJudge<'p> {
    fn new(policy: &'p str) -> Result<Self, Failure> {
        let rules = Rules::about(&Policy::read(policy.as_bytes())?, b"fstat")?;
        Ok(StateFileJudge { folder: TempDir::new()?, rules })
    }
}

impl EventJudge for StateFileJudge<'_> {
    fn ask(&mut self, event: &Event<'_>, now_ns: u64) -> Result<RuleVerdict, Failure> {
        let home = Home::at(self.folder.path());
        let layout = Layout { notes: 1, pages: 8, groups: 8 };
        let text = |fault: p4warden_gate::base::fault::Fault| fault.to_string();
        let mut state = State::lock(&home, layout, &ClockAt(now_ns)).map_err(text)?;
        let standings = standings(&self.rules, event);
        let results = RateFreeResults::new(&self.rules, &standings, event);
        let outcome = results.decide(&mut state, now_ns).map_err(text)?;
        state.finish().map_err(text)?;
        Ok(of_x(&outcome))
    }
}

fn of_x(outcome: &Outcome<'_>) -> RuleVerdict {
    let judgement = outcome.judgements.iter().find(|judgement| judgement.rule == X);
    judgement.map_or((Verdict::Allow, None), |judgement| {
        (judgement.enforced_verdict, judgement.wait_ns())
    })
}

fn policy_of(rules: &[Value]) -> String {
    json!({"format": 1, "digest": "d", "contact": "c", "rules": rules}).to_string()
}

fn judged(policy: &str) -> Result<JudgedPolicy<'_>, TestCaseError> {
    let judged = JudgedPolicy::read(policy.as_bytes(), FactsDocument::default());
    judged.map_err(TestCaseError::fail)
}

/// The verdicts of the rule under test on all test requests, in order.
fn verdicts_of<A: EventJudge>(
    judging: &mut A,
    arrivals: &[Arrival],
) -> Result<Vec<RuleVerdict>, Failure> {
    let mut now_ns = START_NS;
    let mut verdicts = Vec::new();
    for arrival in arrivals {
        now_ns += arrival.after_ns;
        let event = Event {
            user: Some(arrival.user.as_bytes()),
            args: Some(arrival.args.as_bytes()),
            load: Load::LOW,
            ..Event::unknown(b"fstat", &String::new)
        };
        verdicts.push(judging.ask(&event, now_ns)?);
    }
    Ok(verdicts)
}

fn limits() -> impl Strategy<Value = Value> {
    let per = prop::sample::subsequence(vec!["user", "args"], 0..=2);
    let limit = (per, 1_u64..20, 1_u64..4).prop_map(
        |(per, tenths, burst)| json!({"per": per, "allow": format!("1 per {tenths}00ms"), "burst": burst}),
    );
    prop::collection::vec(limit, 1..3).prop_map(Value::Array)
}

fn rate(name: &'static str) -> impl Strategy<Value = Value> {
    let waits = prop::option::weighted(0.7, 100_u64..60_000);
    (limits(), waits).prop_map(move |(limits, max_delay_ms)| {
        let mut rule = json!({"name": name, "rule": "limit_command_rate", "mode": "observe",
            "commands": ["fstat"], "limits": limits});
        if let Some(max_delay_ms) = max_delay_ms {
            rule["action"] = json!("delay");
            rule["max_delay"] = json!(format!("{max_delay_ms}ms"));
        }
        rule
    })
}

/// Proptest strategy for policies: the rule under test, one more observing rate rule, and perhaps
/// an enforced rule that keeps no rates.
fn rules() -> impl Strategy<Value = Vec<Value>> {
    let scope = prop::option::of(Just(json!({"name": "scope", "rule": "limit_command_scope",
        "mode": "enforce", "commands": ["fstat"], "min_depth": 1})));
    (rate(X), rate("other"), scope, any::<bool>()).prop_map(|(x, other, scope, first)| {
        let pair = if first { [x, other] } else { [other, x] };
        scope.into_iter().chain(pair).collect()
    })
}

fn switched_on(rules: &[Value]) -> Vec<Value> {
    let mut rules = rules.to_vec();
    let x = rules.iter_mut().find(|rule| rule["name"] == X);
    if let Some(x) = x {
        x["mode"] = json!("enforce");
    }
    rules
}

fn arrivals(most: usize) -> impl Strategy<Value = Vec<Arrival>> {
    let users = prop::sample::select(vec!["ann", "ann", "ann", "bob"]);
    let args = prop::sample::select(vec!["//depot/a", "//depot/b", "//..."]);
    let after = prop_oneof![Just(0), 0_u64..300_000_000, 0_u64..5_000_000_000];
    let one = (users, args, after);
    let one = one.prop_map(|(user, args, after_ns)| Arrival { user, args, after_ns });
    prop::collection::vec(one, 1..most)
}

fn case_error(failure: Failure) -> TestCaseError {
    TestCaseError::fail(failure.to_string())
}

proptest! {
    #[test]
    fn observed_and_enforced_verdicts_are_equal_in_memory(
        rules in rules(),
        arrivals in arrivals(120),
    ) {
        let (observing, enforcing) = (policy_of(&rules), policy_of(&switched_on(&rules)));
        let (observing, enforcing) = (judged(&observing)?, judged(&enforcing)?);
        let [mut observing, mut enforcing] =
            [&observing, &enforcing].map(|policy| Judge::new(policy, tz::TimeZone::utc()));
        let observed = verdicts_of(&mut observing, &arrivals).map_err(case_error)?;
        prop_assert_eq!(observed, verdicts_of(&mut enforcing, &arrivals).map_err(case_error)?);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn observed_and_enforced_verdicts_are_equal_with_a_state_file(
        rules in rules(),
        arrivals in arrivals(60),
    ) {
        let (observing, enforcing) = (policy_of(&rules), policy_of(&switched_on(&rules)));
        let mut judging = StateFileJudge::new(&observing).map_err(case_error)?;
        let observed = verdicts_of(&mut judging, &arrivals).map_err(case_error)?;
        let mut judging = StateFileJudge::new(&enforcing).map_err(case_error)?;
        prop_assert_eq!(&observed, &verdicts_of(&mut judging, &arrivals).map_err(case_error)?);
        let observing = judged(&observing)?;
        let mut judge = Judge::new(&observing, tz::TimeZone::utc());
        prop_assert_eq!(observed, verdicts_of(&mut judge, &arrivals).map_err(case_error)?);
    }
}
