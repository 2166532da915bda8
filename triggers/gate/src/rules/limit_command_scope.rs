//! Rule `limit_command_scope`: objects to a command whose file argument spans more of a depot than
//! the policy allows.
//!
//! The result is an objection, no objection, or unknown. It is unknown, for example, for an
//! argument that depends on the client's machine or view or that p4d omitted, and for a wide path
//! if the command, an option or a revision bounds the records read (for `changes -mN` it is no
//! objection). An option's value in depot syntax is judged as well, because it is a file argument
//! if the option's real value was an empty word.

use crate::base::patterns::{is_same, may_be_same};
use crate::event::command_event::Event;
use crate::event::finding::{Amount, Finding, Fix};
use crate::paths::argument_reads::{ArgumentReads, of_argument, without_path};
use crate::paths::command_bounds::{CommandBounds, Reads, SeenOptions};
use crate::paths::command_line::{CommandLine, Word};
use crate::paths::depot_path::{Span, UnmeasurablePath, first_name, has_wildcard, span};
use crate::policy::compiled::{Depots, MAX_DIRECTORIES, Scope};
use crate::rules::narrower_path::DepotDepths;
use crate::rules::rule_result::RuleResult;
use crate::rules::smaller_part::part_within;
use p4warden_index::estimate::local_syntax::is_absolute;

const SUMMARY: &str = "a command covers more of a depot than the policy allows";
/// The trigger variable for a command's arguments; a p4d that does not support it passes it
/// unexpanded.
pub const UNEXPANDED: &[u8] = b"%args%";

/// Judges the file arguments of a command by one rule `limit_command_scope`; the first that spans
/// too much or is malformed gives the finding. `directories_in_use` returns the directories to
/// propose first; it is called only for a finding.
#[must_use]
pub fn find(
    settings: &Scope<'_>,
    event: &Event<'_>,
    directories_in_use: &dyn Fn() -> Vec<Vec<u8>>,
) -> RuleResult<'static> {
    let Some(args) = event.args.filter(|args| *args != UNEXPANDED) else {
        return RuleResult { is_unknown: true, ..RuleResult::default() };
    };
    let command = event.name.main_name;
    let bounds = CommandBounds::of(command);
    let line = CommandLine::read(command, &bounds, args);
    let mut is_unknown = false;
    for reading in &line.readings {
        let judging = Judging { command, bounds: &bounds, seen: reading.seen, settings, event };
        let (wide, unclear) = judging.words(reading.words);
        if let Some(wide) = wide {
            return wide.finding(settings, event, &directories_in_use()).into();
        }
        is_unknown |= unclear;
    }
    let judging =
        Judging { command, bounds: &bounds, seen: SeenOptions::default(), settings, event };
    if let Some(wide) = line.values.iter().find_map(|word| judging.value(word)) {
        return wide.finding(settings, event, &directories_in_use()).into();
    }
    RuleResult { is_unknown, ..RuleResult::default() }
}

/// The judging of words as file arguments, in one reading of a command's options.
struct Judging<'e, 'a> {
    command: &'e [u8],
    bounds: &'e CommandBounds,
    seen: SeenOptions<'a>,
    settings: &'e Scope<'e>,
    event: &'e Event<'e>,
}

