//! Proposal of a cheaper command in place of one that would read too many records: what changed
//! since a changelist, only opened files, only the newest changelists.
//!
//! Each proposal is judged by the same policy before it is made.

use crate::contract::rule_result::Allows;
use crate::event::command_event::Event;
use crate::paths::argument_words::Words;
use crate::paths::command_bounds::CommandBounds;
use crate::paths::command_line::CommandLine;
use crate::paths::depot_path::path_of;
use crate::proposals::choice::is_plain;
use crate::rules::limit_scanned_rows::argument::Scan;
use p4warden_index::estimate::changes::ChangeRange;
use p4warden_index::file::index::Index;

/// A sentence with a cheaper command that the policy allows; None if there is none. `argument` is
/// the widest file argument, None for a command without one.
#[must_use]
pub fn narrower_command(
    scan: &Scan<'_>,
    argument: Option<&[u8]>,
    limit: u64,
    allows: Allows<'_>,
) -> Option<String> {
    let text = as_written(scan.event)?;
    match scan.event.name.main_name {
        b"sync" => since_a_changelist(scan, text, argument, limit, allows),
        b"fstat" => with_options(scan, text, "-Ro", "To see only your opened files", allows),
        b"changes" => {
            with_options(scan, text, "-m 20", "To see only the newest 20 changelists", allows)
        }
        _ => None,
    }
}

/// The arguments of a command, to be proposed with changes; None if a shell or a refusal would change
/// them.
#[must_use]
pub fn as_written<'e>(event: &Event<'e>) -> Option<&'e str> {
    let args = event.args?.trim_ascii();
    let can_be_shown = event.excerpt(args).as_bytes() == args
        && Words::of(args).all(|word| {
            str::from_utf8(path_of(word.text)).is_ok_and(|text| is_plain(&text.replace('=', "")))
        })
        && !args.contains(&b'"');
    can_be_shown.then(|| str::from_utf8(args).ok())?
}

fn with_options(
    scan: &Scan<'_>,
    args: &str,
    options: &str,
    purpose: &str,
    allows: Allows<'_>,
) -> Option<String> {
    let proposal = format!("{options} {args}");
    let proposal = proposal.trim_end();
    let command = scan.event.excerpt(scan.event.command);
    allows(proposal.as_bytes()).then(|| format!("{purpose}: p4 {command} {proposal}"))
}

/// The same sync from the changelist on that the user last synced completely. It brings all that is
/// missing only if the client's view is the same as then, so as far as known.
fn since_a_changelist(
    scan: &Scan<'_>,
    args: &str,
    argument: Option<&[u8]>,
    limit: u64,
    allows: Allows<'_>,
) -> Option<String> {
    let argument = str::from_utf8(argument.unwrap_or_default()).ok()?;
    let path = str::from_utf8(path_of(argument.as_bytes())).ok()?;
    let is_up_to_newest = matches!(argument.strip_prefix(path)?, "" | "#head" | "@now");
    let is_same_view = scan.index.has_view_of_checkpoint(scan.event.client?).ok()?;
    if !is_up_to_newest || !is_same_view || has_other_files(args, argument) {
        return None;
    }
    let (first, records) = earliest_within(scan.index, limit)?;
    let start = args.strip_suffix(argument)?;
    let from = |change: &str| format!("{start}{}{path}@{change},#head", gap(start));
    if !allows(from(&first.to_string()).as_bytes()) {
        return None;
    }
    let command = scan.event.excerpt(scan.event.command);
    Some(format!(
        "To bring only what changed since N, the changelist that you last synced completely: \
         p4 {command} {} (allowed from N = {first} on, which is at most {records} files)",
        from("N")
    ))
}

fn gap(start: &str) -> &'static str {
    if start.is_empty() || start.ends_with(' ') { "" } else { " " }
}

/// Whether the words after the options name other files than the argument, or several.
fn has_other_files(args: &str, argument: &str) -> bool {
    let bounds = CommandBounds::of(b"sync");
    let line = CommandLine::read(&bounds, args.as_bytes());
    line.readings.iter().any(|reading| {
        let mut words = reading.words.map(|word| word.text);
        words.next().is_some_and(|word| word != argument.as_bytes()) || words.next().is_some()
    })
}

/// The earliest changelist from which on at most `limit` records of files follow, and their number.
fn earliest_within(index: &Index, limit: u64) -> Option<(u64, u64)> {
    let records = |first| {
        let count = index.count_changes(ChangeRange { first, last: None }).ok().flatten();
        count.map(|count| count.at_most)
    };
    let (mut too_early, mut enough) = (0, index.newest_change().ok()??);
    if records(enough)? > limit {
        return None;
    }
    while enough - too_early > 1 {
        let middle = too_early + (enough - too_early) / 2;
        if records(middle)? > limit { too_early = middle } else { enough = middle }
    }
    Some((enough, records(enough)?))
}
