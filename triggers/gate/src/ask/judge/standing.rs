//! The question for whom each rule is enforced on a day, and who is exempt from it:
//! `{"ask": "standing", "day": "2026-11-21", "people": [PERSON]}`, where a person has the fields of
//! an event that exemptions and canaries ask for.
//!
//! `rules`: of each rule that is not off its `name` and for each person `acts_as`, `enforce`,
//! `observe`, `off` for one whom the rule is not about, or `unknown` if that depends on another fact,
//! and `exempt`, the number of the first exemption from it, or null. `exempted`: for each exemption
//! the number of people that it excuses. `baseline_in_effect`: the names of the rules that tolerate
//! findings of the baseline on that day.

use super::Judge;
use crate::base::json::{Object, array, ascii_json};
use crate::base::json_text::{Text, given};
use crate::event::form_event::{FormEvent, FormEventKind};
use crate::event::selector::{Match, Sender, Server};
use crate::judge::command_policy::NamedRule;
use crate::judge::form_standing::lets_stay;
use crate::judge::standing::{Standing, Standings};
use serde::Deserialize;
use serde_json::json;

#[derive(Deserialize)]
pub(super) struct StandingRequest<'a> {
    /// Local date `YYYY-MM-DD`.
    day: String,
    #[serde(borrow)]
    people: Vec<Person<'a>>,
}

/// An empty name counts as absent, as in a trigger's arguments.
#[derive(Deserialize)]
#[serde(bound(deserialize = "'de: 'a"))]
pub(super) struct Person<'a> {
    user: Option<Text<'a>>,
    #[serde(default)]
    groups: Vec<Text<'a>>,
    client: Option<Text<'a>>,
    prog: Option<Text<'a>>,
    ip: Option<Text<'a>>,
    server: Option<Text<'a>>,
    services: Option<Text<'a>>,
    #[serde(rename = "type")]
    form_type: Option<Text<'a>>,
    /// Of the spec.
    name: Option<Text<'a>>,
}

impl StandingRequest<'_> {
    pub fn answer(&self, judge: &Judge<'_>, to: &mut String) -> Result<(), String> {
        let forms = judge.forms.as_ref().map_err(String::clone)?.policy();
        let commands = NamedRule::all(&judge.policy.policy)?;
        let of_forms =
            forms.rules.iter().map(|rule| (rule.name.as_str(), rule.selector.as_ref(), &rule.mode));
        let of_commands = commands
            .iter()
            .map(|NamedRule { rule, .. }| (&*rule.name, rule.selector.as_ref(), &rule.mode));
        let day = || self.day.clone();
        let groups: Vec<_> = self.people.iter().map(Person::groups).collect();
        let case_sensitive = judge.policy.case_sensitive();
        let senders = self.people.iter().zip(&groups).map(|(person, groups)| {
            let sender = person.sender(groups, &day, case_sensitive);
            Standings::of(sender, false, &forms.exemptions, false)
        });
        let senders: Vec<_> = senders.collect();
        let exempted = forms.exemptions.iter();
        let exempted = exempted.map(|one| senders.iter().filter(|all| all.excuses(one)).count());
        let exempted: Vec<_> = exempted.collect();
        let save = FormEvent::unknown(FormEventKind::Save, &day);
        let tolerant = forms.rules.iter().filter(|rule| lets_stay(rule, &save));
        let tolerant = tolerant.map(|rule| &rule.name);
        let mut object = Object::new(to);
        object.list("rules", of_forms.chain(of_commands), |object, (name, selector, mode)| {
            let standings = senders.iter().map(|one| one.of_rule(name, selector, mode));
            let standings: Vec<_> = standings.collect();
            let exempt = standings.iter().map(|one| one.exemption_in(&forms.exemptions));
            let exempt: Vec<_> = exempt.collect();
            object.text("name", name).texts("acts_as", standings.iter().map(acts_as));
            object.raw("exempt", &json!(exempt).to_string());
        });
        object.raw("exempted", &json!(exempted).to_string());
        object.texts("baseline_in_effect", tolerant).finish();
        Ok(())
    }
}

fn acts_as(standing: &Standing<'_>) -> &'static str {
    match standing.about {
        Match::No => "off",
        Match::Unknown(_) => "unknown",
        Match::Yes if standing.is_enforced => "enforce",
        Match::Yes => "observe",
    }
}

impl Person<'_> {
    /// None if it has none.
    pub fn ip(&self) -> Option<&[u8]> {
        given(&self.ip)
    }

    pub fn groups(&self) -> Vec<&[u8]> {
        self.groups.iter().map(|group| &**group).collect()
    }

    pub fn sender<'s>(
        &'s self,
        groups: &'s [&'s [u8]],
        day: &'s dyn Fn() -> String,
        case_sensitive: bool,
    ) -> Sender<'s> {
        let is_of_client = self.form_type.as_deref() == Some(b"client");
        Sender {
            user: given(&self.user),
            groups: Some(groups),
            client: given(&self.client),
            described_client: given(&self.name).filter(|_| is_of_client),
            ip: given(&self.ip),
            prog: given(&self.prog),
            server: Server { id: given(&self.server), services: given(&self.services) },
            time_s: None,
            day,
            case_sensitive,
        }
    }

    /// Writes the fields of an event that tell who sends it; `groups` are further ones, and `client`
    /// stands for a missing one.
    pub fn write(&self, to: &mut Object<'_>, client: &str, groups: &[String], has_prog: bool) {
        let mut all: Vec<&[u8]> = Vec::new();
        let names = self.groups().into_iter().chain(groups.iter().map(String::as_bytes));
        for group in names {
            if !all.contains(&group) {
                all.push(group);
            }
        }
        to.bytes("user", given(&self.user))
            .bytes("client", given(&self.client).or(Some(client.as_bytes())))
            .bytes("server", given(&self.server))
            .bytes("services", given(&self.services));
        if has_prog {
            to.bytes("prog", given(&self.prog));
        }
        to.raw("groups", &json_list(&all));
    }
}

fn json_list(names: &[&[u8]]) -> String {
    let mut text = String::new();
    array(&mut text, names, |to, name| to.push_str(&ascii_json(name)));
    text
}
