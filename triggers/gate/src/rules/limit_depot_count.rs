//! Refuses new depots beyond a maximum number; saving an existing depot is never refused.
//!
//! The depots are counted by the server itself; a refusal by facts that may be some hours old says
//! so.

use crate::base::plural::{amount_of, at_most};
use crate::base::text::with_separators;
use crate::contract::draft::{CLIENT, Draft, Server, without_maximum};
use crate::contract::form_finding::FormFinding;
use crate::contract::form_rule::{DepotLimits, Findings, FormRule, JudgedEvent, Needs, Texts};
use crate::contract::kind_of_rule::{KindOfRule, Reader, of_forms};
use crate::contract::remarks::{Document, Remarks};
use crate::event::form_event::{FormEvent, FormEventKind};
use crate::facts::form_facts::FormFacts;
use crate::facts::known_depots::Depot;
use crate::forms::depot_form::type_of;
use serde::Deserialize;
use std::collections::BTreeMap;

/// A limit of None is not judged.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// The largest allowed number of depots, of all types.
    max: Option<u32>,
    /// By type (`local`, `stream`, ...).
    #[serde(default)]
    max_by_type: BTreeMap<String, u32>,
    /// The number of depots from which on a new depot gives a warning.
    warn_from: Option<u32>,
}

pub const KIND: KindOfRule = KindOfRule {
    name: "limit_depot_count",
    summary: "the server has more depots than the policy allows",
    events: &["form-save"],
    read: Reader::OfForms(of_forms::<Settings>),
    remarks,
};

impl FormRule for Settings {
    fn events(&self) -> Vec<JudgedEvent<'_>> {
        vec![(FormEventKind::Save, Some("depot"))]
    }

    /// One finding for each limit that a new depot would exceed, and a warning from `warn_from` on.
    fn find<'e>(&'e self, event: &'e FormEvent<'e>, facts: &'e FormFacts<'e>) -> Findings<'e> {
        let name = event.name.unwrap_or_default();
        if facts.depots.named(name, facts.case_sensitive).is_some() {
            return Box::new(std::iter::empty());
        }
        let total = facts.depots.all().len() as u64 + 1;
        let new = NewDepot { name, depots_as_of: &facts.depots_as_of };
        let of_all = self.max.filter(|max| total > u64::from(*max));
        let of_all = of_all.map(|max| new.finding("depot", total, max));
        let warning = self.warn_from.filter(|from| total >= u64::from(*from));
        let warning = warning.map(|from| new.warning(total, from));
        Box::new(of_all.into_iter().chain(self.of_type(&new, event, facts)).chain(warning))
    }

    /// A real server has at least one depot, so none are known.
    fn undecidable(&self, _: &FormEvent<'_>, facts: &FormFacts<'_>) -> Option<&'static str> {
        facts.depots.all().is_empty().then_some("depots-unknown")
    }

    fn needs(&self) -> Needs {
        Needs { depots: true, ..Needs::default() }
    }

    fn drafts(&self, _: &Server<'_>) -> Vec<Draft> {
        let of_all = self.max.map(|max| draft(max, "local"));
        let by_type = self.max_by_type.iter().map(|(kind, max)| draft(*max, kind));
        of_all.into_iter().chain(by_type).collect()
    }

    fn without_witness(&self) -> String {
        if self.max.is_some() || !self.max_by_type.is_empty() {
            return "a depot above its limits is allowed".to_owned();
        }
        without_maximum(self.warn_from.is_some(), 500)
    }

    fn depot_limits(&self) -> DepotLimits {
        let local = self.max_by_type.iter().filter(|(kind, _)| kind.eq_ignore_ascii_case("local"));
        DepotLimits { of_all: self.max, of_local: local.map(|(_, max)| *max).min() }
    }

    fn texts(&self, _: Option<&[u8]>) -> Texts {
        Texts {
            reason: "Make a directory in an existing depot instead, or a stream in an existing \
                     stream depot. The server works through the list of all depots even for a \
                     command that names only one.",
            ..Texts::default()
        }
    }
}

impl Settings {
    fn of_type<'e>(
        &self,
        new: &NewDepot<'_>,
        event: &FormEvent<'_>,
        facts: &FormFacts<'_>,
    ) -> Option<FormFinding<'e>> {
        let kind = type_of(event.readable_form());
        let kind = str::from_utf8(&kind).ok()?;
        let max = self.max_by_type.get(kind)?;
        let is_of_type = |depot: &&Depot| depot.kind.eq_ignore_ascii_case(kind.as_bytes());
        let number = 1 + facts.depots.all().iter().filter(is_of_type).count() as u64;
        (number > u64::from(*max)).then(|| new.finding(&format!("{kind} depot"), number, *max))
    }
}

/// A new depot beside as many as allowed.
fn draft(max: u32, kind: &str) -> Draft {
    let depots: Vec<_> = match max {
        0 => vec![(format!("{CLIENT}-other"), "other", Vec::new())],
        _ => (0..max).map(|number| (format!("depot-{number}"), kind, Vec::new())).collect(),
    };
    let form = format!("Depot:\t{CLIENT}\n\nType:\t{kind}\n\nMap:\t{CLIENT}/...\n");
    let description = format!("a new {kind} depot beside {max}");
    Draft::of_form(description, "form-save", "depot", form).on_server_with(&depots)
}

struct NewDepot<'e> {
    name: &'e [u8],
    depots_as_of: &'e str,
}

impl NewDepot<'_> {
    fn finding<'e>(&self, kind: &str, number: u64, limit: u32) -> FormFinding<'e> {
        let existing = amount_of(number - 1, kind, &format!("{kind}s"));
        let (as_of, most) = (self.as_of(), at_most(limit.into()));
        let problem = if limit == 0 {
            format!("cannot be created: no {kind} is allowed on this server")
        } else {
            format!("cannot be created: this server already has {existing}{as_of}, and {most}")
        };
        self.with(problem, number, limit)
    }

    fn warning<'e>(&self, number: u64, from: u32) -> FormFinding<'e> {
        let (number_text, as_of) = (with_separators(number), self.as_of());
        let problem =
            format!("is depot number {number_text} of this server{as_of}, reported from {from} on");
        FormFinding { is_warning: true, ..self.with(problem, number, from) }
    }

    fn with<'e>(&self, problem: String, number: u64, limit: u32) -> FormFinding<'e> {
        FormFinding::new(self.name, "The depot", problem).measured(number, limit.into())
    }

    fn as_of(&self) -> String {
        match self.depots_as_of {
            "" => String::new(),
            origin => format!(" (as of {origin})"),
        }
    }
}

fn remarks(rule: &Document, to: &mut Remarks) {
    if !["max", "max_by_type", "warn_from"].iter().any(|key| rule.contains_key(*key)) {
        to.problem(&[], "sets no limit on depots (write max, for example max: 500)");
    }
}