impl<'a> Judging<'_, 'a> {
    /// Returns the first word that spans too much or is malformed, and whether the extent of any
    /// judged before it, or of the command without a path, is unknown.
    fn words(
        &self,
        words: impl Iterator<Item = Word<'a>> + Clone,
    ) -> (Option<WideArgument<'a>>, bool) {
        let (mut is_unknown, mut ahead) = (false, words.clone());
        if words.clone().next().is_none() {
            let reads = without_path(self.command, self.bounds, &self.seen, b"");
            return (None, !matches!(reads, ArgumentReads::Narrow | ArgumentReads::Latest(_)));
        }
        for word in words {
            ahead.next();
            let text = with_blanks(&word, ahead.clone()).map(|(text, _)| text);
            for candidate in [Some(word.text), text].into_iter().flatten() {
                match self.reach(candidate) {
                    Reach::Narrow => {}
                    Reach::Wide(problem) => {
                        let number = word.number;
                        return (
                            Some(WideArgument { number, text: candidate, problem }),
                            is_unknown,
                        );
                    }
                    Reach::Unknown => is_unknown = true,
                }
            }
        }
        (None, is_unknown)
    }

    /// Judges the value of an option as a file argument, which it would be if the option's real
    /// value were an empty word. A filter or pattern that is not a path in depot syntax gives no
    /// finding.
    fn value(&self, word: &Word<'a>) -> Option<WideArgument<'a>> {
        let (text, number) = (word.text, word.number);
        match self.reach(text) {
            Reach::Wide(problem) if text.starts_with(b"//") => {
                Some(WideArgument { number, text, problem })
            }
            _ => None,
        }
    }

    /// Judges a file argument by its path and by the records that p4d reads for it.
    fn reach(&self, word: &'a [u8]) -> Reach {
        let path = path_of(word);
        let revision = word.get(path.len()..).unwrap_or_default();
        let reads = match path.is_empty() {
            true => without_path(self.command, self.bounds, &self.seen, revision),
            false => of_argument(self.bounds, &self.seen, path, revision),
        };
        let is_judged = match reads {
            ArgumentReads::Narrow | ArgumentReads::Latest(_) => return self.narrow(word),
            ArgumentReads::Path => self.bounds.of_path() != Reads::View,
            ArgumentReads::Changelists(range) => {
                range.is_everything() && self.bounds.of_path() != Reads::View
            }
            _ => false,
        };
        match reach(word, self.settings, self.event) {
            Reach::Wide(_) if !is_judged => Reach::Unknown,
            reach => reach,
        }
    }

    fn narrow(&self, word: &[u8]) -> Reach {
        if is_left_out(word) { Reach::Unknown } else { Reach::Narrow }
    }
}

/// Joins an absolute path without a wildcard, one word of a command's arguments, to the following
/// words up to the first with a wildcard, because a file name with a blank looks like two words.
/// Returns the joined path and the number of its last word; None if there is no such path, for
/// example because another path in depot syntax begins before the wildcard.
#[must_use]
pub fn with_blanks<'a>(
    word: &Word<'a>,
    mut ahead: impl Iterator<Item = Word<'a>>,
) -> Option<(&'a [u8], usize)> {
    let is_open = |text: &[u8]| path_of(text).len() == text.len() && !has_wildcard(text);
    if !is_absolute(word.text) || !is_open(word.text) {
        return None;
    }
    let last = ahead.find(|next| !is_open(next.text) || next.text.starts_with(b"//"))?;
    let goes_on = !last.text.starts_with(b"//") && has_wildcard(path_of(last.text));
    goes_on.then(|| (word.joined_to(&last), last.number))
}

/// Judgement of a file argument of a command: narrow enough, too wide or malformed (with the
/// problem), or of unknown extent.
enum Reach {
    Narrow,
    Unknown,
    Wide(WidthProblem),
}

/// Problem of a file argument that is malformed or spans more of a depot than the rule allows: its
/// text, and the measured and the required depth (None if the path is malformed).
struct WidthProblem {
    problem: String,
    measurement: Option<(u64, u64)>,
}

/// A file argument of a command that spans too much or is malformed, with its number among the
/// arguments.
struct WideArgument<'a> {
    number: usize,
    text: &'a [u8],
    problem: WidthProblem,
}

fn reach(word: &[u8], settings: &Scope<'_>, event: &Event<'_>) -> Reach {
    let path = path_of(word);
    if path.is_empty() {
        let request = "names no path, so it asks for all depots";
        return Reach::Wide(every_depot(request, settings));
    }
    if is_left_out(word) {
        return Reach::Unknown;
    }
    if !has_wildcard(path) {
        return Reach::Narrow;
    }
    match span(path) {
        Ok(span) => reach_of_path(&span, path, settings, event),
        Err(UnmeasurablePath::Local) => Reach::Unknown,
        Err(UnmeasurablePath::EveryDepot) => {
            Reach::Wide(every_depot(&format!("asks for {}", depots(path, event)), settings))
        }
        Err(UnmeasurablePath::Malformed(problem)) => {
            Reach::Wide(WidthProblem { problem: problem.to_owned(), measurement: None })
        }
    }
}

