//! Rule `limit_scanned_rows`: objects to a command that would read more records than the policy
//! allows, as estimated from the checkpoint index.
//!
//! The result is three-valued: an argument for which the index lacks data has an unknown cost,
//! which never leads to a refusal. Options and revisions do not lower an estimate, except `changes
//! -m` on a path without a revision.

use crate::event::command_event::Event;
use crate::event::finding::{Amount, Finding, Fix};
use crate::paths::command_line::{CommandLine, Word, Words};
use crate::paths::command_options::{DefaultFiles, options_of};
use crate::policy::compiled::ScanLimits;
use crate::rules::limit_command_scope::{UNEXPANDED, is_left_out, path_of, with_blanks};
use crate::rules::narrower_path::is_plain;
use crate::rules::rule_result::RuleResult;
use crate::rules::scanned_argument::{Access, Scan};
use crate::rules::smaller_part::smaller_part;
use p4warden_index::estimate::count::Table;

const SUMMARY: &str = "a command would look through more records than the policy allows";
/// Names of the p4 commands with an estimate, and of their synonyms, that are limited to the
/// client's view, even for arguments in depot syntax.
const BY_VIEW: &str = "clean flush have rec reconcile status sync update";
/// Names of the p4 commands, with synonyms, that read the revision records of their arguments (`p4
/// help maxresults` lists the units).
const OF_REVISIONS: &str = "annotate changelists changes filelog verify";
/// Names of p4 commands that read the file records of their arguments. There is no estimate for `p4
/// opened`, `p4 where` and other commands, because the tables that they read are not in the index.
const OF_FILES: &str = "copy cstat diff diff2 dirs files fstat grep integ integrate interchanges \
    labelsync list merge populate print sizes tag";

/// Judges a command by one rule `limit_scanned_rows`: by the estimated number of records that all
/// its arguments together make the server read.
#[must_use]
pub fn find(settings: &ScanLimits, event: &Event<'_>) -> RuleResult<'static> {
    let args = event.args.filter(|args| *args != UNEXPANDED);
    let (Some(args), Some(index), Some(access)) = (args, event.index, access_of(event.command))
    else {
        return RuleResult { is_unknown: true, ..RuleResult::default() };
    };
    let limit = match access.table {
        Table::Files => settings.max_files,
        Table::Revisions => settings.max_revisions,
    };
    let scan = Scan::new(index, event, access);
    let arguments = estimates(&scan, args);
    let sum = arguments.iter().filter_map(|argument| argument.rows).fold(0, u64::saturating_add);
    let is_unknown = arguments.iter().any(|argument| argument.rows.is_none());
    if sum > limit {
        let widest = arguments.iter().max_by_key(|argument| argument.rows);
        let objection = widest.map(|widest| finding(&scan, widest, arguments.len(), sum, limit));
        return RuleResult {
            estimate: Some(sum),
            ..objection.map(RuleResult::from).unwrap_or_default()
        };
    }
    RuleResult { is_unknown, estimate: Some(sum).filter(|_| !is_unknown), ..RuleResult::default() }
}

/// Estimates from the checkpoint index the number of records that a command reads; None if unknown.
#[must_use]
pub fn estimate(event: &Event<'_>) -> Option<u64> {
    let unlimited = ScanLimits { max_files: u64::MAX, max_revisions: u64::MAX };
    find(&unlimited, event).estimate
}

/// The kind of records that a p4 command reads, and whether the command is limited to the client's
/// view; None for a command that reads other tables than the index counts.
#[must_use]
pub fn access_of(command: &[u8]) -> Option<Access> {
    let is_one_of = |names: &str| names.split_whitespace().any(|name| name.as_bytes() == command);
    let goes_by_view = is_one_of(BY_VIEW);
    let table = if is_one_of(OF_REVISIONS) {
        Table::Revisions
    } else if goes_by_view || is_one_of(OF_FILES) {
        Table::Files
    } else {
        return None;
    };
    Some(Access { table, goes_by_view })
}

/// A file argument of a command, or the command as a whole, with its estimated number of records.
struct Argument<'a> {
    /// The text of the file argument; None if the estimate is for the command as a whole.
    word: Option<&'a [u8]>,
    /// Estimated number of records that the server reads for the file argument or the command; None
    /// if unknown.
    rows: Option<u64>,
}

