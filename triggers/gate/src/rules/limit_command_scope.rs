//! Rule `limit_command_scope`: objects to a command whose file argument spans more of a depot than
//! the policy allows.
//!
//! The result is an objection, no objection, or unknown. It is unknown, for example, for an
//! argument that depends on the client's machine or view or that p4d omitted, and for a wide path
//! if the command, an option or a revision bounds the records read (for `changes -mN` it is no
//! objection).

use crate::base::patterns::{is_same, may_be_same};
use crate::contract::command_rule::{CommandRule, ReadRule};
use crate::contract::draft::{Draft, Server};
use crate::contract::equal_arguments::EqualArguments;
use crate::contract::finding::{Amount, Finding, Fix};
use crate::contract::kind_of_rule::{KindOfRule, Reader};
use crate::contract::readings::{OfReading, OfReadings};
use crate::contract::remarks::{Document, Remarks};
use crate::contract::rule_result::{ARGS_LEFT_OUT, RuleResult};
use crate::contract::too_many_arguments::{self, judged_args};
use crate::contract::wide_path::{every_depot, too_wide};
use crate::event::command_event::Event;
use crate::facts::depots::MAX_DIRECTORIES;
use crate::paths::argument_reads::{ArgumentReads, of_argument, without_path};
use crate::paths::argument_words::Words;
use crate::paths::command_bounds::{CommandBounds, Reads, SeenOptions};
use crate::paths::command_line::{CommandLine, Reading};
use crate::paths::depot_path::{
    Span, UnmeasurablePath, has_wildcard, matched_depots, path_and_revision, path_of, span,
};
use crate::paths::joined_words::{JoinedWords, joined_behind_wildcards};
use crate::paths::revision::until_today;
use crate::policy::rule_fields::settings;
use crate::policy::scope::Scope;
use crate::proposals::narrower_path::DepotDepths;
use crate::rules::limit_scanned_rows::argument::{
    Access, DepotPaths, MAX_STEPS, PATH_LOCAL, Scan, VIEW_UNKNOWN, first_roots, is_left_out,
};
use crate::rules::limit_scanned_rows::mapped_file::has_mapped_file;
use p4warden_index::estimate::count::Table;
use p4warden_index::ranges::range::{Extent, Range};
use serde_json::Value;
use std::cell::OnceCell;

pub const KIND: KindOfRule = KindOfRule {
    name: "limit_command_scope",
    summary: "a command covers more of a depot than the policy allows",
    events: &["command"],
    read: Reader::OfCommands(read),
    remarks,
};
impl CommandRule for Scope<'_> {
    /// The first file argument that spans too much or is malformed gives the finding.
    fn find<'e>(&'e self, event: &'e Event<'e>) -> RuleResult<'e> {
        let args = match judged_args(event) {
            Ok(args) => args,
            Err(result) => return *result,
        };
        let command = event.name.main_name;
        let bounds = CommandBounds::of(command);
        let line = CommandLine::read(&bounds, args);
        let mut readings = OfReadings::default();
        let mut is_too_long = false;
        for first_root in 0..first_roots(event, &line) {
            let scan = OnceCell::new();
            let by_index = &EqualArguments::default();
            for &Reading { words, seen } in &line.readings {
                let (settings, scan, bounds) = (self, &scan, &bounds);
                let judging = Judging { bounds, seen, settings, event, scan, first_root, by_index };
                judging.words(words, &mut readings);
            }
            is_too_long |= scan.get().is_some_and(|it| it.as_ref().is_some_and(Scan::is_too_long));
        }
        let result = readings.result(|wide| wide.objection(self, event));
        if result.objection.is_none() && is_too_long {
            return too_many_arguments::finding(event, MAX_STEPS, "steps").into();
        }
        result
    }

    fn needs_the_depots(&self) -> bool {
        true
    }

    fn needed_options(&self, _: &[&[u8]]) -> Vec<&'static str> {
        vec!["args"]
    }

    /// Each command on a whole depot with a limit, and on all depots.
    fn drafts(&self, commands: &[&str], server: &Server<'_>) -> Vec<Draft> {
        let own = self.depots().filter_map(|(name, _)| str::from_utf8(name).ok());
        let depth = |name: &String| self.min_depth_in(name.as_bytes(), server.case_sensitive);
        let limited = server.depot_names(own).into_iter().find(|name| depth(name) > 0);
        let limited = limited.map(|name| vec![format!("//{name}/...")]);
        let paths: Vec<_> = limited.into_iter().chain([vec!["//...".to_owned()]]).collect();
        Draft::of_each(commands, &paths)
    }

    fn without_witness(&self, commands: &[&str]) -> String {
        let commands = commands.join(", ");
        format!(
            "its commands on a whole depot are allowed, or counted as unknown: {commands} \
             (docs/command-bounds.md lists the unknown ones)"
        )
    }
}

