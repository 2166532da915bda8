//! Rule `require_command_options`: refuses commands without options that the policy requires, and
//! with options that it forbids.
//!
//! A text of arguments may have several readings (`paths/command_line.rs`): the command is refused
//! if it breaks the rule in each, or if it has a forbidden option in one, and unknown if it lacks a
//! required option in some.

use crate::event::command_event::Event;
use crate::event::finding::{Amount, Finding, Fix};
use crate::paths::command_bounds::CommandBounds;
use crate::paths::command_line::{CommandLine, Reading, Word, Words};
use crate::paths::command_options::options_of;
use crate::paths::command_synonyms::{contains_addition, resolve_name};
use crate::paths::depot_path::path_and_revision;
use crate::paths::option_words::without;
use crate::paths::revision::{Point, Range, Revision, revision_of};
use crate::policy::rule_fields::settings;
use crate::rules::command_rule::{CommandRule, ReadRule};
use crate::rules::draft::{DEEP, Draft, Server};
use crate::rules::kind_of_rule::{KindOfRule, Reader};
use crate::rules::named_commands::{rescue_mistakes, synonym_doubts};
use crate::rules::narrower_command::as_written;
use crate::rules::remarks::{Document, Remarks, texts, value};
use crate::rules::rule_result::{ARGS_LEFT_OUT, Proposing, RuleResult};
use serde::Deserialize;

pub const KIND: KindOfRule = KindOfRule {
    name: "require_command_options",
    summary: "a command lacks options that the policy requires, or has options that it forbids",
    events: &["command"],
    noted_forms: &[],
    read: Reader::OfCommands(read),
    remarks,
};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    #[serde(default)]
    required: Vec<Letter>,
    #[serde(default)]
    forbidden: Vec<Letter>,
    /// The largest number that `-m`, which is then required, may have.
    #[serde(default)]
    max: Option<u64>,
}

/// Such as `-p` in the policy.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(try_from = "String")]
struct Letter(u8);

impl TryFrom<String> for Letter {
    type Error = String;

    fn try_from(option: String) -> Result<Self, String> {
        match option.as_bytes() {
            [b'-', letter] if letter.is_ascii_alphanumeric() => Ok(Letter(*letter)),
            _ => Err(format!("{option:?} is not an option of one letter")),
        }
    }
}

/// Options with which a sync copies no files: a preview, the preview of its network traffic, and
/// the writing of have records alone (`p4 help sync`).
const COPIES_NOTHING: &[u8] = b"nNk";
/// Options that the synopsis of `p4 help sync` has in other lines than `-p`.
const NOT_WITH_P: &[u8] = b"fkrs";
const COST_OF_P: &str = "With -p the server does not record the files that you get: use it in a new, empty workspace that \
     you delete after the build, because the next sync -p copies every file again.";

/// Of a command against the rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Breach {
    Lacks(u8),
    LacksNumber,
    /// With the number that `-m` has; None for `-m 0`, and for no number.
    IsAbove(Option<u64>),
    Has(u8),
}

impl CommandRule for Settings {
    fn find(&self, event: &Event<'_>, proposing: &Proposing<'_>) -> RuleResult<'static> {
        let Some(args) = event.known_args() else {
            return RuleResult { unknown: Some(ARGS_LEFT_OUT), ..RuleResult::default() };
        };
        let command = event.name.main_name;
        let options = CommandBounds::seeing(command, &self.letters());
        let line = CommandLine::read(command, &options, args);
        let breaches: Vec<_> =
            line.readings.iter().map(|reading| self.breaches(event, &options, reading)).collect();
        let Some(first) = breaches.first() else { return RuleResult::default() };
        if breaches.iter().all(|one| !one.is_empty())
            && !self.may_be_later(command, args, &line, first)
        {
            return self.finding(event, first, proposing).into();
        }
        let has = self.has_in_any_reading(event, &options, args);
        if !has.is_empty() {
            return self.finding(event, &has, proposing).into();
        }
        let is_clear = breaches.iter().all(Vec::is_empty);
        let unknown = (!is_clear).then_some("options-unclear");
        RuleResult { unknown, ..RuleResult::default() }
    }

    fn needed_options(&self, _: &[&[u8]]) -> Vec<&'static str> {
        vec!["args"]
    }

    /// Each command without options, and with those that are forbidden.
    fn drafts(&self, commands: &[&str], server: &Server<'_>) -> Vec<Draft> {
        let path = format!("//{}/{DEEP}/...", server.first_depot());
        let forbidden = self.forbidden.iter().map(|letter| vec![shown(letter.0), path.clone()]);
        let args: Vec<_> = std::iter::once(vec![path.clone()]).chain(forbidden).collect();
        let draft = |command: &str, args: &Vec<String>| {
            let description = format!("{command} {}", args.join(" "));
            Draft::of_command(description, command, &path).with("args", args.clone())
        };
        let of_command = |command: &&str| args.iter().map(|args| draft(command, args)).collect();
        commands.iter().flat_map::<Vec<_>, _>(of_command).collect()
    }

    fn without_witness(&self, commands: &[&str]) -> String {
        format!("{} without options, and with those it forbids, is allowed", commands.join(", "))
    }
}

