//! Rule `suggest_client_view`: proposes a narrow view to new clients, in place of the whole depots
//! that p4d proposes.
//!
//! Only the form of a new client is changed, and only lines that map more than the demanded depth
//! allows; a narrow view from a template stays unchanged. Applying the rule twice has the same result
//! as once.

use crate::base::text::decoded;
use crate::event::form_event::{FormEvent, FormEventKind};
use crate::facts::form_facts::FormFacts;
use crate::forms::new_client::is_new;
use crate::proposals::new_view::{ProposedView, new_view};
use crate::rules::draft::{CLIENT, Draft, Server};
use crate::rules::form_finding::Suggestion;
use crate::rules::form_rule::{FormRule, JudgedEvent};
use crate::rules::limit_by_depot::LimitByDepot;
use serde::Deserialize;
use std::collections::BTreeMap;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// The first that is for the user is proposed.
    #[serde(default)]
    pub views: Vec<ProposedView>,
    /// For all other users: complete directories below the depot that a line must name.
    #[serde(default = "one")]
    pub min_depth: u64,
    /// In place of `min_depth`, by depot.
    #[serde(default)]
    pub depots: BTreeMap<String, u64>,
}

fn one() -> u64 {
    1
}

impl FormRule for Settings {
    fn summary(&self) -> &'static str {
        "a new client's form could have a narrower view"
    }

    fn events(&self) -> Vec<JudgedEvent<'_>> {
        vec![(FormEventKind::Out, Some("client"))]
    }

    fn drafts(&self, server: &Server<'_>) -> Vec<Draft> {
        let Settings { min_depth, depots, .. } = self;
        let depths = LimitByDepot::new(depots, *min_depth, u64::max, server.case_sensitive);
        let names = server.depot_names(depots.keys().map(String::as_str)).into_iter();
        let limited = names.filter(|name| depths.of(name.as_bytes()) > 0).take(2);
        limited.map(|depot| draft(&depot)).collect()
    }

    fn without_witness(&self) -> String {
        "a new client that maps a whole depot is shown unchanged".to_owned()
    }

    fn suggest(&self, event: &FormEvent<'_>, facts: &FormFacts<'_>) -> Option<Suggestion> {
        let form = event.readable_form().filter(|form| is_new(form))?;
        let Settings { views, min_depth, depots } = self;
        let depths = LimitByDepot::new(depots, *min_depth, u64::max, facts.case_sensitive);
        let view = new_view(form, event, facts, views, &|depot| depths.of(depot))?;
        let lines = view.lines.iter().map(|line| decoded(line).into_owned()).collect();
        let improvement = "could have a narrower view";
        Some(Suggestion { form: view.form, improvement, lines })
    }
}

fn draft(depot: &str) -> Draft {
    let form = format!("Client:\t{CLIENT}\n\nView:\n\t//{depot}/... //{CLIENT}/{depot}/...\n");
    let description = format!("a new client that maps //{depot}/...");
    Draft::of_form(description, "form-out", "client", form)
}