fn read<'a>(_: &str, rule: &'a str) -> ReadRule<'a> {
    Ok(Box::new(settings::<Scope<'a>>(rule)?.checked()?))
}

/// The judging of words as file arguments, in one reading of a command's options.
struct Judging<'e, 'a> {
    bounds: &'e CommandBounds,
    seen: SeenOptions<'a>,
    settings: &'e Scope<'e>,
    event: &'e Event<'e>,
    /// The views of clients, opened when an argument first needs one.
    scan: &'e OnceCell<Option<Scan<'e>>>,
    first_root: usize,
    /// By the path of an argument that the index was asked about.
    by_index: &'e EqualArguments<'a, Reach>,
}

/// How the views of clients are looked up for arguments of a command that reads files.
const OF_FILES: Access = Access { table: Table::Files, goes_by_view: false };

impl<'a> Judging<'_, 'a> {
    /// Adds the reading in which each word is an argument, and the one in which words are joined
    /// behind a wildcard. The first word that spans too much or is malformed refuses a reading.
    fn words(&self, words: Words<'a>, to: &mut OfReadings<WideArgument<'a>>) {
        to.add_apart_or_joined(self.apart(words), self.joined(words));
    }

    fn apart(&self, words: Words<'a>) -> OfReading<WideArgument<'a>> {
        let (mut unknown, mut joining) = (None, JoinedWords::new(words));
        let mut last_local = 0;
        if words.clone().next().is_none() {
            return match without_path(self.bounds, &self.seen, b"") {
                ArgumentReads::Narrow | ArgumentReads::Latest(_) => OfReading::Allowed,
                _ => OfReading::Unknown(VIEW_UNKNOWN),
            };
        }
        for word in words {
            let joined = joining.from(&word).filter(|path| {
                // Without an index, local paths with the same last word are equally unknown.
                let is_new = last_local != path.last.number;
                last_local = path.last.number;
                is_new || path.text.starts_with(b"//") || self.scan().is_some()
            });
            for text in [Some(word.text), joined.map(|path| path.text)].into_iter().flatten() {
                match self.reach(text, unknown) {
                    Reach::Narrow => {}
                    Reach::Wide(problem) => {
                        let number = word.number;
                        return OfReading::Refused(WideArgument { words, number, text, problem });
                    }
                    Reach::Unknown(why) => unknown = unknown.or(Some(why)),
                }
            }
        }
        unknown.map_or(OfReading::Allowed, OfReading::Unknown)
    }

    /// The first word that spans too much if it goes on in the next one.
    fn joined(&self, words: Words<'a>) -> Option<WideArgument<'a>> {
        joined_behind_wildcards(words).find_map(|(word, text)| match self.reach(text, None) {
            Reach::Wide(problem) => {
                Some(WideArgument { words, number: word.number, text, problem })
            }
            Reach::Narrow | Reach::Unknown(_) => None,
        })
    }

    /// By the path and by the records that p4d reads for it. `unknown` is why an argument before it is
    /// unknown: another unknown one adds nothing.
    fn reach(&self, word: &'a [u8], unknown: Option<&'static str>) -> Reach {
        let (path, revision) = path_and_revision(word);
        let revision = until_today(revision, self.event.day);
        let reads = match path.is_empty() {
            true => without_path(self.bounds, &self.seen, revision),
            false => of_argument(self.bounds, &self.seen, path, revision),
        };
        let is_judged = match reads {
            ArgumentReads::Narrow | ArgumentReads::Latest(_) if is_left_out(word) => {
                return Reach::Unknown(ARGS_LEFT_OUT);
            }
            ArgumentReads::Narrow | ArgumentReads::Latest(_) => return Reach::Narrow,
            ArgumentReads::Path => self.bounds.of_path() != Reads::View,
            ArgumentReads::Changelists(range) => {
                range.is_everything() && self.bounds.of_path() != Reads::View
            }
            _ => false,
        };
        if self.bounds.of_path() == Reads::Stream {
            return Reach::Unknown(VIEW_UNKNOWN);
        }
        if let Some(why) = unknown.filter(|_| !is_judged) {
            return Reach::Unknown(why);
        }
        match self.reach_of_word(word) {
            Reach::Wide(_) if !is_judged => Reach::Unknown("bounded"),
            reach => reach,
        }
    }

    fn scan(&self) -> Option<&Scan<'_>> {
        let new = |index| Scan::new(index, self.event, OF_FILES).from_root(self.first_root);
        self.scan.get_or_init(|| self.event.checkpoint_index().map(new)).as_ref()
    }

    /// Without regard to options and revision.
    fn reach_of_word(&self, word: &'a [u8]) -> Reach {
        let path = path_of(word);
        if path.is_empty() {
            return Reach::Wide(self.every_depot("names no path, so it asks for all depots"));
        }
        if is_left_out(word) {
            return Reach::Unknown(ARGS_LEFT_OUT);
        }
        if !has_wildcard(path) {
            return Reach::Narrow;
        }
        match span(path) {
            Ok(span) if self.is_known_depot(span.depot) => self.reach_of_path(&span, path),
            Ok(span) => self.once(path, || self.reach_by_index(&span, path)),
            Err(UnmeasurablePath::Local) => self.once(path, || self.reach_of_local(path)),
            Err(UnmeasurablePath::EveryDepot) => {
                Reach::Wide(self.every_depot(&format!("asks for {}", self.depots(path))))
            }
            Err(UnmeasurablePath::Malformed(problem)) => Reach::Wide(WidthProblem {
                problem: problem.to_owned(),
                measurement: None,
                depot_path: None,
            }),
        }
    }

    /// For equal paths, if there is an index.
    fn once(&self, path: &'a [u8], reach: impl FnOnce() -> Reach) -> Reach {
        match self.scan() {
            None => reach(),
            Some(_) => self.by_index.answer(path, reach),
        }
    }

    fn reach_of_local(&self, path: &[u8]) -> Reach {
        let why = || self.scan().map_or(PATH_LOCAL, |scan| scan.why_unknown(Some(path)));
        let reach = self.reach_through_view(self.depot_paths(path));
        reach.unwrap_or_else(|| Reach::Unknown(why()))
    }

    fn depot_paths(&self, path: &[u8]) -> Option<DepotPaths> {
        self.scan()?.depot_paths(path)
    }

    /// Judges a path whose first name is no known depot: a client's, or a new depot's.
    fn reach_by_index(&self, span: &Span<'_>, path: &[u8]) -> Reach {
        let is_too_long = || self.scan().is_some_and(Scan::is_too_long);
        match self.depot_paths(path) {
            Some(DepotPaths::Itself) => self.reach_in_depot(span, path),
            None if is_too_long() => Reach::Unknown(VIEW_UNKNOWN),
            None => self.reach_of_path(span, path),
            paths => self.reach_through_view(paths).unwrap_or(Reach::Unknown(VIEW_UNKNOWN)),
        }
    }

    /// None if the paths are unknown.
    fn reach_through_view(&self, paths: Option<DepotPaths>) -> Option<Reach> {
        let Some(DepotPaths::ThroughView { client, ranges }) = paths else { return None };
        let wide = ranges.iter().find_map(|range| self.wide_range(range, &client));
        Some(wide.map_or(Reach::Narrow, Reach::Wide))
    }

    fn wide_range(&self, range: &Range, client: &[u8]) -> Option<WidthProblem> {
        let by = format!("asks, by the view of client {}, for", self.event.excerpt(client));
        let path = [&range.literal, &b"..."[..]].concat();
        let problem = match (range.extent, span(&path)) {
            (Extent::Below, Ok(span)) => self.too_wide(&by, &span, &path)?,
            (_, Err(UnmeasurablePath::EveryDepot)) => {
                self.every_depot(&format!("{by} {}", self.depots(&path)))
            }
            _ => return None,
        };
        Some(WidthProblem { depot_path: Some(path), ..problem })
    }

    /// Judges the path of a file argument by the number of its directories before the first wildcard.
    fn reach_of_path(&self, span: &Span<'_>, path: &[u8]) -> Reach {
        match self.reach_in_depot(span, path) {
            Reach::Wide(_) if !self.is_depot(span.depot) => Reach::Unknown(VIEW_UNKNOWN),
            reach => reach,
        }
    }

    /// Judges a path whose first name is a depot's. The files of a single directory count as narrow,
    /// because graphical clients request them to show a depot (`fstat //depot/*`).
    fn reach_in_depot(&self, span: &Span<'_>, path: &[u8]) -> Reach {
        if span.one_directory {
            return Reach::Narrow;
        }
        self.too_wide("asks for", span, path).map_or(Reach::Narrow, Reach::Wide)
    }

    fn too_wide(&self, by: &str, span: &Span<'_>, path: &[u8]) -> Option<WidthProblem> {
        let min_depth = self.settings.min_depth_in(span.depot, self.tells_case());
        let problem = || too_wide(by, span, path, min_depth, self.event.unicode);
        (span.depth < min_depth).then(|| WidthProblem::new(problem(), span.depth, min_depth))
    }

    fn every_depot(&self, request: &str) -> WidthProblem {
        let min_depth = self.settings.min_depth.max(1);
        WidthProblem::new(every_depot(request, min_depth), 0, min_depth)
    }

    /// Whether names that differ in case are different.
    fn tells_case(&self) -> bool {
        self.event.case_sensitive && !self.bounds.ignores_case(&self.seen)
    }

    /// Whether the first name in a path, such as `main` in `//main/...`, is a depot's: one that the
    /// rule names or the server has. If the server's depots are unknown, every name counts as a
    /// depot's except that of the event's own client.
    fn is_depot(&self, name: &[u8]) -> bool {
        let is_client = |client| is_same(name, client, self.tells_case());
        self.is_known_depot(name)
            || self.event.depots.is_none() && !self.event.client.is_some_and(is_client)
    }

    fn is_known_depot(&self, name: &[u8]) -> bool {
        let has_name = |other: &[u8]| may_be_same(name, other, self.tells_case());
        self.settings.depots().any(|(depot, _)| has_name(depot))
            || self.event.depots.is_some_and(|mut depots| depots.any(has_name))
    }

    /// The depots that a path with a wildcard in its depot's name matches, in words.
    fn depots(&self, path: &[u8]) -> String {
        matched_depots(path, |name| self.event.excerpt(name))
    }
}

/// Of a file argument; a malformed one counts as wide.
#[derive(Clone, Debug)]
enum Reach {
    Narrow,
    Unknown(&'static str),
    Wide(WidthProblem),
}

#[derive(Clone, Debug)]
struct WidthProblem {
    problem: String,
    /// The measured and the required depth; None if the path is malformed.
    measurement: Option<(u64, u64)>,
    /// The depot path that the argument stands for by a client's view; None if it names that path.
    depot_path: Option<Vec<u8>>,
}

impl WidthProblem {
    fn new(problem: String, depth: u64, min_depth: u64) -> Self {
        WidthProblem { problem, measurement: Some((depth, min_depth)), depot_path: None }
    }
}

struct WideArgument<'a> {
    /// All words after the options.
    words: Words<'a>,
    /// Among the arguments.
    number: usize,
    text: &'a [u8],
    problem: WidthProblem,
}

/// Parts for which it is asked whether the policy allows them.
const MAX_TRIED: usize = 50;

/// Proposes narrower paths, as the policy allows them for the same command.
struct Proposing<'e> {
    event: &'e Event<'e>,
    depths: DepotDepths<'e>,
    allows: &'e dyn Fn(&str) -> bool,
    /// The view of the event's client; None without an index.
    scan: Option<Scan<'e>>,
}

