//! The options of clients that a policy demands or proposes.

use crate::base::text::decoded;
use crate::contract::draft::{CLIENT, DEEP, Draft, Server, instance};
use crate::contract::remarks::{Document, Remarks, address_problems, mappings, texts};
use crate::event::form_event::{FormEvent, FormEventKind};
use crate::facts::form_facts::FormFacts;
use crate::forms::client_options::{FIELDS, Origin, Wish, is_on, opposite, wished};
use crate::forms::form::Form;
use crate::forms::new_client::is_new;

/// The fields of an event's form that must change, each with its new value.
pub fn wished_fields(
    wishes: &[Wish],
    form: &Form<'_>,
    event: &FormEvent<'_>,
    facts: &FormFacts<'_>,
) -> Vec<(&'static str, Vec<u8>)> {
    let groups = event.groups.as_deref().unwrap_or_default();
    let origin = Origin { groups, ip: event.ip, case_sensitive: facts.case_sensitive };
    let is_new = || {
        let exists = (event.kind == FormEventKind::Save).then(facts.client_exists).flatten();
        exists.map_or_else(|| is_new(form), |exists| !exists)
    };
    wished(wishes, form, &origin, &is_new)
}

/// For each wish a client with the opposite.
pub fn drafts(wishes: &[Wish], event: &str, server: &Server<'_>) -> Vec<Draft> {
    wishes.iter().map(|wish| wish.draft(event, &server.first_depot())).collect()
}

impl Wish {
    fn draft(&self, event: &str, depot: &str) -> Draft {
        let values = FIELDS.iter().filter_map(|(_, _, value_of)| value_of(self));
        let words: Vec<_> = self.options.iter().chain(values).map(String::as_str).collect();
        let description = format!("a new client without {}", words.join(", "));
        let mut draft = Draft::of_form(description, event, "client", self.opposite_form(depot));
        if let Some(pattern) = self.ips.iter().flatten().next() {
            // Of a network its first address.
            let address = pattern.split('/').next().unwrap_or(pattern);
            draft = draft.with("ip", instance(address));
        }
        draft.groups.extend(self.groups.iter().flatten().take(1).map(|pattern| instance(pattern)));
        draft
    }

    fn opposite_form(&self, depot: &str) -> String {
        let mut form = format!("Client:\t{CLIENT}\n\nRoot:\t/nowhere\n\n");
        if let Some(pattern) = self.hosts.iter().flatten().next() {
            form += &format!("Host:\t{}\n\n", instance(pattern));
        }
        for (field, [default, other], value_of) in FIELDS {
            if let Some(value) = value_of(self) {
                form +=
                    &format!("{field}:\t{}\n\n", if value == default { other } else { default });
            }
        }
        let options = self.options.iter().filter_map(|word| opposite(word.as_bytes()));
        let options: Vec<_> = options.filter_map(|word| str::from_utf8(word).ok()).collect();
        if !options.is_empty() {
            form += &format!("Options:\t{}\n\n", options.join(" "));
        }
        form + &format!("View:\n\t//{depot}/{DEEP}/... //{CLIENT}/...\n")
    }
}

/// Of a wish in the policy.
const KEYS: [&str; 3] = ["submit_options", "line_end", "type"];

pub fn wish_problems(rule: &Document, key: &str, to: &mut Remarks) {
    for (index, wish) in mappings(rule, key) {
        let place = || vec![key.into(), index.into()];
        if !wish.contains_key("options") && !KEYS.iter().any(|key| wish.contains_key(*key)) {
            to.problem(&place(), format!("demands nothing (write options, {})", KEYS.join(", ")));
        }
        address_problems(&place(), wish, to);
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
