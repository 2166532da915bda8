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
use crate::event::canary::enforces;
use crate::event::exemptions::applies;
use crate::event::form_event::{FormEvent, FormEventKind};
use crate::event::selector::{Match, Sender, Server, is_about};
use crate::judge::command_policy::NamedRule;
use crate::judge::form_standing::lets_stay;
use crate::policy::exemptions::Exemption;
use crate::policy::modes::Mode;
use crate::policy::selector::Selector;
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
        let standings = self.standings(&forms.exemptions, judge.policy.case_sensitive());
        let excused =
            |number: usize| standings.iter().filter(|one| one.exemptions.contains(&number)).count();
        let exempted: Vec<_> = (0..forms.exemptions.len()).map(excused).collect();
        let day = || self.day.clone();
        let save = FormEvent::unknown(FormEventKind::Save, &day);
        let tolerant = forms.rules.iter().filter(|rule| lets_stay(rule, &save));
        let tolerant = tolerant.map(|rule| &rule.name);
        let mut object = Object::new(to);
        object.list("rules", of_forms.chain(of_commands), |object, (name, selector, mode)| {
            let acts_as = standings.iter().map(|one| one.acts_as(selector, mode));
            let exempt = standings.iter();
            let exempt = exempt.map(|one| first(&one.exemptions, &forms.exemptions, name));
            let exempt: Vec<_> = exempt.collect();
            object.text("name", name).texts("acts_as", acts_as);
            object.raw("exempt", &json!(exempt).to_string());
        });
        object.raw("exempted", &json!(exempted).to_string());
        object.texts("baseline_in_effect", tolerant).finish();
        Ok(())
    }

    fn standings<'s>(
        &'s self,
        exemptions: &[Exemption<'_>],
        case_sensitive: bool,
    ) -> Vec<Standing<'s>> {
        let standing = |person: &'s Person<'_>| {
            let groups = person.groups();
            let day = || self.day.clone();
            let sender = person.sender(&groups, &day, case_sensitive);
            let exemptions = applying(exemptions, &sender);
            Standing { person, groups, exemptions, case_sensitive }
        };
        self.people.iter().map(standing).collect()
    }
}

struct Standing<'s> {
    person: &'s Person<'s>,
    groups: Vec<&'s [u8]>,
    /// The numbers of those that apply, whichever rules they concern.
    exemptions: Vec<usize>,
    case_sensitive: bool,
}

impl Standing<'_> {
    fn acts_as(&self, selector: Option<&Selector<'_>>, mode: &Mode<'_>) -> &'static str {
        let sender = self.person.sender(&self.groups, &String::new, self.case_sensitive);
        match is_about(selector, false, &sender) {
            Match::No => "off",
            Match::Unknown(_) => "unknown",
            Match::Yes if enforces(mode, &sender) => "enforce",
            Match::Yes => "observe",
        }
    }
}

/// The numbers of the exemptions that apply to a sender.
pub(super) fn applying(exemptions: &[Exemption<'_>], sender: &Sender<'_>) -> Vec<usize> {
    let numbered = exemptions.iter().enumerate();
    numbered.filter(|(_, entry)| applies(entry, sender)).map(|(number, _)| number).collect()
}

/// Of those that apply, the first that concerns a rule.
pub(super) fn first(applying: &[usize], exemptions: &[Exemption<'_>], rule: &str) -> Option<usize> {
    let concerns = |number: &&usize| exemptions.get(**number).is_some_and(|e| e.concerns(rule));
    applying.iter().find(concerns).copied()
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
