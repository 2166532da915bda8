//! The question for a witness of a rule, an event that it stops:
//! `{"ask": "witness", "rule": NAME, "people": [PERSON], "time": SECONDS, "trial": false}`. People are
//! as in `standing`; they send the rule's drafts, judged by the rule and all exemptions. With
//! `"sent": {"command", "args"}` they send that command instead, as often as a draft.
//!
//! The answer is `{"event", "times", "sender", "description"}`, where `sender` is the number of a
//! person, and the last of `times` events, one each millisecond, is stopped: at the time of the
//! question, or in the first hours at which the rule is in force; or `{"reason",
//! "exempt"}`: why the rule itself may stop none, and the number of an exemption from it, or null.

use super::judged_policy::JudgedPolicy;
use super::standing::Person;
use super::time::nanoseconds;
use super::{Judge, Parts};
use crate::base::clock;
use crate::base::json::{Object, object_text};
use crate::contract::draft::{CLIENT, Draft, Server};
use crate::event::selector::{Match, Sender, edges_of, time_in_words, unknown_zone};
use crate::judge::command_policy::NamedRule;
use crate::judge::form_policy::FormPolicy;
use crate::judge::rates_in_memory::Memory;
use crate::judge::standing::{Standing, Standings};
use crate::policy::exemptions::Exemption;
use crate::policy::modes::Mode;
use crate::policy::selector::Selector;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use std::rc::Rc;

const EVERY_NS: u64 = 1_000_000;
/// Never assigned (RFC 5737).
const ADDRESS: &str = "192.0.2.1";

#[derive(Deserialize)]
#[serde(bound(deserialize = "'de: 'a"))]
pub(super) struct WitnessRequest<'a> {
    rule: String,
    people: Vec<Person<'a>>,
    time: Option<&'a RawValue>,
    #[serde(default)]
    trial: bool,
    sent: Option<Sent>,
}

#[derive(Deserialize)]
struct Sent {
    command: String,
    args: Vec<String>,
}

impl WitnessRequest<'_> {
    pub fn answer(
        &self,
        judge: &Judge<'_>,
        now_ns: &dyn Fn() -> u64,
        to: &mut String,
    ) -> Result<(), String> {
        let time_ns = nanoseconds(self.time)?;
        let forms = judge.forms.as_ref().map_err(String::clone)?;
        let (policy, facts) = (judge.policy.policy.only(&self.rule), judge.policy.facts.clone());
        let policy = JudgedPolicy::of(policy, facts)?;
        let of_forms = FormPolicy::of(&policy.policy)?;
        let tried = Tried::of(&policy, &of_forms, &forms.server(), self.sent.as_ref())?;
        let tried =
            tried.ok_or_else(|| format!("the policy has no rule {}, or it is off", self.rule))?;
        let judge = Judge {
            policy: &policy,
            rates: Memory::new([0; 16]),
            zone: Rc::clone(&judge.zone),
            parts: Parts::default(),
            listed: None,
            index: judge.index.clone(),
            forms: Ok(forms.by(of_forms)),
        };
        let now_ns = time_ns.unwrap_or_else(now_ns);
        Search { request: self, judge, now_ns, tried: &tried }.answer(to)
    }
}

struct Search<'s> {
    request: &'s WitnessRequest<'s>,
    /// By the rule alone.
    judge: Judge<'s>,
    now_ns: u64,
    tried: &'s Tried<'s>,
}

/// The drafts of a rule, and for whom and when it is in force.
struct Tried<'p> {
    drafts: Vec<Draft>,
    /// Why the rule may stop none of them.
    reason: String,
    selector: Option<Selector<'p>>,
    mode: Mode<'p>,
}

enum Attempt {
    /// By the exemption with this number.
    Exempt(usize),
    Allowed,
    Stopped,
}

#[derive(Deserialize)]
struct Answer<'a> {
    verdict: String,
    #[serde(borrow)]
    form: Option<&'a RawValue>,
}