fn read<'a>(_: &str, rule: &'a str) -> ReadRule<'a> {
    Ok(Box::new(settings::<Settings>(rule)?))
}

impl Settings {
    fn letters(&self) -> Vec<u8> {
        let own = self.required.iter().chain(&self.forbidden).map(|letter| letter.0);
        own.chain(COPIES_NOTHING.iter().copied()).chain([b'm']).collect()
    }

    fn breaches(
        &self,
        event: &Event<'_>,
        options: &CommandBounds,
        reading: &Reading<'_>,
    ) -> Vec<Breach> {
        let is_seen = |letter| {
            options.saw(&reading.seen, letter) || event.name.addition.as_bytes() == [b'-', letter]
        };
        let of_sync = event.name.main_name == b"sync";
        let copies_nothing = COPIES_NOTHING
            .iter()
            .any(|letter| is_seen(*letter) && self.forbidden.iter().all(|one| one.0 != *letter));
        if options.is_explained(&reading.seen)
            || of_sync && (copies_nothing || removes_files(reading.words))
        {
            return Vec::new();
        }
        let lacks = self.required.iter().map(|letter| letter.0).filter(|one| !is_seen(*one));
        let mut breaches: Vec<_> = lacks.map(Breach::Lacks).collect();
        let most = reading.seen.most;
        let is_above = |max: u64| {
            most.is_none_or(|most| most > max)
                && !(event.name.main_name == b"changes" && are_within(max, reading.words))
        };
        if self.max.is_some_and(is_above) {
            let is_there = options.saw(&reading.seen, b'm');
            breaches.push(if is_there { Breach::IsAbove(most) } else { Breach::LacksNumber });
        }
        let has = self.forbidden.iter().map(|letter| letter.0).filter(|one| is_seen(*one));
        breaches.extend(has.map(Breach::Has));
        breaches
    }

    /// The forbidden options in the reading that has most of them. A word that looks like an option
    /// may be none of the values: an empty value before it disappears from the text.
    fn has_in_any_reading(
        &self,
        event: &Event<'_>,
        options: &CommandBounds,
        args: &[u8],
    ) -> Vec<Breach> {
        if self.forbidden.is_empty() {
            return Vec::new();
        }
        let args = with_gaps_before_options(args);
        let line = CommandLine::read(event.name.main_name, options, &args);
        let has = line.readings.iter().map(|reading| {
            let mut breaches = self.breaches(event, options, reading);
            breaches.retain(|breach| matches!(breach, Breach::Has(_)));
            breaches
        });
        has.max_by_key(Vec::len).unwrap_or_default()
    }

    /// Whether an option that is lacking stands behind a word that only looks like the first file
    /// argument: a value with a blank, such as a filter, looks like two words.
    fn may_be_later(
        &self,
        command: &[u8],
        args: &[u8],
        line: &CommandLine<'_>,
        breaches: &[Breach],
    ) -> bool {
        let last = line.readings.iter().max_by_key(|reading| reading.words.count_before());
        let Some(mut files) = last.map(|reading| reading.words) else { return false };
        let options = Words::of(args).take(files.count_before());
        may_have_a_blank(command, options)
            && !files.next().is_some_and(|word| is_certainly_a_file(word.text))
            && breaches.iter().any(|breach| match breach {
                Breach::Lacks(letter) => contains_addition(args, &shown(*letter)),
                Breach::LacksNumber => contains_addition(args, "-m"),
                Breach::IsAbove(_) | Breach::Has(_) => false,
            })
    }

