//! The options of clients that a policy demands or proposes, as `policy.json` lists them.

use crate::base::text::decoded;
use crate::event::form_event::{FormEvent, FormEventKind};
use crate::facts::form_facts::FormFacts;
use crate::forms::client_options::{Origin, Wish, is_on, opposite, wished};
use crate::forms::form::Form;
use crate::forms::new_client::{is_new, is_saved_first};
use crate::rules::draft::{CLIENT, DEEP, Draft, Server, instance};
use crate::rules::remarks::{Document, Remarks, mappings, texts};
use serde::Deserialize;

/// As `Wish`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WishSettings {
    #[serde(default)]
    groups: Option<Vec<String>>,
    #[serde(default)]
    hosts: Option<Vec<String>>,
    #[serde(default)]
    ips: Option<Vec<String>>,
    #[serde(default)]
    options: Vec<String>,
    #[serde(default)]
    submit_options: Option<String>,
    #[serde(default)]
    line_end: Option<String>,
    #[serde(default, rename = "type")]
    client_type: Option<String>,
}

/// The fields of an event's form that must change, each with its new value.
pub(super) fn wished_fields(
    settings: &[WishSettings],
    form: &Form<'_>,
    event: &FormEvent<'_>,
    facts: &FormFacts<'_>,
) -> Vec<(&'static str, Vec<u8>)> {
    let wishes: Vec<Wish<'_>> = settings.iter().map(WishSettings::wish).collect();
    let groups = event.groups.as_deref().unwrap_or_default();
    let origin = Origin { groups, ip: event.ip, case_sensitive: facts.case_sensitive };
    let is_new = || match event.kind {
        FormEventKind::Save => is_saved_first(form, (facts.client_exists)()),
        FormEventKind::Out | FormEventKind::Submit | FormEventKind::Shelve => is_new(form),
    };
    wished(&wishes, form, &origin, &is_new)
}

/// For each wish a client with the opposite.
pub(super) fn drafts(settings: &[WishSettings], event: &str, server: &Server<'_>) -> Vec<Draft> {
    settings.iter().map(|wish| wish.draft(event, &server.first_depot())).collect()
}

impl WishSettings {
    fn draft(&self, event: &str, depot: &str) -> Draft {
        let words =
            self.options.iter().chain(self.fields().into_iter().filter_map(|(_, value)| value));
        let words: Vec<_> = words.map(String::as_str).collect();
        let description = format!("a new client without {}", words.join(", "));
        let mut draft = Draft::of_form(description, event, "client", self.opposite_form(depot));
        if let Some(pattern) = self.ips.iter().flatten().next() {
            draft = draft.with("ip", instance(pattern));
        }
        draft.groups.extend(self.groups.iter().flatten().take(1).map(|pattern| instance(pattern)));
        draft
    }

    fn opposite_form(&self, depot: &str) -> String {
        let mut form = format!("Client:\t{CLIENT}\n\nRoot:\t/nowhere\n\n");
        if let Some(pattern) = self.hosts.iter().flatten().next() {
            form += &format!("Host:\t{}\n\n", instance(pattern));
        }
        for (field, value) in self.fields() {
            if let Some(value) = value {
                form += &format!("{field}:\t{}\n\n", other_value(field, value));
            }
        }
        let options = self.options.iter().filter_map(|word| opposite(word.as_bytes()));
        let options: Vec<_> = options.filter_map(|word| str::from_utf8(word).ok()).collect();
        if !options.is_empty() {
            form += &format!("Options:\t{}\n\n", options.join(" "));
        }
        form + &format!("View:\n\t//{depot}/{DEEP}/... //{CLIENT}/...\n")
    }

    fn fields(&self) -> [(&'static str, Option<&String>); 3] {
        [
            ("SubmitOptions", self.submit_options.as_ref()),
            ("LineEnd", self.line_end.as_ref()),
            ("Type", self.client_type.as_ref()),
        ]
    }

    fn wish(&self) -> Wish<'_> {
        Wish {
            groups: self.groups.as_deref().map(all_bytes),
            hosts: self.hosts.as_deref().map(all_bytes),
            ips: self.ips.as_deref().map(all_bytes),
            options: all_bytes(&self.options),
            submit_options: self.submit_options.as_deref().map(str::as_bytes),
            line_end: self.line_end.as_deref().map(str::as_bytes),
            client_type: self.client_type.as_deref().map(str::as_bytes),
        }
    }
}

fn other_value(field: &str, value: &str) -> &'static str {
    let [one, other] = match field {
        "SubmitOptions" => ["submitunchanged", "leaveunchanged"],
        "LineEnd" => ["local", "unix"],
        _ => ["writeable", "readonly"],
    };
    if value == one { other } else { one }
}

fn all_bytes(texts: &[String]) -> Vec<&[u8]> {
    texts.iter().map(String::as_bytes).collect()
}

const FIELDS: [&str; 3] = ["submit_options", "line_end", "type"];

pub(super) fn wish_problems(rule: &Document, key: &str, to: &mut Remarks) {
    for (index, wish) in mappings(rule, key) {
        let place = || vec![key.into(), index.into()];
        if !wish.contains_key("options") && !FIELDS.iter().any(|field| wish.contains_key(*field)) {
            to.problem(&place(), format!("demands nothing (write options, {})", FIELDS.join(", ")));
        }
        let has = |word: &[u8]| texts(wish, "options").any(|(_, other)| other.as_bytes() == word);
        let words = texts(wish, "options").filter(|(_, word)| is_on(word.as_bytes()));
        for (word, off) in words.filter_map(|(_, word)| Some((word, opposite(word.as_bytes())?))) {
            if has(off) {
                let text = format!("has both {word} and {} (keep one)", decoded(off));
                to.problem(&[place(), vec!["options".into()]].concat(), text);
            }
        }
    }
}