impl Search<'_> {
    fn answer(mut self, to: &mut String) -> Result<(), String> {
        let (mut exempt, times_ns) = (None, self.times_ns());
        for draft in &self.tried.drafts {
            for (number, person) in self.request.people.iter().enumerate() {
                let time_ns = self.time_ns(draft, person, &times_ns)?;
                match self.attempt(draft, person, time_ns)? {
                    Attempt::Exempt(exemption) => exempt = Some(exemption),
                    // The rule allows it, whoever sends it.
                    Attempt::Allowed => break,
                    Attempt::Stopped => {
                        let mut object = Object::new(to);
                        object.raw("event", &event(self.request, draft, person, time_ns));
                        object.number("times", draft.times).number("sender", number as u64);
                        object.text("description", &self.description(draft, time_ns)).finish();
                        return Ok(());
                    }
                }
            }
        }
        let exempt = exempt.map(|number| number as u64);
        let reason = self.unknown_hours(&times_ns);
        let reason = reason.as_ref().unwrap_or(&self.tried.reason);
        Object::new(to).text("reason", reason).maybe_number("exempt", exempt).finish();
        Ok(())
    }

    fn attempt(
        &mut self,
        draft: &Draft,
        person: &Person<'_>,
        time_ns: u64,
    ) -> Result<Attempt, String> {
        let standing = self.standing(draft, person, time_ns)?;
        if let Some(exemption) = standing.exemption_in(self.exemptions()) {
            return Ok(Attempt::Exempt(exemption));
        }
        let mut answer = String::new();
        self.judge.rates = Memory::new([0; 16]);
        for number in 0..draft.times {
            answer.clear();
            let event = event(self.request, draft, person, time_ns + number * EVERY_NS);
            self.judge.line(event.as_bytes(), || time_ns, &mut answer)?;
        }
        let answer: Answer<'_> = serde_json::from_str(&answer).map_err(|e| e.to_string())?;
        let is_shown = draft.fields.get("event").and_then(Value::as_str) == Some("form-out");
        let is_stopped = if is_shown { answer.form.is_some() } else { answer.verdict == "refuse" };
        Ok(if is_stopped { Attempt::Stopped } else { Attempt::Allowed })
    }

    /// The first of the times at which the rule is in force for a person; now without one.
    fn time_ns(&self, draft: &Draft, person: &Person<'_>, times_ns: &[u64]) -> Result<u64, String> {
        if self.request.trial {
            return Ok(self.now_ns);
        }
        for time_ns in times_ns {
            let standing = self.standing(draft, person, *time_ns)?;
            let is_about = standing.about != Match::No;
            if is_about && standing.is_enforced && standing.exemption.is_none() {
                return Ok(*time_ns);
            }
        }
        Ok(self.now_ns)
    }

    /// Now, and when hours of the rule, its canary or an exemption begin or end.
    fn times_ns(&self) -> Vec<u64> {
        let now_s = clock::epoch_s(self.now_ns);
        let mut edges_s: Vec<i64> =
            self.selectors().into_iter().flat_map(|one| edges_of(one, now_s)).collect();
        edges_s.sort_unstable();
        edges_s.dedup();
        let edges_s = edges_s.into_iter().filter_map(|edge_s| u64::try_from(edge_s).ok());
        let edges_ns = edges_s.map(|edge_s| edge_s.saturating_mul(1_000_000_000));
        std::iter::once(self.now_ns).chain(edges_ns).collect()
    }

    fn unknown_hours(&self, times_ns: &[u64]) -> Option<String> {
        let last_s = clock::epoch_s(times_ns.last().copied().unwrap_or(self.now_ns));
        let zone = self.selectors().into_iter().find_map(|one| unknown_zone(one, last_s))?;
        Some(format!(
            "whether its hours hold is unknown, because the policy knows the clock of {zone} only \
             for ten years after p4warden activate (activate it again)"
        ))
    }

    fn selectors(&self) -> Vec<&Selector<'_>> {
        let canary = match &self.tried.mode {
            Mode::Canary(canary) => canary.as_slice(),
            Mode::Observe | Mode::Enforce => &[],
        };
        let exemptions = self.exemptions().iter().filter_map(|one| one.selector.as_ref());
        self.tried.selector.iter().chain(canary).chain(exemptions).collect()
    }

    fn exemptions(&self) -> &[Exemption<'_>] {
        self.judge.forms.as_ref().map_or(&[], |forms| &forms.policy().exemptions)
    }

    /// The rule's, to the sender of a draft at a time.
    fn standing(
        &self,
        draft: &Draft,
        person: &Person<'_>,
        time_ns: u64,
    ) -> Result<Standing<'_>, String> {
        let event = event(self.request, draft, person, time_ns);
        let person: Person<'_> = serde_json::from_str(&event).map_err(|error| error.to_string())?;
        let day = || clock::day(time_ns, (*self.judge.zone).as_ref());
        let groups = person.groups();
        let sender = person.sender(&groups, &day, self.judge.policy.case_sensitive());
        let sender = Sender { time_s: Some(clock::epoch_s(time_ns)), ..sender };
        let Tried { selector, mode, .. } = self.tried;
        let standings = Standings::of(sender, self.request.trial, self.exemptions(), false);
        Ok(standings.of_rule(&self.request.rule, selector.as_ref(), mode))
    }

    fn description(&self, draft: &Draft, time_ns: u64) -> String {
        let time_s = clock::epoch_s(time_ns);
        let mut selectors = self.selectors().into_iter().filter(|_| time_ns != self.now_ns);
        match selectors.find_map(|one| time_in_words(one, time_s)) {
            Some(time) => format!("{} on {time}", draft.description),
            None => draft.description.clone(),
        }
    }
}

