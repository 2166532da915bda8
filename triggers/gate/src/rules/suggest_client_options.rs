//! Proposes suitable options in the forms of new clients.
//!
//! Only the fields that the policy sets are changed; the user may change them back.

use crate::base::text::decoded;
use crate::contract::client_wishes::{drafts, wish_problems, wished_fields};
use crate::contract::draft::{Draft, Server};
use crate::contract::form_finding::Suggestion;
use crate::contract::form_rule::{FormRule, JudgedEvent};
use crate::contract::kind_of_rule::{KindOfRule, Reader, of_forms};
use crate::contract::remarks::{Document, Remarks};
use crate::event::form_event::{FormEvent, FormEventKind};
use crate::facts::form_facts::FormFacts;
use crate::forms::client_options::Wish;
use crate::forms::form_editor::with_value;
use crate::forms::form_parser::parse;
use crate::forms::new_client::is_new;
use serde::Deserialize;

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    wishes: Vec<Wish>,
}

pub const KIND: KindOfRule = KindOfRule {
    name: "suggest_client_options",
    summary: "a new client's form could have better options",
    events: &["form-out"],
    read: Reader::OfForms(of_forms::<Settings>),
    remarks,
};

impl FormRule for Settings {
    fn events(&self) -> Vec<JudgedEvent<'_>> {
        vec![(FormEventKind::Out, Some("client"))]
    }

    fn drafts(&self, server: &Server<'_>) -> Vec<Draft> {
        drafts(&self.wishes, "form-out", server)
    }

    fn without_witness(&self) -> String {
        "a new client with the opposite of each wish is shown unchanged".to_owned()
    }

    fn suggest(&self, event: &FormEvent<'_>, facts: &FormFacts<'_>) -> Option<Suggestion> {
        let form = event.readable_form().filter(|form| is_new(form))?;
        let values = wished_fields(&self.wishes, form, event, facts);
        let mut text = form.text.to_vec();
        for (field, value) in &values {
            let edited = parse(&text).ok().and_then(|form| with_value(&form, field, value));
            text = edited.unwrap_or(text);
        }
        let line = |(field, value): &(&str, Vec<u8>)| format!("{field}: {}", decoded(value));
        (text != form.text).then(|| Suggestion {
            form: text,
            improvement: "could have better options",
            lines: values.iter().map(line).collect(),
        })
    }
}

fn remarks(rule: &Document, to: &mut Remarks) {
    wish_problems(rule, "wishes", to);
}