impl Proposing<'_> {
    /// A path with a directory that the client or the user has files from, otherwise some with known
    /// top directories, otherwise one made from the path itself, with words in capitals in place of
    /// unknown names. First those of which the client's view maps a file: others have none if the path
    /// is one that the view maps to.
    fn instead_of(&self, path: &[u8], is_of_view: bool) -> Vec<String> {
        let widest = self.depths.replaced_path(path);
        let part = |directory: &Vec<u8>| self.depths.part_in(&widest, directory);
        let mut in_use = self.event.used_directories();
        in_use.extend(self.event.stream().map(|stream| [&*stream, b"/"].concat()));
        let in_use: Vec<String> = in_use.iter().filter_map(part).collect();
        let depots = self.depths.depots.into_iter();
        let known = depots.flat_map(|all| all.directories(&widest, self.depths.case_sensitive));
        let known = known.filter_map(|directory| part(&directory)).take(MAX_TRIED);
        let known: Vec<String> = known.collect();
        let fits = |needs_file: bool| {
            move |part: &&String| (!needs_file || self.is_mapped(part)) && (self.allows)(part)
        };
        let firsts = [true, false].into_iter().filter(|needs_file| *needs_file || !is_of_view);
        let proposed = firsts.map(|needs_file| {
            let first = in_use.iter().find(fits(needs_file)).map(|part| vec![part.clone()]);
            let some = || known.iter().filter(fits(needs_file)).take(MAX_DIRECTORIES).cloned();
            first.unwrap_or_else(|| some().collect())
        });
        let mut proposed = proposed.filter(|parts| !parts.is_empty());
        proposed.next().unwrap_or_else(|| vec![self.depths.instead_of(path)])
    }

    /// True if unknown.
    fn is_mapped(&self, part: &str) -> bool {
        let is_mapped = |scan: &Scan<'_>| has_mapped_file(scan, part.as_bytes());
        self.scan.as_ref().and_then(is_mapped).unwrap_or(true)
    }
}