/// The JSON of the event that a person sends at a time.
fn event(request: &WitnessRequest<'_>, draft: &Draft, person: &Person<'_>, time_ns: u64) -> String {
    let (whole_s, fraction_ns) = (time_ns / 1_000_000_000, time_ns % 1_000_000_000);
    // A trial is sent from where p4warden runs, by a user whose groups are unknown.
    let is_trial = request.trial;
    let groups = if is_trial { &[] } else { draft.groups.as_slice() };
    object_text(|object| {
        person.write(object, CLIENT, groups, !draft.fields.contains_key("prog"));
        object.raw("time", &format!("{whole_s}.{fraction_ns:09}"));
        if is_trial {
            object.raw("trial", "true");
        } else if !draft.fields.contains_key("ip") {
            object.bytes("ip", person.ip().or(Some(ADDRESS.as_bytes())));
        }
        for (name, value) in draft.fields.iter().filter(|(name, _)| !is_trial || *name != "ip") {
            object.raw(name, &value.to_string());
        }
    })
}

impl Sent {
    /// Keeps how often the draft is sent, and under which load.
    fn replace(&self, draft: &mut Draft) {
        draft.groups.clear();
        draft.fields.remove("prog");
        draft.fields.remove("version");
        draft.fields.insert("args".to_owned(), self.args.as_slice().into());
    }
}

impl<'p> Tried<'p> {
    /// None without a rule.
    fn of(
        policy: &JudgedPolicy<'p>,
        forms: &FormPolicy<'p>,
        server: &Server<'_>,
        sent: Option<&Sent>,
    ) -> Result<Option<Self>, String> {
        if let Some(named) = forms.rules.first() {
            return Ok(Some(Tried {
                drafts: named.rule.drafts(server),
                reason: named.rule.without_witness(),
                selector: named.selector.clone(),
                mode: named.mode.clone(),
            }));
        }
        let named = NamedRule::all(&policy.policy)?.into_iter().next();
        Ok(named.map(|named| Tried::of_commands(named, server, sent)))
    }