/// Judges the path of a file argument by the number of its directories before the first wildcard.
/// The files of a single directory count as narrow, because graphical clients request them to show
/// a depot (`fstat //depot/*`).
fn reach_of_path(span: &Span<'_>, path: &[u8], settings: &Scope<'_>, event: &Event<'_>) -> Reach {
    let min_depth = settings.min_depth_in(span.depot, event.case_sensitive);
    if span.depth >= min_depth || span.one_directory {
        return Reach::Narrow;
    }
    if !is_depot(span.depot, settings, event) {
        return Reach::Unknown;
    }
    Reach::Wide(WidthProblem {
        problem: too_wide(span, path, min_depth, event),
        measurement: Some((span.depth, min_depth)),
    })
}

/// Whether the first name in a path, such as `main` in `//main/...`, is a depot's: one that the
/// rule names or the server has. If the server's depots are unknown, every name counts as a depot's
/// except that of the event's own client.
fn is_depot(name: &[u8], settings: &Scope<'_>, event: &Event<'_>) -> bool {
    let has_name = |other: &[u8]| may_be_same(name, other, event.case_sensitive);
    if settings.depots().any(|(depot, _)| has_name(depot)) {
        return true;
    }
    match event.depots {
        Some(mut depots) => depots.any(has_name),
        None => !event.client.is_some_and(|client| is_same(name, client, event.case_sensitive)),
    }
}

/// The part of a message that follows a path with too few directories: the extent of the path and
/// the number of missing directories. Same text as `too_wide` in `limit_view_scope.py`, but with
/// `asks for` in place of `maps`.
fn too_wide(span: &Span<'_>, path: &[u8], min_depth: u64, event: &Event<'_>) -> String {
    let missing_count = min_depth.saturating_sub(span.depth);
    let more = if span.depth == 0 { "" } else { "more " };
    let extent = extent(span, path, event);
    format!("asks for {extent}; name at least {} below it", directories(missing_count, more))
}

/// Description of the files that a path spans, such as `all of //depot/main`.
fn extent(span: &Span<'_>, path: &[u8], event: &Event<'_>) -> String {
    // Number of parts, between slashes, of the path's literal beginning: two empty ones from the
    // leading `//`, the depot, and each complete directory.
    let names = usize::try_from(span.depth).unwrap_or(usize::MAX).saturating_add(3);
    let parts: Vec<&[u8]> = path.split(|byte| *byte == b'/').collect();
    let (prefix, rest) = parts.split_at(names.min(parts.len()));
    let (prefix, rest) = (prefix.join(&b'/'), rest.join(&b'/'));
    match rest.as_slice() {
        b"..." => format!("all of {}", event.excerpt(&prefix)),
        rest => {
            format!("all paths below {} that match {}", event.excerpt(&prefix), event.excerpt(rest))
        }
    }
}

/// Description of the depots that a path with a wildcard in its depot's name matches. Same text as
/// `_extent` in `depot_path.py`.
fn depots(path: &[u8], event: &Event<'_>) -> String {
    match first_name(path) {
        _ if path == b"//..." => "all depots".to_owned(),
        b"..." | b"*" | [b'%', b'%', b'0'..=b'9'] => "paths in all depots".to_owned(),
        name => format!("paths in all depots that match {}", event.excerpt(name)),
    }
}

fn every_depot(request: &str, settings: &Scope<'_>) -> WidthProblem {
    let min_depth = settings.min_depth.max(1);
    let directories = directories(min_depth, "");
    WidthProblem {
        problem: format!(
            "{request}; name one depot (p4 depots lists them) and at least {directories} below it"
        ),
        measurement: Some((0, min_depth)),
    }
}