fn estimates<'a>(scan: &Scan<'_>, args: &'a [u8]) -> Vec<Argument<'a>> {
    let command = scan.event.command;
    let options = options_of(command);
    let line = CommandLine::read(command, args);
    let words = line.words();
    let first = words.clone().next().map_or(usize::MAX, |word| word.number);
    let before = Words::of(args).take_while(|word| word.number < first);
    let option_words: Vec<&[u8]> = before.map(|word| word.text).collect();
    // With `-b` (branch) or `-S` (stream) the number of records is unknown: a branch or a stream
    // maps the files, which the index cannot resolve.
    let has_option =
        |letter: u8| option_words.iter().any(|word| word.get(..2) == Some(&[b'-', letter]));
    if [b'b', b'S'].iter().any(|letter| options.kind(*letter) == Some(b':') && has_option(*letter))
    {
        return vec![Argument { word: None, rows: None }];
    }
    let most = value_of_m(&option_words).filter(|_| command.starts_with(b"change"));
    // An option value that is a path counts as a file argument: the option's real value may have
    // been an empty word, which p4d drops from `%args%`.
    let values = line.values.iter().filter(|word| word.text.starts_with(b"//"));
    let argument = |word: &'a [u8]| {
        let rows = rows(scan, word, options.default_files);
        let bound = most.filter(|_| path_of(word).len() == word.len());
        Argument { word: Some(word), rows: rows.map(|rows| rows.min(bound.unwrap_or(u64::MAX))) }
    };
    let mut arguments = arguments_of(words, argument);
    arguments.extend(values.map(|word| argument(word.text)));
    if arguments.is_empty() {
        let rows = rows_alone(scan, options.default_files);
        arguments.push(Argument { word: None, rows });
    }
    arguments
}

/// Estimates the records of each file argument among the words. A path with a blank can be read as
/// one argument or as several; the reading as one counts if its estimate is above 0 and not below
/// that of the other reading.
fn arguments_of<'a>(
    mut words: impl Iterator<Item = Word<'a>> + Clone,
    argument: impl Fn(&'a [u8]) -> Argument<'a>,
) -> Vec<Argument<'a>> {
    let mut arguments = Vec::new();
    while let Some(word) = words.next() {
        let first_argument = argument(word.text);
        let Some((text, last)) = with_blanks(&word, words.clone()) else {
            arguments.push(first_argument);
            continue;
        };
        let mut later_words = words.clone();
        let further_words = later_words.by_ref().take(last - word.number);
        let separate_rows = further_words.fold(first_argument.rows, |sum, word| {
            Some(sum?.saturating_add(argument(word.text).rows?))
        });
        let joined_argument = argument(text);
        if joined_argument.rows > Some(0) && joined_argument.rows >= separate_rows {
            arguments.push(joined_argument);
            words = later_words;
        } else {
            arguments.push(first_argument);
        }
    }
    arguments
}

/// The number in a p4 command's option `-m`, attached to it or in the next word; None if there is
/// none, or if it is 0 or no number.
fn value_of_m(options: &[&[u8]]) -> Option<u64> {
    let place = options.iter().position(|word| word.starts_with(b"-m"))?;
    let attached = options.get(place)?.get(2..).filter(|value| !value.is_empty());
    let value = attached.or_else(|| options.get(place + 1).copied())?;
    str::from_utf8(value).ok()?.parse().ok().filter(|most| *most > 0)
}

fn rows(scan: &Scan<'_>, word: &[u8], alone: DefaultFiles) -> Option<u64> {
    let path = path_of(word);
    let revision = word.get(path.len()..).unwrap_or_default();
    if is_left_out(word) || !is_known(revision) {
        return None;
    }
    match (path.is_empty(), alone) {
        (false, _) => scan.rows(path),
        (true, DefaultFiles::NeedsFiles) => scan.rows(b"//..."),
        (true, alone) => rows_alone(scan, alone),
    }
}

