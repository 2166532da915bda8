//! Rule `limit_view_scope`: refuses views that make the server scan a whole depot.
//!
//! The measure is lexical: the complete literal directories below the depot before the first wildcard,
//! for each include line. Exclusions do not narrow the scan and overlays do not widen it, so
//! neither changes the count. A line that p4d could not read is a finding, too, and one that still
//! contains a placeholder of a proposal: it maps nothing, and p4d accepts it silently.
//!
//! Two more ways to map a depot are judged if the policy limits them: by naming most of its top
//! directories one by one (the share), and by a view so long or with so many `...` within its paths
//! that reading it costs the server as much. So `max_embedded` bounds both the include lines with
//! `...` before their end and how often all lines cross, exclusions included (`forms/crossings.rs`).
//!
//! `max_files` limits the files that a view spans: those in the ranges that p4d scans for its include
//! lines, each counted once, by the index of a checkpoint.

mod drafts;
mod settings;
mod view;
mod whole_view;

pub use settings::Settings;

use crate::base::effort::{Effort, EffortSpent};
use crate::base::visible::cut_to;
use crate::contract::draft::{Draft, Server};
use crate::contract::form_finding::FormFinding;
use crate::contract::form_rule::{Findings, FormRule, JudgedEvent, Needs, Texts};
use crate::contract::kind_of_rule::{KindOfRule, Reader, no_remarks, of_forms};
use crate::contract::wide_path::{directories, every_depot, too_wide};
use crate::event::form_event::{FormEvent, FormEventKind};
use crate::facts::form_facts::{FormFacts, InheritedPaths, WideLine};
use crate::forms::form::Form;
use crate::forms::view_lines::{
    DEFAULT_VIEW_LINE, ViewLine, ViewPath, ViewType, adds_to_inherited, include_count,
    is_of_stream, view_lines,
};
use crate::paths::depot_path::{UnmeasurablePath, span};
use crate::proposals::candidates::Proposal;
use crate::proposals::choice::where_to_look;
use crate::proposals::other_lines::Decided;
use crate::proposals::placeholders::{PlaceholderFinder, WIDER_WORDS, objection};
use std::iter::{empty, once_with};
use std::rc::Rc;
use view::View;
use whole_view::{of_view, too_many_lines};

/// In bytes; a long name must not push the remedy out of sight.
const MAX_EXTENT_BYTES: usize = 160;

pub const KIND: KindOfRule = KindOfRule {
    name: "limit_view_scope",
    summary: "a view maps more of a depot than the policy allows",
    events: &["form-save"],
    read: Reader::OfForms(of_forms::<Settings>),
    remarks: no_remarks,
};

impl FormRule for Settings {
    fn events(&self) -> Vec<JudgedEvent<'_>> {
        self.forms.iter().map(|form| (FormEventKind::Save, Some(form.as_str()))).collect()
    }

    /// In this order: too many lines, findings about single lines, findings about the view as a
    /// whole. Lines are counted before any is parsed.
    fn find<'e>(&'e self, event: &'e FormEvent<'e>, facts: &'e FormFacts<'e>) -> Findings<'e> {
        let Some((form, view_type)) = judged(event) else { return Box::new(empty()) };
        let too_many = too_many_lines(self.max_lines, include_count(form, view_type), view_type);
        let rest = once_with(move || {
            let view = Rc::new(View::new(self, event, facts, form, view_type));
            let (of_lines, of_view) = (view.clone(), view.clone());
            let mut words = PlaceholderFinder::new(WIDER_WORDS, facts.depots, facts.case_sensitive);
            let lines = (0..view.lines.len())
                .filter_map(move |number| line_finding(&of_lines, number, &mut words));
            lines.chain(once_with(move || view_findings(&of_view)).flatten())
        });
        Box::new(too_many.into_iter().chain(rest.flatten()))
    }

    /// The view's files are not counted, or a stream adds to paths from other streams that are not
    /// known.
    fn partly_undecided(
        &self,
        event: &FormEvent<'_>,
        facts: &FormFacts<'_>,
    ) -> Option<&'static str> {
        let (form, view_type) = judged(event)?;
        let has_no_index = self.max_files.is_some() && facts.inherited.is_none();
        let why = Some(if has_no_index { "no-index" } else { "view-unknown" });
        if view_type == ViewType::Stream && self.counts_inherited() {
            let is_unknown = match &facts.inherited {
                None => adds_to_inherited(form),
                Some(inherited) => self.may_exceed(event, facts, form, inherited),
            };
            if is_unknown {
                return why;
            }
        }
        let limit = self.max_files?;
        if let Some(spanned) = &facts.spanned_files {
            return (spanned.files.at_most > limit).then_some("near-limit");
        }
        // A stream's client has the view of the stream, whose own form is judged.
        let is_include = |line: &ViewLine<'_>| matches!(line, ViewLine::Path(_));
        let maps_files = view_type == ViewType::Client && is_of_stream(form)
            || view_lines(form, view_type).iter().any(is_include);
        why.filter(|_| maps_files)
    }

    fn needs(&self) -> Needs {
        Needs { client: true, ..Needs::default() }
    }

    fn max_files(&self) -> Option<u64> {
        self.max_files
    }

    fn counts_inherited(&self) -> bool {
        self.max_files.is_some() || self.max_share.is_some()
    }

    fn drafts(&self, server: &Server<'_>) -> Vec<Draft> {
        drafts::drafts(self, server)
    }

    fn without_witness(&self) -> String {
        drafts::without_witness(self)
    }

    fn texts(&self, form_type: Option<&[u8]>) -> Texts {
        let fix_heading = match form_type {
            Some(b"client") => "Name only the directories you work on, for example:",
            _ => "Name only the directories it needs, for example:",
        };
        Texts { fix_heading, ..Texts::default() }
    }
}

