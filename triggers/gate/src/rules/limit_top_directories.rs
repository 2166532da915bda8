//! Refuses submits that add first-level directories to a depot beyond a maximum number. Submits to
//! existing directories are never refused, whatever the number.

use crate::base::patterns::folded_name;
use crate::base::plural::{amount_of, at_most};
use crate::base::text::{decoded, with_separators};
use crate::base::visible::visible_text;
use crate::contract::draft::{CLIENT, Draft, Server, without_maximum};
use crate::contract::form_finding::FormFinding;
use crate::contract::form_rule::{DepotLimits, Findings, FormRule, JudgedEvent, Needs, Texts};
use crate::contract::kind_of_rule::{KindOfRule, Reader, of_forms};
use crate::contract::limit_by_depot::LimitByDepot;
use crate::contract::remarks::{Document, Remarks};
use crate::event::form_event::{FormEvent, FormEventKind};
use crate::event::top_directories::{Top, tops};
use crate::facts::form_facts::FormFacts;
use crate::facts::known_depots::Depot;
use crate::proposals::choice::is_plain;
use crate::proposals::placeholders::DIRECTORY;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};

/// A limit of None is not judged.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// The largest allowed number of first-level directories in a depot.
    max: Option<u32>,
    /// By depot, in place of `max`.
    #[serde(default)]
    depots: BTreeMap<String, u32>,
    /// The number of first-level directories from which on a new one gives a warning.
    warn_from: Option<u32>,
    #[serde(skip)]
    depot_limits: DepotLimits,
}

const OWN_DEPOT: &str = ", or ask the contact below for a depot of its own for a new product, as the \
    Perforce Performance Lab advises (2009)";

pub const KIND: KindOfRule = KindOfRule {
    name: "limit_top_directories",
    summary: "a submit adds more first-level directories than the policy allows",
    events: &["change-submit"],
    read: Reader::OfForms(of_forms::<Settings>),
    remarks,
};

impl FormRule for Settings {
    fn events(&self) -> Vec<JudgedEvent<'_>> {
        vec![(FormEventKind::Submit, None)]
    }

    /// In the order of the submit's files: a finding for each directory beyond the limit, and a
    /// warning for one within it that is number `warn_from` or later in the depot.
    fn find<'e>(&'e self, event: &'e FormEvent<'e>, facts: &'e FormFacts<'e>) -> Findings<'e> {
        let new = new_directories(event, facts).into_iter();
        let max = self.max.map_or(u64::MAX, u64::from);
        let limits = LimitByDepot::new(&self.depots, max, u64::min, facts.case_sensitive);
        Box::new(new.filter_map(move |new| {
            let limit = limits.of(new.depot);
            if new.number > limit {
                let own_depot = if self.has_room_for_a_depot(facts) { OWN_DEPOT } else { "" };
                let mut finding = new.refused(limit, event, facts.unicode);
                finding.problem.push_str(own_depot);
                return Some(finding);
            }
            self.warn_from.filter(|from| new.number >= u64::from(*from)).map(|from| new.noted(from))
        }))
    }

    /// The directories of a depot with a new file are unknown.
    fn undecidable(&self, event: &FormEvent<'_>, facts: &FormFacts<'_>) -> Option<&'static str> {
        let depots: BTreeSet<&[u8]> = tops(event, |_| true).iter().map(|top| top.depot).collect();
        let known = |name: &[u8]| facts.depots.named(name, facts.case_sensitive);
        let has_directories =
            |depot: &Depot| depot.directories.is_some() || depot.confirmed_directories.is_some();
        let lacks = |name| !known(name).is_some_and(has_directories);
        depots.into_iter().any(lacks).then_some("directories-unknown")
    }

    fn needs(&self) -> Needs {
        Needs { files: true, directories: true, ..Needs::default() }
    }

    fn drafts(&self, server: &Server<'_>) -> Vec<Draft> {
        let names = server.depot_names(std::iter::empty());
        let plain = names.into_iter().find(|name| !self.depots.contains_key(name));
        let plain = plain.unwrap_or(CLIENT.to_owned());
        let of_all = self.max.map(|max| draft(&plain, max));
        of_all.into_iter().chain(self.depots.iter().map(|(name, max)| draft(name, *max))).collect()
    }

    fn without_witness(&self) -> String {
        if self.max.is_some() || !self.depots.is_empty() {
            return "a directory above its limits is allowed".to_owned();
        }
        without_maximum(self.warn_from.is_some(), 1000)
    }

    fn heed(&mut self, limits: DepotLimits) {
        self.depot_limits = limits;
    }

    fn texts(&self, _: Option<&[u8]>) -> Texts {
        Texts {
            reason: "",
            fix_heading: "For example, if your client maps that directory:",
            fix_ending: "Then: p4 submit -c CHANGE",
        }
    }
}

impl Settings {
    /// Whether the policy allows one more depot; false if their number is unknown.
    fn has_room_for_a_depot(&self, facts: &FormFacts<'_>) -> bool {
        let depots = facts.depots.all();
        let local = depots.iter().filter(|depot| depot.kind.eq_ignore_ascii_case(b"local"));
        let is_below = |count: usize, limit: Option<u32>| {
            limit.is_none_or(|limit| (count as u64) < u64::from(limit))
        };
        let DepotLimits { of_all, of_local } = self.depot_limits;
        !depots.is_empty() && is_below(depots.len(), of_all) && is_below(local.count(), of_local)
    }
}