/// Estimated number of records that a command without a file argument reads; None if unknown.
fn rows_alone(scan: &Scan<'_>, alone: DefaultFiles) -> Option<u64> {
    match alone {
        _ if scan.access.goes_by_view => scan.rows_of_view(None),
        DefaultFiles::NeedsFiles | DefaultFiles::LooksAtNone => Some(0),
        DefaultFiles::Elsewhere => None,
    }
}

/// Whether the revision of a file argument cannot be the name of a label; p4d reads the files of a
/// label from another table.
fn is_known(revision: &[u8]) -> bool {
    let is_of_date = |byte: &u8| byte.is_ascii_digit() || b"@<>=/:".contains(byte);
    revision.split(|byte| *byte == b',').all(|part| {
        let is_now = part == b"@now" || part == b"now";
        part.starts_with(b"#") || is_now || part.iter().all(is_of_date)
    })
}

fn finding(scan: &Scan<'_>, widest: &Argument<'_>, of: usize, sum: u64, limit: u64) -> Finding {
    let command = scan.event.excerpt(scan.event.command);
    let item = widest.word.map_or_else(|| command.clone(), |word| scan.event.excerpt(word));
    let unit = match scan.access.table {
        Table::Files => "files",
        Table::Revisions => "revisions",
    };
    let problem = format!(
        "would read about {} {unit}; at most {} {} allowed",
        with_separators(round_down(sum)),
        with_separators(limit),
        if limit == 1 { "is" } else { "are" }
    );
    let detail = match widest.word {
        None => format!("{command} for the whole client {problem}"),
        Some(_) if of > 1 => format!("{command} for {item} and {} more {problem}", of - 1),
        Some(_) => format!("{command} for {item} {problem}"),
    };
    let place = if widest.word.is_some() { "Argument" } else { "Command" }.to_owned();
    Finding {
        summary: SUMMARY,
        item,
        place,
        problem,
        detail,
        value: Amount::Number(sum),
        limit: Amount::Number(limit),
        fix: Fix::Advice(advice(scan, widest, limit, unit)),
        wait_ns: None,
    }
}

/// Returns advice to run the command for a smaller part of the files, with a command to copy or the
/// path of such a part if one is found.
fn advice(scan: &Scan<'_>, widest: &Argument<'_>, limit: u64, unit: &str) -> String {
    let path = widest.word.map(path_of).filter(|path| !path.is_empty());
    // A path that a refusal would show escaped or cut is not proposed, because it would name other
    // files.
    let part = smaller_part(scan, path, limit)
        .map(|(part, rows)| (scan.event.excerpt(&part), part, rows))
        .filter(|(text, part, _)| text.as_bytes() == part);
    let Some((part, _, rows)) = part else {
        return "Run it for the directories that you need, one after another.".to_owned();
    };
    let rows = with_separators(round_down(rows));
    let args = scan.event.args.unwrap_or_default().trim_ascii();
    let example = if args == path.unwrap_or_default() && is_plain(&part) {
        format!(": p4 {} {part}", scan.event.excerpt(scan.event.command))
    } else {
        format!(" is {part}")
    };
    format!(
        "Run it for the part that you need, or for one part after another. \
         A part of about {rows} {unit}{example}"
    )
}

/// Rounds an estimate down to three significant digits.
fn round_down(number: u64) -> u64 {
    let unit = 10_u64.pow(number.checked_ilog10().unwrap_or(0).saturating_sub(2));
    number / unit * unit
}

/// Formats a number with thousands separators, such as `12,400,000`.
fn with_separators(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn estimates_are_rounded_and_grouped_by_thousands() {
        assert_eq!(with_separators(round_down(12_412_345)), "12,400,000");
        assert_eq!(with_separators(round_down(999)), "999");
        assert_eq!(with_separators(round_down(0)), "0");
        assert_eq!(with_separators(round_down(u64::MAX)), "18,400,000,000,000,000,000");
    }

    #[test]
    fn revisions_with_labels_are_unknown() {
        for revision in
            ["", "#head", "@12", "@=12", "@2026/01/02:10:00:00,@now", "@12,#have", "@>5"]
        {
            assert!(is_known(revision.as_bytes()), "{revision}");
        }
        for label in ["@release", "@1,@label", "@12a"] {
            assert!(!is_known(label.as_bytes()), "{label}");
        }
    }
}
