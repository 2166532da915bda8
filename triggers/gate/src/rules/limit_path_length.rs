//! Rule `limit_path_length`: refuses paths whose leading part is long.
//!
//! The measure is the bytes before the first wildcard, as the server stores them: UTF-8 on a unicode
//! server, the client's own bytes on another. A path without a wildcard counts whole. A line that p4d
//! could not read is a finding, too.
//!
//! In a client's view the depot side is judged, and the client side only if `max_client_leading` sets
//! a limit (db.have and db.working are keyed by client path). No shorter client path is proposed,
//! because the directories of a package cannot be left out.
//!
//! The proposal depends on whether the user can choose the path. A client, a label and an import map
//! existing files, so the proposal maps a directory above them. A stream's own path and a branch's
//! target are named by the user, so the proposal has a shorter name. The remedy is stated in words as
//! well.
//!
//! Many tools find files by their paths: Unreal names a package by the path of its file. So nothing is
//! proposed that gives a file another place, unless the policy says `remap`, as for Java. Then a file
//! opened for add may be moved, or keep its place on the disk by a view line, except in a stream's
//! client, whose view cannot be edited.
//!
//! Files are judged only when they are added to the depot, so work on existing long paths is not
//! affected.

use crate::base::effort::Effort;
use crate::base::plural::{amount, at_most};
use crate::contract::draft::{CLIENT, Draft, Server, form_to_draft};
use crate::contract::form_finding::FormFinding;
use crate::contract::form_rule::{Findings, FormRule, JudgedEvent, Needs, Texts};
use crate::contract::kind_of_rule::{KindOfRule, Reader, no_remarks, of_forms};
use crate::contract::limit_by_depot::LimitByDepot;
use crate::event::form_event::{FormEvent, FormEventKind, SubmittedFile};
use crate::facts::form_facts::FormFacts;
use crate::forms::leading_paths::{AddedPath, Kind, LeadingPath, of_depot, of_new_file, of_view};
use crate::forms::view_lines::{Side, ViewPath, ViewType};
use crate::proposals::placeholders::{LONGER_WORDS, PlaceholderFinder, objection};
use crate::proposals::shorter::{LengthLimits, shorter_line};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::rc::Rc;

const BYTES_OF_A_STEP: usize = 1_000;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// Bytes before a path's first wildcard.
    pub max_leading: u64,
    #[serde(default = "all_forms")]
    pub forms: Vec<String>,
    /// In place of `max_leading`, by depot.
    #[serde(default)]
    pub depots: BTreeMap<String, u64>,
    /// Whether files that submits add are judged as well.
    #[serde(default = "yes")]
    pub submits: bool,
    /// Of client paths; None to judge none.
    pub max_client_leading: Option<u64>,
    /// Whether files may lie elsewhere in the client than in the depot, as Java's do.
    #[serde(default)]
    pub remap: bool,
}

fn all_forms() -> Vec<String> {
    ["client", "stream", "branch", "label", "depot"].map(str::to_owned).into()
}

fn yes() -> bool {
    true
}

pub const KIND: KindOfRule = KindOfRule {
    name: "limit_path_length",
    summary: "a path's leading part is longer than the policy allows",
    events: &["form-save", "change-submit"],
    read: Reader::OfForms(of_forms::<Settings>),
    remarks: no_remarks,
};