/// A submit of one directory more than allowed.
fn draft(depot: &str, max: u32) -> Draft {
    let directories = (0..max).map(|number| format!("top-{number}")).collect();
    let description =
        format!("a submit that adds a first-level directory to //{depot} beside {max}");
    let draft = Draft::of_submit(description, &format!("//{depot}/{CLIENT}/file"));
    draft.on_server_with(&[(depot.to_owned(), "local", directories)])
}

/// A first-level directory that a submit adds to a depot.
struct NewDirectory<'e> {
    depot: &'e [u8],
    directory: &'e [u8],
    known: &'e Depot,
    /// Of first-level directories in the depot, including this one.
    number: u64,
    /// `p4 move` accepts all of its files.
    is_movable: bool,
}

/// Each is counted in its depot after those before.
fn new_directories<'e>(event: &FormEvent<'e>, facts: &'e FormFacts<'e>) -> Vec<NewDirectory<'e>> {
    let key = |top: &Top<'e>| {
        [top.depot, top.directory].map(|name| folded_name(name, facts.case_sensitive).into_owned())
    };
    let branched: BTreeSet<_> = tops(event, |file| !file.is_movable()).iter().map(key).collect();
    let mut directories: BTreeMap<Vec<u8>, (BTreeSet<Vec<u8>>, u64)> = BTreeMap::new();
    let mut new = Vec::new();
    for top in tops(event, |_| true) {
        let Top { depot, directory } = top;
        let Some(known) = facts.depots.named(depot, facts.case_sensitive) else { continue };
        let names = key(&top);
        let is_movable = !branched.contains(&names);
        let [depot_name, name] = names;
        let (present, number) = directories.entry(depot_name).or_insert_with(|| {
            (known.folded_directories(facts.case_sensitive), known.directory_count)
        });
        if present.insert(name) {
            *number += 1;
            new.push(NewDirectory { depot, directory, known, number: *number, is_movable });
        }
    }
    new
}

impl NewDirectory<'_> {
    fn refused<'f>(&self, limit: u64, event: &FormEvent<'_>, unicode: bool) -> FormFinding<'f> {
        let total = amount_of(self.number, "directory", "directories");
        let (depot, most) = (decoded(self.depot), at_most(limit));
        let (remedy, fix) = self.remedy(event, unicode);
        let in_flight = self.in_flight();
        let problem = format!(
            "is not allowed: //{depot} would have {total} directly below it{in_flight}; {most}. {remedy}"
        );
        FormFinding { fix, ..self.finding(problem, limit) }
    }

    fn in_flight(&self) -> String {
        match self.known.in_flight {
            0 => String::new(),
            1 => ", one of them of a submit that may not have ended".to_owned(),
            count => format!(", {count} of them of submits that may not have ended"),
        }
    }

    fn noted<'f>(&self, from: u32) -> FormFinding<'f> {
        let (number, depot) = (with_separators(self.number), decoded(self.depot));
        let problem = format!(
            "is directory number {number} directly below //{depot}, reported from {from} on"
        );
        FormFinding { is_warning: true, ..self.finding(problem, from.into()) }
    }

    fn finding<'f>(&self, problem: String, limit: u64) -> FormFinding<'f> {
        FormFinding::new(self.item(), "The new directory", problem).measured(self.number, limit)
    }

    fn item(&self) -> Vec<u8> {
        [b"//", self.depot, b"/", self.directory, b"/..."].concat()
    }

    /// In words, and as a p4 command where it is safe to copy.
    ///
    /// `p4 move` accepts only files that are opened for add or edit, and a stream's client maps no
    /// other stream (p4 help move, p4 help streamintro).
    fn remedy(&self, event: &FormEvent<'_>, unicode: bool) -> (&'static str, Vec<String>) {
        if self.known.kind == b"stream" {
            return ("Add the files to an existing stream", Vec::new());
        }
        if !self.is_movable {
            let remedy = "Revert the new files, then branch them to an existing directory";
            return (remedy, Vec::new());
        }
        let command = self.move_command(event.change_number(), unicode);
        ("Move the new files to an existing directory", command.into_iter().collect())
    }

    /// None for a directory that is called like a placeholder, because the name would be taken for
    /// one.
    fn move_command(&self, change: &str, unicode: bool) -> Option<String> {
        let item = String::from_utf8(self.item()).ok()?;
        let [depot, directory] = [self.depot, self.directory].map(str::from_utf8);
        let (depot, directory) = (depot.ok()?, directory.ok()?);
        let known = self.known.directories.iter().flatten();
        let known = known.filter_map(|name| str::from_utf8(name).ok());
        let is_shown = |name: &str| visible_text(name.as_bytes(), unicode) == name;
        let mut usable = known.filter(|name| !name.is_empty() && is_plain(name) && is_shown(name));
        let existing = usable.next().unwrap_or(DIRECTORY);
        let is_safe = is_plain(&item) && ![DIRECTORY, "SHORT"].contains(&directory);
        is_safe.then(|| format!("p4 move -c {change} {item} //{depot}/{existing}/{directory}/..."))
    }
}

fn remarks(rule: &Document, to: &mut Remarks) {
    if !["max", "depots", "warn_from"].iter().any(|key| rule.contains_key(*key)) {
        to.problem(&[], "has no number to hold directories to (write max, for example max: 1000)");
    }
}
