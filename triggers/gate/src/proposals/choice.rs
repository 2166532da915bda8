//! Sentences about how to choose among proposed lines, and what to put in place of placeholders,
//! with the p4 commands that list the names.
//!
//! The rule `limit_command_scope` allows these commands: `p4 dirs` with one star scans one level
//! (p4 help dirs).

use crate::base::plural::{amount, amount_with_verb};
use crate::base::visible::visible_text;
use crate::facts::depots::MAX_DIRECTORIES;
use crate::paths::depot_path::first_name;
use crate::paths::view_words::{split_flag, words};
use crate::proposals::placeholders::{
    DEPOT, DIRECTORY, LONGER_WORDS, SHORT, WIDER_WORDS, before_placeholder, has_placeholder,
};
use std::collections::BTreeSet;

/// Maximum number of depots in a proposed `p4 dirs` command that lists all top directories.
const MAX_LISTED_DEPOTS: usize = 8;

/// The lines to choose from beside those that a refusal shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Further {
    #[default]
    Nothing,
    Number(usize),
    /// In place of shown ones: with all of them the view would exceed a limit.
    Instead(usize),
    Unknown,
}

/// The lines of a refusal.
#[derive(Clone, Debug, Default)]
pub struct Choice<'c> {
    pub shown: &'c [&'c str],
    pub further: Further,
    /// Those of the further lines that are known.
    pub omitted: &'c [&'c str],
    /// The lines to replace. A depot path that a proposed line has in common with them is not the one
    /// to choose: the line of a branch has two.
    pub refused: &'c [&'c [u8]],
    /// Most bytes of the name in place of `SHORT` for each refused line whose proposal has it; empty
    /// if none has (a directory may be called SHORT). Two of them may have one proposal.
    pub short_bytes: Vec<usize>,
}

/// The sentences below proposed lines, each on a line of its own.
pub fn sentences(choice: &Choice<'_>) -> Vec<String> {
    let common: BTreeSet<_> = choice.refused.iter().flat_map(|line| depot_paths(line)).collect();
    let paths: Vec<_> =
        choice.shown.iter().filter_map(|line| chosen_path(line.as_bytes(), &common)).collect();
    let placeholder_paths: Vec<_> =
        paths.iter().copied().filter(|path| has_placeholder(path, WIDER_WORDS)).collect();
    let mut sentences = Vec::new();
    if !placeholder_paths.is_empty() {
        sentences.push(names_for(&placeholder_paths));
    }
    let is_short = choice.shown.iter().any(|line| has_short(line.as_bytes()));
    if let Some(bytes) = choice.short_bytes.iter().min().filter(|_| is_short) {
        let several = match choice.short_bytes.len() {
            1 => "",
            _ => "; use different names for files from different directories",
        };
        let most = amount(*bytes, "byte");
        sentences.push(format!("Put a name of at most {most} in place of {SHORT}{several}."));
    }
    let omitted = choice.omitted.iter().filter_map(|line| chosen_path(line.as_bytes(), &common));
    let named = paths.iter().copied().chain(omitted);
    let command = all_directories(named.filter(|path| !has_placeholder(path, WIDER_WORDS)));
    let listing = command.map(|command| format!("; this lists all directories: {command}"));
    let listing = listing.unwrap_or_else(|| ".".to_owned());
    match choice.further {
        Further::Nothing | Further::Number(0) | Further::Instead(0) => {}
        Further::Number(number) => {
            let lines_are = amount_with_verb(number, "more such line");
            sentences.push(format!("{lines_are} possible{listing}"));
        }
        Further::Instead(number) => {
            let shown = if choice.shown.len() == 1 { "this one" } else { "these" };
            let lines_are = amount_with_verb(number, "other line");
            sentences.push(format!("{lines_are} possible in place of {shown}{listing}"));
        }
        Further::Unknown => sentences.push(format!("More such lines may be possible{listing}")),
    }
    sentences
}

/// The sentences below paths that are proposed for a command's argument; of a depot's directories only
/// the first are known.
pub fn sentences_for_arguments(paths: &[String]) -> Vec<String> {
    let shown: Vec<&str> = paths.iter().map(String::as_str).collect();
    let is_full = shown.len() >= MAX_DIRECTORIES;
    let further = if is_full { Further::Unknown } else { Further::Nothing };
    sentences(&Choice { shown: &shown, further, ..Choice::default() })
}