impl<'e> WideArgument<'e> {
    fn objection(self, settings: &'e Scope<'e>, event: &'e Event<'e>) -> RuleResult<'e> {
        let WidthProblem { problem, measurement, depot_path } = self.problem;
        let place = format!("Argument {}", self.number);
        let amount = |number| Amount::Number(number);
        let finding = Finding {
            value: measurement.map_or(Amount::Nothing, |(depth, _)| amount(depth)),
            limit: measurement.map_or(Amount::Nothing, |(_, min_depth)| amount(min_depth)),
            ..Finding::about(KIND.summary, &place, event.excerpt(self.text), problem)
        };
        RuleResult::from(finding).with(move |allows| {
            let path = depot_path.as_deref().unwrap_or(path_of(self.text));
            let path = if path.is_empty() { b"//..." } else { path };
            let Event { depots, case_sensitive, unicode, .. } = *event;
            let min_depth = |depot: &[u8]| settings.min_depth_in(depot, case_sensitive);
            let options = self.words.text_before(event.args.unwrap_or_default());
            // A name with a blank looks like several words, some of them unknown.
            let judges = |path: &str| allows([options, path.as_bytes()].join(&b' ').trim_ascii());
            let scan = |index| Scan::new(index, event, Access { goes_by_view: true, ..OF_FILES });
            let proposing = Proposing {
                event,
                depths: DepotDepths { depots, case_sensitive, unicode, min_depth: &min_depth },
                allows: &|path: &str| path.contains(' ') || judges(path),
                scan: event.checkpoint_index().map(scan),
            };
            Fix::Paths(proposing.instead_of(path, depot_path.is_some()))
        })
    }
}

fn remarks(rule: &Document, to: &mut Remarks) {
    let has_depots =
        rule.get("depots").and_then(Value::as_object).is_some_and(|all| !all.is_empty());
    if rule.get("min_depth").and_then(Value::as_u64) == Some(0) && !has_depots {
        let text = "0 judges only wildcards in a depot's name, such as //... (write 1)";
        to.doubt(&["min_depth".into()], text);
    }
}