    fn finding(
        &self,
        event: &Event<'_>,
        breaches: &[Breach],
        proposing: &Proposing<'_>,
    ) -> Finding {
        let problems: Vec<_> = breaches.iter().map(|breach| self.problem(*breach)).collect();
        let problem = problems.join(", and ");
        let max = || Amount::Number(self.max.unwrap_or(0));
        let (value, limit) = match breaches.first() {
            Some(Breach::Has(letter)) => (Amount::Text(shown(*letter)), Amount::Nothing),
            Some(Breach::Lacks(letter)) => (Amount::Nothing, Amount::Text(shown(*letter))),
            Some(Breach::IsAbove(most)) => (most.map_or(Amount::Nothing, Amount::Number), max()),
            Some(Breach::LacksNumber) => (Amount::Nothing, max()),
            None => (Amount::Nothing, Amount::Nothing),
        };
        let item = event.excerpt(event.command);
        let name = match event.name.addition {
            "" => item.clone(),
            addition => {
                format!("{item} is {} {addition}, which", event.excerpt(event.name.main_name))
            }
        };
        let mut finding = Finding {
            detail: format!("{name} {problem}"),
            value,
            limit,
            fix: Fix::Advice(self.advice(event, breaches)),
            ..Finding::of_command(event, KIND.summary, problem)
        };
        (proposing.stands)(&finding);
        if let Some(command) = self.corrected(event, breaches, proposing) {
            finding.fix = Fix::Advice(format!("Send instead: p4 {command}"));
        }
        if event.name.main_name == b"sync" && breaches.contains(&Breach::Lacks(b'p')) {
            finding.fix = finding.fix.and_then(COST_OF_P.to_owned());
        }
        finding
    }

    fn problem(&self, breach: Breach) -> String {
        match breach {
            Breach::Lacks(letter) => format!("must have the option {}", shown(letter)),
            Breach::LacksNumber | Breach::IsAbove(_) => {
                format!("must have the option -m with a number up to {}", self.max.unwrap_or(0))
            }
            Breach::Has(letter) => format!("must not have the option {}", shown(letter)),
        }
    }

    /// In words, for a command that cannot be shown or corrected.
    fn advice(&self, event: &Event<'_>, breaches: &[Breach]) -> String {
        let added = self.added(breaches);
        let name = event.excerpt(event.name.main_name);
        match added.is_empty() {
            true => "Leave the option out, or ask the contact below.".to_owned(),
            false => format!("Write the options first: p4 {name} {}", added.join(" ")),
        }
    }

    fn added(&self, breaches: &[Breach]) -> Vec<String> {
        let added = breaches.iter().filter_map(|breach| match breach {
            Breach::Lacks(letter) => Some(shown(*letter)),
            Breach::LacksNumber | Breach::IsAbove(_) => {
                Some(format!("-m {}", self.max.unwrap_or(0)))
            }
            Breach::Has(_) => None,
        });
        added.collect()
    }

    /// The user's own command as it should be, if it can be shown and the policy allows it.
    fn corrected(
        &self,
        event: &Event<'_>,
        breaches: &[Breach],
        proposing: &Proposing<'_>,
    ) -> Option<String> {
        let is_unwanted = |letter: u8| {
            breaches.iter().any(|breach| match breach {
                Breach::Has(own) => *own == letter,
                Breach::IsAbove(_) => letter == b'm',
                Breach::Lacks(b'p') if event.name.main_name == b"sync" => {
                    NOT_WITH_P.contains(&letter)
                }
                Breach::Lacks(_) | Breach::LacksNumber => false,
            })
        };
        let added_by_name = event.name.addition.as_bytes().get(1).copied();
        // Without its option such a command, as flush, has another purpose.
        if added_by_name.is_some_and(|letter| breaches.contains(&Breach::Has(letter))) {
            return None;
        }
        let is_renamed = added_by_name.is_some_and(is_unwanted);
        let command = if is_renamed { event.name.main_name } else { event.command };
        let args = as_written(event)?;
        let bounds = CommandBounds::seeing(event.name.main_name, &[]);
        let line = CommandLine::read(event.name.main_name, &bounds, args.as_bytes());
        let start = line.readings.first().filter(|_| line.readings.len() == 1)?.words;
        let words: Vec<&str> = args.split_ascii_whitespace().collect();
        let (options, files) = words.split_at_checked(start.count_before())?;
        // A path with a blank looks like two words.
        if files.iter().skip(1).any(|file| !file.starts_with("//")) {
            return None;
        }
        let kept = without(&options_of(event.name.main_name), options, is_unwanted)?;
        let files = files.iter().map(|word| (*word).to_owned());
        let corrected: Vec<String> =
            self.added(breaches).into_iter().chain(kept).chain(files).collect();
        let corrected = corrected.join(" ");
        let is_allowed = (proposing.allows)(corrected.as_bytes());
        is_allowed.then(|| format!("{} {corrected}", event.excerpt(command)).trim_end().to_owned())
    }
}

fn shown(letter: u8) -> String {
    format!("-{}", char::from(letter))
}

/// The text as if an empty word stood before each that begins with a dash.
fn with_gaps_before_options(args: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(args.len() * 2);
    for (at, byte) in args.iter().enumerate() {
        text.push(*byte);
        if *byte == b' ' && args.get(at + 1) == Some(&b'-') {
            text.push(b' ');
        }
    }
    text
}