impl Settings {
    fn may_exceed<'e>(
        &'e self,
        event: &'e FormEvent<'e>,
        facts: &'e FormFacts<'e>,
        form: &'e Form<'e>,
        inherited: &'e InheritedPaths,
    ) -> bool {
        let most = self.max_files.zip(inherited.possible_files);
        let has_too_large_share = || {
            let view = View::new(self, event, facts, form, ViewType::Stream);
            !view.shares_too_large_with(&inherited.possible).is_empty()
        };
        !inherited.is_complete
            || most.is_some_and(|(limit, files)| files > limit)
            || !inherited.possible.is_empty() && has_too_large_share()
    }
}

fn judged<'e>(event: &'e FormEvent<'e>) -> Option<(&'e Form<'e>, ViewType)> {
    event.readable_form().zip(event.form_type.and_then(ViewType::named))
}

fn line_finding<'e>(
    view: &Rc<View<'e>>,
    number: usize,
    words: &mut PlaceholderFinder<'_>,
) -> Option<FormFinding<'e>> {
    let line = match view.lines.get(number)? {
        ViewLine::Path(line) => line,
        ViewLine::Malformed(line) => {
            return Some(FormFinding::new(line.text, line.line.to_string(), &*line.problem));
        }
    };
    let finding = |problem: String| FormFinding::new(line.text, line.place(), problem);
    let unicode = view.facts.unicode;
    if line.line.number == DEFAULT_VIEW_LINE {
        return default_view(view, number);
    }
    let span = match span(&line.path) {
        Ok(span) => span,
        Err(problem @ UnmeasurablePath::EveryDepot) => {
            let need = view.settings.min_depth.max(1);
            let mut extent = problem.problem(&line.path, unicode);
            cut_to(&mut extent, MAX_EXTENT_BYTES);
            let finding = finding(every_depot(&extent, need)).measured(0, need);
            return Some(with_narrower_lines(finding, view, number));
        }
        Err(problem) => return Some(finding(problem.problem(&line.path, unicode))),
    };
    if let Some(word) = words.first(&line.path) {
        return Some(with_names(finding(objection(word)), view, line, number));
    }
    // A component is a whole stream by nature, and the form of that stream is judged itself.
    let is_stream = line.line.field == "Components" && span.depth > 0;
    if is_stream || view.is_narrow(&span) {
        return None;
    }
    let need = view.depths.of(span.depot);
    let problem = too_wide("maps", &span, &line.path, need, unicode);
    Some(with_narrower_lines(finding(problem).measured(span.depth, need), view, number))
}

/// The view that p4d may give to a form without one maps all depots.
fn default_view<'e>(view: &Rc<View<'e>>, number: usize) -> Option<FormFinding<'e>> {
    let need = view.depths.strictest();
    let problem = format!(
        "includes no files, and the server's default view maps all depots. Add View lines; each \
         names one depot (p4 depots lists them) and at least {} below",
        directories(need, "")
    );
    let finding = of_view(problem, 0, need, "default view");
    let is_of_client = view.view_type == ViewType::Client;
    let advised = |finding| match is_of_client {
        true => with_narrower_lines(finding, view, number),
        false => finding,
    };
    (need > 0).then(|| advised(finding))
}