    fn of_commands(named: NamedRule<'p>, server: &Server<'_>, sent: Option<&Sent>) -> Self {
        let texts = named.commands.iter().filter_map(|name| str::from_utf8(name).ok());
        let is_wanted = |name: &&str| sent.is_none_or(|sent| sent.command == *name);
        let (commands, rule) = (texts.filter(is_wanted).collect::<Vec<_>>(), &named.rule);
        let mut drafts = rule.settings.drafts(&commands, server);
        if let Some(sent) = sent {
            drafts.iter_mut().for_each(|draft| sent.replace(draft));
        }
        let reason = rule.settings.without_witness(&commands);
        Tried { drafts, reason, selector: named.rule.selector, mode: named.rule.mode }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ask::judge::FormJudge;
    use serde_json::json;
    use std::error::Error;

    type Outcome = Result<(), Box<dyn Error>>;

    fn cases(name: &str) -> Result<Value, Box<dyn Error>> {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/cases");
        Ok(serde_json::from_str(&std::fs::read_to_string(format!("{folder}/{name}/{name}.json"))?)?)
    }

    fn answer(policy: &Value, facts: &Value, question: &Value) -> Result<Value, Box<dyn Error>> {
        let head = json!({"format": 1, "digest": "", "contact": "admins"});
        let (mut document, facts) = (head, facts.to_string());
        for (name, value) in policy.as_object().ok_or("no policy")? {
            document[name] = value.clone();
        }
        let text = document.to_string();
        let policy = JudgedPolicy::read(text.as_bytes(), serde_json::from_str(&facts)?)?;
        let forms = FormPolicy::of(&policy.policy)?;
        let forms = FormJudge::new(forms, facts.as_bytes(), None);
        let mut judge = Judge::new(&policy, tz::TimeZone::utc()).with_forms(forms);
        let mut answer = String::new();
        judge.line(question.to_string().as_bytes(), || 1_800_000_000_000_000_000, &mut answer)?;
        Ok(serde_json::from_str(&answer)?)
    }

    fn or(value: &Value, otherwise: Value) -> Value {
        if value.is_null() { otherwise } else { value.clone() }
    }

    #[test]
    fn a_rule_has_the_expected_witness_or_the_reason_for_none() -> Outcome {
        for case in cases("witnesses")?["cases"].as_array().ok_or("no cases")? {
            let mut rule = case["rule"].clone();
            rule["name"] = "r".into();
            rule["mode"] = or(&rule["mode"], "enforce".into());
            let rules = [rule, json!({"name": "other", "rule": "limit_view_scope", "mode": "off"})];
            let exemptions = or(&case["exemptions"], json!([]));
            let policy = json!({"rules": rules, "exemptions": exemptions});
            let people = or(&case["people"], json!([{"user": "someone"}]));
            let trial = case["trial"] == true;
            let question = json!({"ask": "witness", "rule": "r", "people": people, "trial": trial,
                "sent": case["sent"]});
            let facts = or(&case["facts"], json!({}));
            let answer = answer(&policy, &facts, &question)?;
            for (name, expected) in case["answer"].as_object().ok_or("no answer")? {
                assert_eq!(&answer[name], expected, "{}: {answer}", case["name"]);
            }
        }
        Ok(())
    }

    #[test]
    fn people_have_the_expected_standing() -> Outcome {
        let document = cases("standing")?;
        for case in document["cases"].as_array().ok_or("no cases")? {
            let question = json!({"ask": "standing", "day": case["day"], "people": case["people"]});
            let answer = answer(&document["policy"], &case["facts"], &question)?;
            assert_eq!(answer, case["answer"], "{}", case["name"]);
        }
        Ok(())
    }

    #[test]
    fn a_rule_that_is_off_or_unknown_has_no_witness_to_look_for() {
        let rule = json!({"name": "off", "rule": "limit_view_scope", "mode": "off"});
        for name in ["off", "x"] {
            let question = json!({"ask": "witness", "rule": name, "people": []});
            let answer = answer(&json!({"rules": [rule]}), &json!({}), &question);
            let problem = answer.unwrap_err().to_string();
            assert_eq!(problem, format!("the policy has no rule {name}, or it is off"));
        }
    }
}
