//! A narrow view for a new client, in place of the whole depots that p4d proposes.

use crate::base::effort::Effort;
use crate::base::patterns::matches;
use crate::base::plural::amount_with_verb;
use crate::base::visible::visible_text;
use crate::event::form_event::FormEvent;
use crate::facts::form_facts::FormFacts;
use crate::facts::known_depots::{Depot, KnownDepots};
use crate::forms::form::Form;
use crate::forms::form_editor;
use crate::forms::view_lines::{ViewLine, ViewPath, ViewType, view_lines};
use crate::paths::depot_path::span;
use crate::paths::view_words::{first_word, joined_line, split_flag, words};
use crate::proposals::candidates::{Proposal, Proposer};
use crate::proposals::choice::listing_advice;
use crate::proposals::line::{Demand, Line};
use crate::proposals::other_lines::OtherLines;
use crate::proposals::placeholders::{CLIENT, DIRECTORY};
use crate::proposals::stream_clients::{StreamClient, one_of_each_depot, stream_clients};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};

const MAX_DEPOTS: usize = 6;
const MAX_NAMED: usize = 12;
/// Lines of p4d's form for which no steps remain are left out.
const MAX_STEPS: u64 = 10_000;

/// A view that a policy has for new clients; `//CLIENT/` stands for `//`, the client's name and `/`.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct ProposedView {
    /// Patterns; None for all users.
    pub groups: Option<Vec<String>>,
    pub view: Vec<String>,
}

/// The text of the form with the proposed view, and the lines of that view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewView {
    pub form: Vec<u8>,
    pub lines: Vec<Vec<u8>>,
}

/// None to leave the form unchanged.
///
/// The first of `views` for all users or for a group of the user is taken, or else p4d's own lines
/// with placeholders. `need_of` maps a depot's name to the number of directories that a line must
/// name.
pub fn new_view(
    form: &Form<'_>,
    event: &FormEvent<'_>,
    facts: &FormFacts<'_>,
    views: &[ProposedView],
    need_of: &dyn Fn(&[u8]) -> u64,
) -> Option<NewView> {
    let lines = view_lines(form, ViewType::Client);
    let wide = wide_lines(&lines, need_of)?;
    let own = views.iter().find(|one| is_for(one, event, facts.case_sensitive));
    let (lines, notes) = match own {
        Some(view) => (of_policy(view, event, facts.unicode), Vec::new()),
        None => with_placeholders(form, event, facts, &wide, need_of),
    };
    let values: Vec<&[u8]> = lines.iter().map(Vec::as_slice).collect();
    let notes: Vec<&str> = notes.iter().map(String::as_str).collect();
    let form = form_editor::with_lines(form, "View", &values, &notes).filter(|_| !lines.is_empty());
    form.map(|form| NewView { form, lines })
}

/// The lines of a view that name too few directories, by number; None without one, and for a view
/// with a line that cannot be read: rules judge it when it is saved.
fn wide_lines<'f>(
    lines: &'f [ViewLine<'f>],
    need_of: &dyn Fn(&[u8]) -> u64,
) -> Option<BTreeMap<usize, &'f ViewPath<'f>>> {
    let mut wide = BTreeMap::new();
    for line in lines {
        let ViewLine::Path(line) = line else { return None };
        let span = span(&line.path).ok()?;
        if !span.is_exact && span.depth < need_of(span.depot) {
            wide.insert(line.line.number, line);
        }
    }
    (!wide.is_empty()).then_some(wide)
}

fn is_for(view: &ProposedView, event: &FormEvent<'_>, case_sensitive: bool) -> bool {
    let has = |pattern: &String| {
        event
            .groups
            .iter()
            .flatten()
            .any(|group| matches(pattern.as_bytes(), group, case_sensitive))
    };
    view.groups.as_ref().is_none_or(|patterns| patterns.iter().any(has))
}

/// Empty if a refusal could not show one of the lines.
fn of_policy(view: &ProposedView, event: &FormEvent<'_>, unicode: bool) -> Vec<Vec<u8>> {
    let name = event.name.or(event.client).unwrap_or_default();
    let root = [b"//", name, b"/"].concat();
    let line = |line: &String| {
        let line = line.split(CLIENT).map(str::as_bytes).collect::<Vec<_>>().join(&root[..]);
        let words: Vec<_> = words(&line).collect();
        joined_line(&words, unicode).map(String::into_bytes)
    };
    view.view.iter().map(line).collect::<Option<_>>().unwrap_or_default()
}