impl FormRule for Settings {
    fn events(&self) -> Vec<JudgedEvent<'_>> {
        let forms = self.forms.iter().map(|form| (FormEventKind::Save, Some(form.as_str())));
        forms.chain(self.submits.then_some((FormEventKind::Submit, None))).collect()
    }

    /// A finding for each path in a form or submit that is too long or cannot be read; in a form, also
    /// for each other depot path with a placeholder that the user did not replace.
    fn find<'e>(&'e self, event: &'e FormEvent<'e>, facts: &'e FormFacts<'e>) -> Findings<'e> {
        let judged = Rc::new(Judged::new(self, event, facts));
        let mut words = PlaceholderFinder::new(LONGER_WORDS, facts.depots, facts.case_sensitive);
        Box::new(added_paths(event).filter_map(move |path| match path {
            AddedPath::Malformed(line) => {
                Some(FormFinding::new(line.text, line.line.to_string(), line.problem))
            }
            AddedPath::Path(path) => judged.clone().finding(path, &mut words),
        }))
    }

    fn needs(&self) -> Needs {
        Needs { files: self.submits, ..Needs::default() }
    }

    fn drafts(&self, server: &Server<'_>) -> Vec<Draft> {
        let depot = server.first_depot();
        let limits =
            LimitByDepot::new(&self.depots, self.max_leading, u64::min, server.case_sensitive);
        let directory = format!("//{depot}/{}/", "d".repeat(in_bytes(limits.of(depot.as_bytes()))));
        let of_form = form_to_draft(&self.forms).map(|form_type| match form_type {
            "depot" => draft_of_depot(self.max_leading),
            _ => {
                let bytes = directory.len();
                let description =
                    format!("a {form_type} with a path of {bytes} bytes before its first wildcard");
                Draft::of_view(description, form_type, &[format!("{directory}...")])
            }
        });
        let file = format!("{directory}file");
        let description = format!("a submit of a file with a path of {} bytes", file.len());
        let of_submit = self.submits.then(|| Draft::of_submit(description, &file));
        of_form.into_iter().chain(of_submit).collect()
    }

    fn without_witness(&self) -> String {
        let max = self.max_leading;
        format!("a path of more than {max} bytes is allowed in all forms and submits")
    }

    fn texts(&self, form_type: Option<&[u8]>) -> Texts {
        let maps_existing_files = matches!(form_type, Some(b"client" | b"label"));
        Texts {
            reason: if maps_existing_files { "" } else { REASON },
            fix_heading: match form_type {
                _ if maps_existing_files => {
                    "For example, to map everything below the nearest allowed directory:"
                }
                Some(b"branch" | b"stream") => "For example:",
                _ => NEW_FILE_HEADING,
            },
            fix_ending: match form_type {
                None => "3. p4 add -c CHANGE FILE\n4. p4 submit -c CHANGE",
                Some(_) => "",
            },
        }
    }
}

const REASON: &str = "The server stores the whole path again for every file, so branching and submitting \
    files with long paths takes longer.";
const NEW_FILE_HEADING: &str = "Or, to keep a file that you opened with p4 add where it is on your \
    disk (not with a stream's client):\n\
    1. p4 revert -k FILE (FILE: its path on your disk)\n\
    2. Add the following at the end of your client's view, as everybody with a client of these \
    files has to; correct the right side if the file is elsewhere in your client:";

/// Who can change what: nobody moves one file out of a tree.
const LONG_FILE: &str = "Leave the file where it is, and ask the contact below to exempt you or \
    to allow longer paths in this depot. The lead of the project can shorten names of its \
    directories, and begin new projects in a shorter one";

struct Judged<'e> {
    remap: bool,
    event: &'e FormEvent<'e>,
    facts: &'e FormFacts<'e>,
    limits: LimitByDepot,
    client_limit: Option<usize>,
    /// Of the view for a proposed line.
    client: &'e [u8],
}

fn added_paths<'e>(event: &'e FormEvent<'e>) -> Box<dyn Iterator<Item = AddedPath<'e>> + 'e> {
    let name = event.name.unwrap_or_default();
    let Some((form, form_type)) = event.readable_form().zip(event.form_type) else {
        let files = event.files.iter().flatten().filter(|file| file.is_new());
        let path =
            |file: &'e SubmittedFile<'e>| AddedPath::Path(of_new_file(file.path, file.action));
        return Box::new(files.map(path));
    };
    match ViewType::named(form_type) {
        Some(view_type) => Box::new(of_view(form, view_type, name)),
        None => Box::new(of_depot(form, name).map(AddedPath::Path)),
    }
}

fn draft_of_depot(max: u64) -> Draft {
    let path = "d".repeat(in_bytes(max));
    let form = format!("Depot:\t{CLIENT}\n\nType:\tlocal\n\nMap:\t{path}/...\n");
    Draft::of_form(format!("a depot with a Map of {max} bytes"), "form-save", "depot", form)
}

impl<'e> Judged<'e> {
    fn new(settings: &Settings, event: &'e FormEvent<'e>, facts: &'e FormFacts<'e>) -> Self {
        let Settings { max_leading, depots, max_client_leading, .. } = settings;
        let is_of_client = event.form_type == Some(b"client");
        let client = if is_of_client { event.name } else { event.client };
        Judged {
            remap: settings.remap,
            event,
            facts,
            limits: LimitByDepot::new(depots, *max_leading, u64::min, facts.case_sensitive),
            client_limit: max_client_leading.map(in_bytes),
            client: client.unwrap_or(b"CLIENT"),
        }
    }

