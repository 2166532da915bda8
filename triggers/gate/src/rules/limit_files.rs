//! Refuses submits, and shelves if a site wants it, of more files than a maximum. p4d itself has no
//! such limit for submits; while a submit is checked and committed, its files are locked.
//!
//! The server is asked for one file more than the maximum, never for all.

use crate::base::plural::{amount_of, at_most};
use crate::base::text::with_separators;
use crate::contract::draft::{CLIENT, Draft, Server};
use crate::contract::form_finding::FormFinding;
use crate::contract::form_rule::{Findings, FormRule, JudgedEvent, Needs, Texts};
use crate::contract::kind_of_rule::{KindOfRule, Reader, no_remarks, of_forms};
use crate::event::form_event::{FormEvent, FormEventKind};
use crate::facts::form_facts::FormFacts;
use serde::Deserialize;

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    max: u32,
    /// Also judges shelves; an edge server judges those made there.
    #[serde(default)]
    shelves: bool,
}

pub const KIND: KindOfRule = KindOfRule {
    name: "limit_files",
    summary: "a changelist has more files than the policy allows",
    events: &["change-submit", "shelve-submit"],
    read: Reader::OfForms(of_forms::<Settings>),
    remarks: no_remarks,
};

impl FormRule for Settings {
    fn events(&self) -> Vec<JudgedEvent<'_>> {
        let shelves = self.shelves.then_some((FormEventKind::Shelve, None));
        [(FormEventKind::Submit, None)].into_iter().chain(shelves).collect()
    }

    fn find<'e>(&'e self, event: &'e FormEvent<'e>, _: &'e FormFacts<'e>) -> Findings<'e> {
        let count = event.file_count.filter(|count| *count > u64::from(self.max));
        Box::new(count.map(|count| self.finding(count, event)).into_iter())
    }

    fn needs(&self) -> Needs {
        Needs { file_count: u64::from(self.max) + 1, ..Needs::default() }
    }

    fn drafts(&self, server: &Server<'_>) -> Vec<Draft> {
        let count = u64::from(self.max) + 1;
        let description = format!("a submit of {}", amount_of(count, "file", "files"));
        let draft =
            Draft::of_submit(description, &format!("//{}/{CLIENT}/file", server.first_depot()));
        vec![draft.with("file_count", count)]
    }

    fn without_witness(&self) -> String {
        "a submit above its maximum is allowed".to_owned()
    }

    fn texts(&self, _: Option<&[u8]>) -> Texts {
        Texts {
            reason: "The files that you delete from the list in step 1 stay opened in your default changelist.",
            fix_heading: "In parts:",
            fix_ending: "",
        }
    }
}

impl Settings {
    fn finding<'f>(&self, count: u64, event: &FormEvent<'_>) -> FormFinding<'f> {
        let (max, change) = (u64::from(self.max), event.change_number());
        let [place, again, others] = match event.kind {
            FormEventKind::Shelve => {
                ["The shelf", &format!("p4 shelve -f -c {change}"), "p4 shelve"]
            }
            _ => ["The submit", &format!("p4 submit -c {change}"), "p4 submit"],
        };
        let problem =
            format!("has more than {}; {}", amount_of(max, "file", "files"), at_most(max));
        let most = with_separators(max);
        let fix = vec![
            format!("1. p4 change {change} (keep at most {most} of the lines below Files:)"),
            format!("2. {again}"),
            format!("3. {others} (the other files, again in parts)"),
        ];
        FormFinding { fix, ..FormFinding::new(b"", place, problem).measured(count, max) }
    }
}