/// Whether the value of one of the options may have a blank: no number, no state of a changelist and
/// no setting of parallel transfers has one.
fn may_have_a_blank<'a>(command: &[u8], words: impl Iterator<Item = Word<'a>>) -> bool {
    let mut option: &[u8] = b"";
    for word in words {
        let is_of_one_word = matches!(option, b"--max" | b"--parallel" | b"--status")
            || !option.starts_with(b"--")
                && (option.ends_with(b"m") || command == b"changes" && option.ends_with(b"s"));
        if !word.text.starts_with(b"-") && !is_of_one_word {
            return true;
        }
        option = word.text;
    }
    false
}

/// No name has such a start, and as the rest of a text it would be rare.
fn is_certainly_a_file(word: &[u8]) -> bool {
    [&b"//"[..], b"...", b"@", b"#"].iter().any(|start| word.starts_with(start))
}

/// Whether the only file argument is of at most `max` changelists, such as `@=N` or `//depot/...@N,M`.
fn are_within(max: u64, mut words: Words<'_>) -> bool {
    let Some(word) = words.next().filter(|_| words.next().is_none()) else { return false };
    let (_, revision) = path_and_revision(word.text);
    let Revision::Range(Range { first: Point::Change(first), last: Some(Point::Change(last)) }) =
        revision_of(revision)
    else {
        return false;
    };
    last.checked_sub(first).is_some_and(|more| more < max)
}

/// Whether all file arguments are at `#none`.
fn removes_files(words: Words<'_>) -> bool {
    let is_at_none = |word| revision_of(path_and_revision(word).1) == Revision::Nothing;
    words.clone().next().is_some() && words.into_iter().all(|word| is_at_none(word.text))
}

fn remarks(rule: &Document, to: &mut Remarks) {
    rescue_mistakes(rule, to);
    synonym_doubts(rule, to);
    let max = value(rule, "max").map(|_| (None, b'm'));
    let letters = ["required", "forbidden"].into_iter().flat_map(|key| {
        texts(rule, key).filter_map(move |(index, option)| {
            Some((Some((key, index)), *option.as_bytes().get(1)?))
        })
    });
    let letters: Vec<_> = letters.chain(max).collect();
    if letters.is_empty() {
        to.mistake(&[], "asks for nothing (write required, forbidden or max)");
    }
    for (place, letter) in &letters {
        let path = match place {
            Some((key, index)) => vec![(*key).into(), (*index).into()],
            None => vec!["max".into()],
        };
        for (_, name) in texts(rule, "commands") {
            if let Some(text) = option_mistake(name, *letter, place.map(|(key, _)| key)) {
                to.mistake(&path, text);
                break;
            }
        }
        if place.is_some_and(|(key, _)| key == "forbidden") {
            let is_required = |(other, own): &(Option<(&str, usize)>, u8)| {
                own == letter && other.is_none_or(|(key, _)| key == "required")
            };
            if letters.iter().any(is_required) {
                let text = format!("{} is required as well (keep one)", shown(*letter));
                to.mistake(&path, text);
            }
        }
    }
    cost_of_p(rule, to);
}

fn option_mistake(name: &str, letter: u8, key: Option<&str>) -> Option<String> {
    let main = resolve_name(name.as_bytes()).main_name;
    let options = options_of(main);
    if options.all().next().is_none() {
        return Some(format!("{name} has no options that p4warden knows (remove {name})"));
    }
    if !options.has(letter) {
        return Some(format!("{name} has no option {} (p4 help {name} lists them)", shown(letter)));
    }
    let needs_value = options.kind(letter).is_some();
    (needs_value && key == Some("required")).then(|| match letter {
        b'm' => "-m needs a number (write max: 1000 instead)".to_owned(),
        _ => format!("{} needs a value, which no rule can choose (remove it)", shown(letter)),
    })
}

fn cost_of_p(rule: &Document, to: &mut Remarks) {
    let is_of_sync = |(_, name): (usize, &str)| resolve_name(name.as_bytes()).main_name == b"sync";
    let p = texts(rule, "required").find(|(_, option)| *option == "-p");
    let p = p.filter(|_| !rule.contains_key("for"));
    if let Some((index, _)) = p.filter(|_| texts(rule, "commands").any(is_of_sync)) {
        let text = "sync -p writes no have records: every sync copies all files again, and a \
            workspace that lasts cannot be brought up to date (for new, empty workspaces of builds \
            only)";
        to.doubt(&["required".into(), index.into()], text);
    }
}