/// p4d's lines with a placeholder for a directory in each that is too wide, and comments about them.
///
/// If the depot has only one directory, its name is used instead. Wide lines are left out once the
/// view has `MAX_DEPOTS` lines. In p4d's view, which has a line for each depot, depots with
/// directories come first, and empty ones are left out.
fn with_placeholders(
    form: &Form<'_>,
    event: &FormEvent<'_>,
    facts: &FormFacts<'_>,
    wide: &BTreeMap<usize, &ViewPath<'_>>,
    need_of: &dyn Fn(&[u8]) -> u64,
) -> (Vec<Vec<u8>>, Vec<String>) {
    let is_enough = |path: &[u8]| {
        span(path).is_ok_and(|span| span.is_exact || span.depth >= need_of(span.depot))
    };
    let client = Some(event.name.unwrap_or(b"CLIENT"));
    let case_sensitive = facts.case_sensitive;
    let demand = Demand { is_enough: &is_enough, client, case_sensitive };
    let (depots, other_lines) = (without_choice(facts.depots), OtherLines::default());
    let proposer = |number| Proposer {
        demand,
        depots: &depots,
        unicode: facts.unicode,
        used_directories: &[],
        other_lines: &other_lines,
        number,
    };
    let (mut lines, mut seen): (Vec<Vec<u8>>, BTreeSet<Vec<u8>>) = Default::default();
    let mut omitted_count = 0;
    let mut effort = Effort::of(MAX_STEPS);
    for (number, text) in chosen_lines(form, facts, wide) {
        let new: Vec<Vec<u8>> = match wide.get(&number).and_then(|line| Line::of_view(line)) {
            None => vec![text.to_vec()],
            Some(_) if lines.len() >= MAX_DEPOTS => {
                omitted_count += 1;
                Vec::new()
            }
            Some(line) => {
                let proposal = proposer(number).propose(&line, &mut effort);
                let Proposal { lines, further, .. } = proposal.unwrap_or_default();
                omitted_count += if lines.is_empty() { 1 } else { further.len() };
                lines.into_iter().map(String::into_bytes).collect()
            }
        };
        lines.extend(new.into_iter().filter(|line| seen.insert(line.clone())));
    }
    let mut notes = notes(&lines, facts);
    if omitted_count > 0 {
        let omitted_are = amount_with_verb(omitted_count, "more line");
        notes.push(format!("{omitted_are} possible; to list all depots: p4 depots"));
    }
    notes.extend(stream_notes(&lines, facts));
    (lines, notes)
}

fn chosen_lines<'f>(
    form: &'f Form<'_>,
    facts: &FormFacts<'_>,
    wide: &BTreeMap<usize, &ViewPath<'_>>,
) -> Vec<(usize, &'f [u8])> {
    let lines: Vec<_> = form.numbered_lines("view").collect();
    if lines.len() > wide.len() {
        return lines;
    }
    let content = |number: usize| {
        let span = wide.get(&number).and_then(|line| span(&line.path).ok());
        let depot = span.and_then(|span| facts.depots.named(span.depot, facts.case_sensitive));
        match depot {
            Some(depot) if depot.directory_count > 0 => Content::Directories,
            Some(Depot { directories: Some(_), .. }) => Content::Nothing,
            _ => Content::Unknown,
        }
    };
    let mut lines: Vec<_> = lines.into_iter().map(|line| (content(line.0), line)).collect();
    lines.sort_by_key(|(content, _)| *content);
    let known = lines.partition_point(|(content, _)| *content != Content::Nothing);
    if known > 0 {
        lines.truncate(known);
    }
    lines.into_iter().map(|(_, line)| line).collect()
}

/// What is known of a depot.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Content {
    Directories,
    Unknown,
    Nothing,
}

fn without_choice(depots: &KnownDepots<'_>) -> KnownDepots<'static> {
    KnownDepots::of(
        depots.all().iter().filter(|depot| depot.directory_count == 1).cloned().collect(),
    )
}

/// Comments on the placeholders that the user must replace.
fn notes(lines: &[Vec<u8>], facts: &FormFacts<'_>) -> Vec<String> {
    let placeholder = format!("/{DIRECTORY}/").into_bytes();
    let start_of = |line: &[u8]| {
        let path = split_flag(first_word(line)).1;
        let at = path.windows(placeholder.len()).position(|part| part == placeholder)?;
        path.get(..at).map(<[u8]>::to_vec)
    };
    let starts = lines.iter().filter_map(|line| start_of(line)).take(MAX_DEPOTS);
    let mut notes: Vec<String> = Vec::new();
    for start in starts {
        let depot = start.strip_prefix(b"//").unwrap_or(&start);
        let depot = facts.depots.named(depot, facts.case_sensitive);
        let hint = depot.and_then(|depot| names_of(depot, facts.unicode));
        let path = [&start, &placeholder[..]].concat();
        let hint = hint.unwrap_or_else(|| listing_advice(&path, facts.unicode));
        let place = visible_text(&start, facts.unicode);
        let note = format!("Replace {DIRECTORY} with a directory in {place}{hint}");
        if !notes.contains(&note) {
            notes.push(note);
        }
    }
    if !notes.is_empty() {
        let all =
            "To map more directories, add one line for each; delete the lines you do not need.";
        notes.push(all.to_owned());
    }
    notes
}

/// Comments on the lines for files of stream depots, which are only to read them.
fn stream_notes(lines: &[Vec<u8>], facts: &FormFacts<'_>) -> Vec<String> {
    let of_line = |line: &Vec<u8>| stream_clients(split_flag(first_word(line)).1, facts, &[]);
    let clients = one_of_each_depot(lines.iter().flat_map(of_line));
    let note = |client: &StreamClient| {
        format!(
            "Lines for //{} are only to read its files. To change them, make a client of the \
             stream: {}",
            visible_text(&client.depot, facts.unicode),
            client.command()
        )
    };
    clients.iter().map(note).collect()
}

/// Those of a depot's directories that can be shown; None without one.
fn names_of(depot: &Depot, unicode: bool) -> Option<String> {
    let names = depot.directories.iter().flatten();
    let shown = names.map(|name| (visible_text(name, unicode), name));
    let shown = shown.filter(|(text, name)| text.as_bytes() == name.as_slice());
    let mut names: Vec<String> = shown.map(|(text, _)| text).take(MAX_NAMED + 1).collect();
    let more = if names.len() > MAX_NAMED { ", ..." } else { "" };
    names.truncate(MAX_NAMED);
    (!names.is_empty()).then(|| format!(": {}{more}", names.join(", ")))
}