/// The sentence that tells the user to replace the placeholders in proposed lines.
fn names_for(paths: &[&[u8]]) -> String {
    let starts: Vec<_> = paths.iter().map(|path| before_placeholder(path)).collect();
    if starts.contains(&&b"/"[..]) {
        return format!(
            "Put names in place of {DEPOT} and {DIRECTORY}; with the depot's name, this lists its \
             directories: p4 dirs \"//{DEPOT}/*\""
        );
    }
    let listing = match command(starts.into_iter()) {
        Some(command) => format!("; this lists the names: {command}"),
        None => ".".to_owned(),
    };
    format!("Put a name in place of {DIRECTORY}{listing}")
}

/// The end of a sentence: a colon and the p4 command that lists names for a placeholder in a path;
/// empty without a safe command.
pub fn where_to_look(path: &[u8], unicode: bool) -> String {
    let listing = listing(path, unicode);
    listing.map(|(names, command)| format!(": {command} lists {names}")).unwrap_or_default()
}

/// The end of a line of advice: the p4 command that lists names for a placeholder in a path; empty
/// without a safe command. It ends the line, so that it can be copied.
pub fn listing_advice(path: &[u8], unicode: bool) -> String {
    let listing = listing(path, unicode);
    listing.map(|(names, command)| format!("; to list {names}: {command}")).unwrap_or_default()
}

/// None if a shell could misread the path, or a message cannot show it unchanged.
fn listing(path: &[u8], unicode: bool) -> Option<(&'static str, String)> {
    let before = before_placeholder(path);
    if before == b"/" {
        return Some(("the depots", "p4 depots".to_owned()));
    }
    let is_shown = visible_text(before, unicode).as_bytes() == before;
    Some(("them", command([before].into_iter()).filter(|_| is_shown)?))
}

/// None if there are too many depots, or a shell might misread a depot's name.
fn all_directories<'p>(paths: impl Iterator<Item = &'p [u8]>) -> Option<String> {
    let mut depots: Vec<Vec<u8>> = Vec::new();
    for path in paths {
        let depot = [b"//", first_name(path)].concat();
        if !depots.contains(&depot) {
            depots.push(depot);
        }
    }
    let are_plain =
        depots.len() <= MAX_LISTED_DEPOTS && depots.iter().all(|depot| is_plain_path(depot));
    command(depots.iter().map(Vec::as_slice)).filter(|_| are_plain)
}

/// The p4 command that lists the directories directly below some depot paths, without those that a
/// shell might misread; None if there are no others.
fn command<'p>(starts: impl Iterator<Item = &'p [u8]>) -> Option<String> {
    let mut words: Vec<String> = Vec::new();
    for start in starts.filter(|start| is_plain_path(start)) {
        let word = format!("\"{}/*\"", str::from_utf8(start).ok()?);
        if !words.contains(&word) {
            words.push(word);
        }
    }
    (!words.is_empty()).then(|| format!("p4 dirs {}", words.join(" ")))
}

/// Whether no shell gives a meaning to any character of a text. Names come from other people, and
/// users paste proposed commands into shells. Letters and digits of any script are safe.
pub fn is_plain(text: &str) -> bool {
    text.chars().all(|c| c.is_alphanumeric() || "_./+-".contains(c))
}

fn is_plain_path(path: &[u8]) -> bool {
    let name = path.strip_prefix(b"//").and_then(|path| str::from_utf8(path).ok());
    name.is_some_and(|name| !name.is_empty() && is_plain(name))
}

fn has_short(line: &[u8]) -> bool {
    // A stream's own path has no slash before it.
    words(line).any(|word| has_placeholder(&[b"/", word].concat(), LONGER_WORDS))
}

/// The first depot path of a proposed line that the refused lines do not have, or else its first.
fn chosen_path<'l>(line: &'l [u8], common: &BTreeSet<&[u8]>) -> Option<&'l [u8]> {
    depot_paths(line).find(|path| !common.contains(path)).or_else(|| depot_paths(line).next())
}

fn depot_paths(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    words(line).map(|word| split_flag(word).1).filter(|word| word.starts_with(b"//"))
}