fn view_findings<'e>(view: &Rc<View<'e>>) -> Vec<FormFinding<'e>> {
    let mut findings = Vec::new();
    for share in view.shares_too_large_with(&[]) {
        let (most, depot) = (share.max_own_directories(), share.depot);
        let finding = share.finding();
        let path = finding.item.clone();
        findings.push(to_advise(finding, view, path, move |view, effort| {
            view.lines_in_use(depot, most, effort)
        }));
    }
    findings.extend(whole_view::too_many_crossings(view));
    findings.extend(too_many_files(view));
    findings
}

fn too_many_files<'e>(view: &Rc<View<'e>>) -> Vec<FormFinding<'e>> {
    let (Some(limit), Some(spanned)) = (view.settings.max_files, &view.facts.spanned_files) else {
        return Vec::new();
    };
    let paths: Vec<&ViewPath<'e>> = view.paths().collect();
    let inherits = !view.inherited().is_empty();
    let findings = whole_view::too_many_files(limit, &paths, spanned, inherits);
    findings.into_iter().map(|(finding, wide)| with_parts(finding, view, wide)).collect()
}

/// With the directories that the index proposes within a wide line.
fn with_parts<'e>(
    finding: FormFinding<'e>,
    view: &Rc<View<'e>>,
    wide: Option<&'e WideLine>,
) -> FormFinding<'e> {
    let Some(wide) = wide else { return finding };
    let path = view.paths().nth(wide.line).map(|line| line.path.to_vec());
    to_advise(finding, view, path.unwrap_or_default(), |view, effort| {
        view.propose(view.paths().nth(wide.line), effort, |proposer, line, effort| {
            let names = wide.narrower_directories.iter().map(|(name, _)| name.as_slice());
            proposer.for_directories(line, names, effort)
        })
    })
}

/// With the lines to write instead of a wide one.
fn with_narrower_lines<'e>(
    finding: FormFinding<'e>,
    view: &Rc<View<'e>>,
    number: usize,
) -> FormFinding<'e> {
    let path = view.path(number).map(|line| line.path.to_vec());
    to_advise(finding, view, path.unwrap_or_default(), move |view, effort| {
        view.propose(view.path(number), effort, |proposer, line, effort| {
            proposer.propose(line, effort)
        })
    })
}

/// With real names in place of the placeholder that was left, or where to look for them.
fn with_names<'e>(
    finding: FormFinding<'e>,
    view: &Rc<View<'e>>,
    line: &ViewPath<'_>,
    number: usize,
) -> FormFinding<'e> {
    let hint = where_to_look(&line.path, view.facts.unicode);
    let problem = format!("{}{hint}", finding.problem);
    let path = line.path.to_vec();
    let problem_with_fix = Some(finding.problem.clone());
    let finding = FormFinding { problem, problem_with_fix, ..finding };
    to_advise(finding, view, path, move |view, effort| {
        view.propose(view.path(number), effort, |proposer, line, effort| {
            proposer.propose_names(line, effort)
        })
    })
}

/// The end of a problem, for a line about whose directories other lines decide.
fn remedy(decided_by: Decided) -> &'static str {
    match decided_by {
        Decided::Mapped => "; other lines of the view map all of it already, so remove this line",
        Decided::Excluded => {
            "; later lines of the view exclude all of it, so remove them as well, and map the \
             directories you work on"
        }
        Decided::Both => {
            "; other lines of the view map or exclude all of it already, so remove this line"
        }
    }
}

/// The finding about a depot path, which computes its lines only when they are shown.
fn to_advise<'e>(
    finding: FormFinding<'e>,
    view: &Rc<View<'e>>,
    path: Vec<u8>,
    propose: impl FnOnce(&View<'e>, &mut Effort) -> Result<Proposal, EffortSpent> + 'e,
) -> FormFinding<'e> {
    let view = view.clone();
    let advice = move |finding: &mut FormFinding<'e>, effort: &mut Effort| {
        if !view.may_propose() {
            return Ok(());
        }
        finding.stream_clients = view.stream_clients(&path, effort);
        let proposal = propose(&view, effort)?;
        finding.problem.push_str(proposal.decided_by.map_or("", remedy));
        let Proposal { line, lines, further, .. } = proposal;
        (finding.line, finding.fix, finding.further) = (line, lines, further);
        Ok(())
    };
    FormFinding { advice: Some(Box::new(advice)), ..finding }
}
