//! Rule `suggest_client_view`: proposes a narrow view to new clients, in place of the whole depots
//! that p4d proposes.
//!
//! Only the form of a new client is changed, and only lines that map more than the demanded depth
//! allows; a narrow view from a template stays unchanged. Applying the rule twice has the same result
//! as once.

use crate::base::text::decoded;
use crate::contract::draft::{self, Draft, Server};
use crate::contract::form_finding::Suggestion;
use crate::contract::form_rule::{FormRule, JudgedEvent};
use crate::contract::kind_of_rule::{KindOfRule, Reader, of_forms};
use crate::contract::limit_by_depot::LimitByDepot;
use crate::contract::remarks::{Document, Remarks, mappings, texts};
use crate::event::form_event::{FormEvent, FormEventKind};
use crate::facts::form_facts::FormFacts;
use crate::forms::new_client::is_new;
use crate::paths::depot_path::span;
use crate::paths::view_words::{Flag, split_flag, words};
use crate::proposals::new_view::{ProposedView, new_view};
use crate::proposals::placeholders::CLIENT;
use serde::Deserialize;
use std::borrow::Cow;
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

pub const KIND: KindOfRule = KindOfRule {
    name: "suggest_client_view",
    summary: "a new client's form could have a narrower view",
    events: &["form-out"],
    read: Reader::OfForms(of_forms::<Settings>),
    remarks,
};

impl FormRule for Settings {
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
    let client = draft::CLIENT;
    let form = format!("Client:\t{client}\n\nView:\n\t//{depot}/... //{client}/{depot}/...\n");
    let description = format!("a new client that maps //{depot}/...");
    Draft::of_form(description, "form-out", "client", form)
}

fn remarks(rule: &Document, to: &mut Remarks) {
    for (index, entry) in mappings(rule, "views") {
        for (number, line) in texts(entry, "view") {
            let place = ["views".into(), index.into(), "view".into(), number.into()];
            let words: Vec<&[u8]> = words(line.as_bytes()).collect();
            if let Some(problem) = problem(&words) {
                to.problem(&place, problem);
            } else if let Some(doubt) = one_file(&words) {
                to.doubt(&place, doubt);
            }
        }
    }
}

/// Why a line cannot be proposed.
fn problem(words: &[&[u8]]) -> Option<String> {
    let [left, right] = words else { return Some(not_two(words)) };
    if !right.starts_with(CLIENT.as_bytes()) {
        return Some(format!(
            "{} does not start with {CLIENT} (CLIENT is replaced by the client's name)",
            decoded(right)
        ));
    }
    let (flag, path) = split_flag(left);
    match span(path) {
        Err(problem) => Some(format!("{} {}", decoded(left), problem.problem(path, true))),
        Ok(span) if flag != Flag::Exclude && !span.is_exact && span.depth == 0 => {
            Some(format!("{} proposes a whole depot (add a directory)", decoded(left)))
        }
        Ok(_) => None,
    }
}

fn not_two(words: &[&[u8]]) -> String {
    let path = if let [path] = words { decoded(path) } else { Cow::Borrowed("") };
    let path = path.trim_end_matches('/').strip_prefix("//").and_then(|path| path.split_once('/'));
    let rest =
        |rest: &str| rest.strip_suffix("...").unwrap_or(rest).trim_end_matches('/').to_owned();
    match path.map(|(depot, below)| (depot, rest(below))) {
        Some((depot, rest)) if !depot.is_empty() && !rest.is_empty() => {
            format!("the client path is missing (write //{depot}/{rest}/... {CLIENT}{rest}/...)")
        }
        _ => format!("is not a depot path and a client path (//depot/dir/... {CLIENT}dir/...)"),
    }
}

fn one_file(words: &[&[u8]]) -> Option<String> {
    let [left, right] = words else { return None };
    let (flag, path) = split_flag(left);
    if flag == Flag::Exclude || !span(path).is_ok_and(|span| span.is_exact) {
        return None;
    }
    let (left, right) = (decoded(left), decoded(right));
    let problem = if left.ends_with('/') { "ends in / and maps no file" } else { "maps one file" };
    let (depot, client) = (left.trim_end_matches('/'), right.trim_end_matches('/'));
    Some(format!("{left} {problem} (for a directory write {depot}/... {client}/...)"))
}