/// A number of directories in words, such as `one more directory`.
fn directories(number: u64, more: &str) -> String {
    match number {
        1 => format!("one {more}directory"),
        number => format!("{number} {more}directories"),
    }
}

/// Narrower paths to propose: one with a directory that the client or the user has files from,
/// otherwise some with known top directories, otherwise one made from the path itself, with words
/// in capitals in place of unknown names.
fn instead_of(
    path: &[u8],
    settings: &Scope<'_>,
    event: &Event<'_>,
    directories_in_use: &[Vec<u8>],
) -> Vec<String> {
    let min_depth = |depot: &[u8]| settings.min_depth_in(depot, event.case_sensitive);
    let Event { depots, case_sensitive, unicode, .. } = *event;
    let depths = DepotDepths { depots, case_sensitive, unicode, min_depth: &min_depth };
    let widest = depths.replaced_path(path);
    let part = |directory: &Vec<u8>| part_in_use(&widest, directory, settings, event);
    if let Some(part) = directories_in_use.iter().find_map(part) {
        return vec![part];
    }
    let directories = depots.into_iter().flat_map(Depots::directories);
    let parts: Vec<_> =
        directories.filter_map(|directory| part(&directory)).take(MAX_DIRECTORIES).collect();
    if parts.is_empty() { vec![depths.instead_of(path)] } else { parts }
}

/// A path that a refusal proposes: the path of a file argument, narrowed to a directory. None if no
/// part of the directory is below the path, if the rule would object to the result, or if a refusal
/// cannot show it unchanged.
fn part_in_use(
    path: &[u8],
    directory: &[u8],
    settings: &Scope<'_>,
    event: &Event<'_>,
) -> Option<String> {
    let mut part = path.to_vec();
    // Each round narrows the path at its first wildcard to names from `directory`, until the path
    // is deep enough or names the files of a single directory.
    loop {
        part = part_within(&part, directory, !event.case_sensitive)?;
        let Span { depot, depth, one_directory, .. } = span(&part).ok()?;
        if depth >= settings.min_depth_in(depot, event.case_sensitive) || one_directory {
            return String::from_utf8(part)
                .ok()
                .filter(|text| event.excerpt(text.as_bytes()) == *text);
        }
    }
}

/// The path in a file argument without its revision. The revision starts at the first `#` or `@`;
/// file names contain these characters only in encoded form (`p4 help revisions`).
#[must_use]
pub fn path_of(word: &[u8]) -> &[u8] {
    let end = word.iter().position(|byte| matches!(byte, b'#' | b'@'));
    word.get(..end.unwrap_or(word.len())).unwrap_or_default()
}

/// Whether a word of a command's arguments stands for arguments that p4d omitted from its log, such
/// as `(195)`.
#[must_use]
pub fn is_left_out(word: &[u8]) -> bool {
    let inner = word.strip_prefix(b"(").and_then(|rest| rest.strip_suffix(b")"));
    inner.is_some_and(|number| !number.is_empty() && number.iter().all(u8::is_ascii_digit))
}

impl WideArgument<'_> {
    fn finding(
        self,
        settings: &Scope<'_>,
        event: &Event<'_>,
        directories_in_use: &[Vec<u8>],
    ) -> Finding {
        let WidthProblem { problem, measurement } = self.problem;
        let (item, place) = (event.excerpt(self.text), format!("Argument {}", self.number));
        let path = Some(path_of(self.text)).filter(|path| !path.is_empty()).unwrap_or(b"//...");
        let amount = |number| Amount::Number(number);
        Finding {
            summary: SUMMARY,
            detail: format!("{place} ({item}) {problem}"),
            item,
            place,
            problem,
            value: measurement.map_or(Amount::Nothing, |(depth, _)| amount(depth)),
            limit: measurement.map_or(Amount::Nothing, |(_, min_depth)| amount(min_depth)),
            fix: Fix::Paths(instead_of(path, settings, event, directories_in_use)),
            wait_ns: None,
        }
    }
}
