//! Refuses clients without the options that a site demands.
//!
//! An absent field stands for p4d's default, and a demand is compared with the meaning of the form.

use crate::contract::client_wishes::{drafts, wish_problems, wished_fields};
use crate::contract::draft::{Draft, Server};
use crate::contract::form_finding::FormFinding;
use crate::contract::form_rule::{Findings, FormRule, JudgedEvent, Texts};
use crate::contract::kind_of_rule::{KindOfRule, Reader, of_forms};
use crate::contract::remarks::{Document, Remarks, mappings};
use crate::event::form_event::{FormEvent, FormEventKind};
use crate::facts::form_facts::FormFacts;
use crate::forms::client_options::{Wish, words};
use serde::Deserialize;
use std::borrow::Cow;
use std::collections::BTreeSet;

/// Values of Type that p4d accepts only with the configurable client.readonly.dir (P4 Server
/// Administrator Guide).
const NEED_A_DIRECTORY: [&[u8]; 2] = [b"readonly", b"partitioned"];

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    demands: Vec<Wish>,
}

pub const KIND: KindOfRule = KindOfRule {
    name: "require_client_options",
    summary: "a client lacks options that the policy requires",
    events: &["form-save"],
    read: Reader::OfForms(of_forms::<Settings>),
    remarks,
};

impl FormRule for Settings {
    fn events(&self) -> Vec<JudgedEvent<'_>> {
        vec![(FormEventKind::Save, Some("client"))]
    }

    /// A finding for each field that violates a demand, with the demanded value.
    fn find<'e>(&'e self, event: &'e FormEvent<'e>, facts: &'e FormFacts<'e>) -> Findings<'e> {
        let Some(form) = event.readable_form() else { return Box::new(std::iter::empty()) };
        let fields = wished_fields(&self.demands, form, event, facts).into_iter();
        Box::new(fields.map(|(field, value)| {
            let present = form.value(&field.to_ascii_lowercase()).unwrap_or_default();
            finding(field, present, &value)
        }))
    }

    fn drafts(&self, server: &Server<'_>) -> Vec<Draft> {
        drafts(&self.demands, "form-save", server)
    }

    fn without_witness(&self) -> String {
        "a client with the opposite of each demand is allowed".to_owned()
    }

    fn texts(&self, _: Option<&[u8]>) -> Texts {
        Texts { fix_heading: "Write in the form:", ..Texts::default() }
    }
}

fn finding<'e>(field: &'static str, present: &[u8], value: &[u8]) -> FormFinding<'e> {
    let mut problem = match field {
        "Options" => lacking(present, value),
        _ => format!("must be {}", String::from_utf8_lossy(value)),
    };
    if NEED_A_DIRECTORY.contains(&value) {
        problem += "; if the server rejects it, ask the contact below to set client.readonly.dir";
    }
    // Options may keep words of the user that no refusal can show, so that nobody could copy them.
    let line = str::from_utf8(value).map(|value| format!("{field}: {value}"));
    FormFinding { fix: line.into_iter().collect(), ..FormFinding::new(present, field, problem) }
}

/// About Options: the missing words, else the words to remove. All are demanded words or opposites
/// of such words, so the text is safe to display.
fn lacking(present: &[u8], demanded: &[u8]) -> String {
    let (old, new) = (words(present), words(demanded));
    let missing = distinct(&new, &old);
    if missing.is_empty() {
        format!("must not include {}", distinct(&old, &new).join(", "))
    } else {
        format!("must include {}", missing.join(", "))
    }
}

/// The words that are not among the others, each once. A form may have any number of words.
fn distinct<'w>(words: &'w [Cow<'_, [u8]>], others: &[Cow<'_, [u8]>]) -> Vec<Cow<'w, str>> {
    let mut known: BTreeSet<&[u8]> = others.iter().map(|word| &**word).collect();
    let new = words.iter().filter(|word| known.insert(word));
    new.map(|word| String::from_utf8_lossy(word)).collect()
}

fn remarks(rule: &Document, to: &mut Remarks) {
    wish_problems(rule, "demands", to);
    for (index, wish) in mappings(rule, "demands") {
        let is_bound = ["groups", "ips"].iter().any(|key| wish.contains_key(*key));
        if wish.contains_key("hosts") && !is_bound {
            let text = "any user can change the Host field of a client (add groups or ips)";
            to.doubt(&["demands".into(), index.into(), "hosts".into()], text);
        }
    }
}