    fn finding(
        self: Rc<Self>,
        path: LeadingPath<'e>,
        words: &mut PlaceholderFinder<'_>,
    ) -> Option<FormFinding<'e>> {
        let length = path.length_bytes();
        let is_of_client = matches!(path.kind, Kind::Client(_));
        let limit =
            if is_of_client { self.client_limit? } else { in_bytes(self.limits.of(path.depot())) };
        if length <= limit {
            let is_judged = self.event.form.is_some() && !is_of_client;
            let word = words.first(&path.path).filter(|_| is_judged)?;
            return Some(finding(&path, objection(word)));
        }
        let allowed = format!("{length} bytes{}; {}", path.measured_part(), at_most(limit as u64));
        let is = match path.kind {
            Kind::Root(_) | Kind::Map(..) => "is".to_owned(),
            _ => format!("has a {}path that is", path.kind_word()),
        };
        let problem = format!("{is} too long: {allowed}. {}", self.remedy(&path, limit));
        let finding = finding(&path, problem).measured(length as u64, limit as u64);
        let is_new_file = matches!(path.kind, Kind::NewFile(_));
        if is_of_client || is_new_file && !self.remap || self.is_for_a_stream(&path) {
            return Some(finding);
        }
        let advice = move |finding: &mut FormFinding<'e>, effort: &mut Effort| {
            effort.spend(1 + (path.path.len() / BYTES_OF_A_STEP) as u64)?;
            self.advise(&path, finding);
            Ok(())
        };
        Some(FormFinding { advice: Some(Box::new(advice)), ..finding })
    }

    /// Whether the path is of a new file in a stream depot, where clients have no own view.
    fn is_for_a_stream(&self, path: &LeadingPath<'_>) -> bool {
        let depot = self.facts.depots.named(path.depot(), self.facts.case_sensitive);
        matches!(path.kind, Kind::NewFile(_)) && depot.is_some_and(|depot| depot.kind == b"stream")
    }

    /// In words, without its full stop.
    fn remedy(&self, path: &LeadingPath<'_>, limit: usize) -> String {
        let remedy = match &path.kind {
            Kind::Client(_) => "Shorten the right side of the line",
            Kind::Root(_) => {
                let name = amount(limit.saturating_sub(b"///".len()), "byte");
                return format!("Choose a name of at most {name}");
            }
            Kind::Map(..) => "Choose a shorter path for Map",
            kind if root_bytes(path) > limit => {
                let place = if matches!(kind, Kind::OwnPaths(..)) { "stream" } else { "depot" };
                return format!("Every path in this {place} is too long; ask for a higher limit");
            }
            Kind::Depot(line) => of_view_line(line),
            Kind::NewFile(_) if !self.remap => LONG_FILE,
            Kind::NewFile(action) if SubmittedFile { path: b"", action }.is_movable() => {
                let change = self.event.change_number();
                return format!(
                    "Move it to a shorter depot path: p4 move -c {change} FILE NEWFILE"
                );
            }
            Kind::NewFile(_) => "Revert it, then branch or import it to a shorter depot path",
            Kind::OwnPaths(..) => "Choose a shorter path",
        };
        remedy.to_owned()
    }

    fn advise(&self, path: &LeadingPath<'_>, finding: &mut FormFinding<'_>) {
        let limits = LengthLimits {
            of_depot: &|depot| in_bytes(self.limits.of(depot)),
            of_client: self.client_limit,
            unicode: self.facts.unicode,
        };
        let shorter = shorter_line(path, self.client, &limits);
        if let Some(shorter) = shorter.filter(|line| self.remap || line.keeps_place) {
            finding.problem_with_fix = Some(format!("{}{}", finding.problem, shorter.remark));
            finding.short_bytes = shorter.short_bytes;
            finding.line = path.line();
            finding.fix = vec![shorter.line];
        }
    }
}

fn finding<'e>(path: &LeadingPath<'e>, problem: String) -> FormFinding<'e> {
    FormFinding::new(&*path.item, path.place(), problem)
}

/// Of the part that nobody can shorten: a stream's or a depot's name, with the slashes.
fn root_bytes(path: &LeadingPath<'_>) -> usize {
    match &path.kind {
        Kind::OwnPaths(_, subpath, _) => path.path.len().saturating_sub(subpath.len()),
        _ => path.depot().len() + b"///".len(),
    }
}

fn of_view_line(line: &ViewPath<'_>) -> &'static str {
    match line.line.field {
        _ if line.side == Some(Side::Right) => "Choose a shorter path",
        "Components" => "Choose a stream with a shorter name",
        "Paths" => "Import a directory above it",
        _ => "Map a directory above it",
    }
}

fn in_bytes(limit: u64) -> usize {
    usize::try_from(limit).unwrap_or(usize::MAX)
}
