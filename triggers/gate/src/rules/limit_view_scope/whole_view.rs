//! The findings about a view as a whole: its lines, the rows of p4d's map, the files it spans.

use super::view::View;
use crate::base::patterns::folded_name;
use crate::base::plural::{about, amount, at_most, spelled};
use crate::base::text::with_separators;
use crate::base::visible::visible_excerpt;
use crate::contract::form_finding::FormFinding;
use crate::facts::form_facts::{SpannedFiles, WideLine};
use crate::forms::crossings::{Line, crossings};
use crate::forms::view_lines::{ViewPath, ViewType, map_lines};

/// Words before and after the number of include lines, and the remedy.
fn words_about_lines(view_type: ViewType) -> (&'static str, &'static str, &'static str) {
    let lines = "lines (lines that start with - do not count)";
    match view_type {
        ViewType::Client => (
            "maps files with",
            lines,
            "Remove lines you do not need, or split the work between two clients",
        ),
        ViewType::Branch => (
            "has",
            "depot paths (two in each line; lines that start with - do not count)",
            "Remove lines you do not need, or split the view between two branches",
        ),
        ViewType::Label => (
            "maps files with",
            lines,
            "Remove lines you do not need, or split the view between two labels",
        ),
        ViewType::Stream => (
            "has",
            "lines in Paths, Components, Remapped and Ignored",
            "Remove lines that are not needed, or split the stream in two",
        ),
    }
}

pub fn too_many_lines<'e>(
    limit: Option<u64>,
    count: usize,
    view_type: ViewType,
) -> Option<FormFinding<'e>> {
    let (limit, count) = (limit?, count as u64);
    let (verb, lines, remedy) = words_about_lines(view_type);
    let (number, most) = (with_separators(count), at_most(limit));
    (count > limit).then(|| FormFinding {
        is_decisive: true,
        ..of_view(
            format!("{verb} {number} {lines}; {most}. {remedy}"),
            count,
            limit,
            "include lines",
        )
    })
}

/// A view may have `max_embedded` lines with `...` before their end, and its lines may cross
/// `2 * max_embedded^2` times.
pub fn too_many_crossings<'e>(view: &View<'e>) -> Option<FormFinding<'e>> {
    let limit = view.settings.max_embedded?;
    let count = view.embedded().count();
    if count as u64 > limit {
        let first = view.embedded().next().unwrap_or_default();
        let problem = format!(
            "has {} with ... in the middle; {}. In at least {} of them, write the names of \
             directories in place of the ... in the middle, such as in {}",
            amount(count, "path"),
            at_most(limit),
            spelled((count as u64).saturating_sub(limit)),
            visible_excerpt(first, view.facts.unicode),
        );
        return Some(of_view(problem, count as u64, limit, "embedded"));
    }
    let most = limit.saturating_mul(limit).saturating_mul(2);
    lines_cross_more_than(view, most).then(|| {
        let problem = "combines too many wildcards in the middle of paths. Write the names of \
                       directories in place of each ... and * in the middle, or remove lines with a \
                       leading - that contain them";
        of_view(problem.to_owned(), most + 1, most, "crossings")
    })
}

fn lines_cross_more_than(view: &View<'_>, most: u64) -> bool {
    let case_sensitive = view.facts.case_sensitive;
    let lines = map_lines(view.form, view.view_type).map(|(flag, left, right)| Line {
        flag,
        left: folded_name(left, case_sensitive),
        right: folded_name(right, case_sensitive),
    });
    crossings(&lines.collect::<Vec<_>>(), most).is_none()
}

/// One finding for each wide line, widest first, with its estimate; estimates for lines that the form
/// lacks are ignored. Without one, a finding about the whole view.
pub fn too_many_files<'e>(
    limit: u64,
    lines: &[&ViewPath<'e>],
    spanned: &'e SpannedFiles,
    inherits: bool,
) -> Vec<(FormFinding<'e>, Option<&'e WideLine>)> {
    if spanned.files.at_least <= limit {
        return Vec::new();
    }
    let count = spanned.files.likely();
    let all = about(count);
    let with = if inherits { " with what it has from other streams" } else { "" };
    let problem = format!("covers about {all} files{with}; {}", at_most(limit));
    let finding = |problem| FormFinding { is_growing: true, ..of_view(problem, count, limit, "") };
    let wide_lines = spanned.wide_lines.iter();
    let wide_lines = wide_lines.filter_map(|wide| Some((lines.get(wide.line)?, wide)));
    let findings = wide_lines.map(|(line, wide)| {
        let files = about(wide.files);
        let alone = format!(
            "covers about {files} files, and the whole view about {all}{with}; a view may cover at most \
             {}",
            with_separators(limit),
        );
        let problem = if files == all { problem.clone() } else { alone };
        let (item, place) = (line.text.to_vec(), line.place());
        (FormFinding { item, place, ..finding(problem) }, Some(wide))
    });
    let findings: Vec<_> = findings.collect();
    if findings.is_empty() {
        return vec![(FormFinding { counted_things: "files", ..finding(problem) }, None)];
    }
    findings
}

pub fn of_view<'e>(
    problem: String,
    value: u64,
    limit: u64,
    counted_things: &'static str,
) -> FormFinding<'e> {
    let finding = FormFinding::new(b"", "The view", problem).measured(value, limit);
    FormFinding { counted_things, ..finding }
}
