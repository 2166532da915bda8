//! Table of the commands, options and revisions that bound the number of records p4d reads,
//! whatever path a command names, and of those that only appear to.
//!
//! `docs/command-bounds.md` contains the same table; a test compares the two. In the column of
//! sources, "inferred" marks an effect that was neither observed nor documented.

/// The conditions, in the table of scan bounds, under which the number of records that p4d reads
/// for a command is bounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoundCondition {
    /// Condition that always holds: the number of records that p4d reads is bounded whatever the
    /// command's arguments are.
    Always,
    /// Condition that the command has the option with the given letter and, if further letters are
    /// given, that one of these is attached to the option, as in `-Rs`. Such an option bounds the
    /// number of records that p4d reads.
    Option(u8, &'static [u8]),
    /// Condition that the command is `changes -mN` (the latest N changelists) with N from 1 to
    /// `MOST_LATEST`, without a revision and with no option other than `-s submitted`, `-t`, `-l`,
    /// `-L` and `-f`. It bounds the records that p4d reads.
    Latest,
    /// Condition that a file's revision names one changelist, or a short range of changelists, by
    /// number. It bounds the records that p4d reads.
    Changes,
    /// No condition: the number of records that p4d reads is never bounded. For arguments that only
    /// appear to bound it, such as `changes -mN PATH@REV`.
    Never,
}

/// Row of the table of scan bounds: commands, the form of their arguments, the records that p4d
/// then reads, the condition under which their number is bounded, and the source.
#[derive(Clone, Copy, Debug)]
pub struct Bound {
    /// Main names of the p4 commands in a row of the table of scan bounds (arguments that limit, or
    /// appear to limit, the number of records that p4d reads), such as `sync` (not its synonym
    /// `flush`), separated by blanks; empty for every command.
    pub commands: &'static str,
    /// Condition of this row of the table of scan bounds: when a command's arguments bound the
    /// number of records that p4d reads. `Never` marks arguments that only appear to bound it.
    pub condition: BoundCondition,
    /// Form of a command's arguments, as a user writes it, that limits or appears to limit the
    /// number of records that p4d reads, such as `-mN PATH@REV`.
    pub form: &'static str,
    /// Description, shown in the documentation, of the records that p4d reads for a command with
    /// arguments of the given form.
    pub records_read: &'static str,
    /// Sources, such as a help text or a log, for the records that p4d reads for a command with
    /// arguments of the given form; they contain the word `inferred` if the documents do not state
    /// the records.
    pub source: &'static str,
}

use BoundCondition::{Always, Changes, Latest, Never, Option as By};

/// The greatest N for which `changes -mN` counts as reading a bounded number of records. Equals the
/// default of the configurable `dm.changes.thresh2` (10,000 matching rows), after which p4d reads
/// changelists from the latest backwards.
pub const MOST_LATEST: u64 = 10_000;
/// The greatest difference between the numbers of two changelists whose range counts as short;
/// p4warden's own choice.
pub const MOST_CHANGES: u64 = 1_000;

/// The table of the commands, options and revisions that bound the number of records p4d reads, and
/// of those that only appear to bound it (`Never`).
pub const BOUNDS: [Bound; 17] = [
    row(
        "sync have reconcile",
        Always,
        "any path",
        "files of the client's view",
        "p4 help sync, have, reconcile; sync //... of a narrow client took 31 to 41 ms in server logs",
    ),
    row(
        "edit delete revert reopen lock unlock",
        Always,
        "any path",
        "files of the client",
        "p4 help edit, revert; inferred",
    ),
    row("opened", Always, "any path", "opened files", "p4 help opened; inferred"),
    row("where", Always, "any path", "the client's view alone", "p4 help where; inferred"),
    row(
        "changes",
        Latest,
        "-mN PATH, N up to 10,000",
        "the latest changelists",
        "configurables dm.changes.thresh1 and thresh2 (p4 help undoc)",
    ),
    row(
        "",
        Changes,
        "PATH@=N, PATH@N,M up to 1,000 apart",
        "files of these changelists",
        "configurables dm.revcx.thresh1 and thresh2 (p4 help undoc)",
    ),
    row("fstat", By(b'e', b""), "-e N", "files of one changelist", "p4 help fstat"),
    row(
        "fstat",
        By(b'c', b""),
        "-c N",
        "files changed since a changelist",
        "p4 help fstat: much faster than a revision range",
    ),
    row(
        "fstat",
        By(b'R', b"onrsu"),
        "-Ro -Rn -Rr -Rs -Ru",
        "opened or shelved files",
        "p4 help fstat; inferred",
    ),
    row("fstat", By(b'W', b""), "-W", "opened files", "p4 help fstat; inferred"),
    row(
        "fstat sync",
        By(b'L', b""),
        "-L",
        "the files named, each with a revision",
        "p4 help fstat, sync",
    ),
    row("filelog", By(b'c', b""), "-c N", "files of one changelist", "p4 help filelog; inferred"),
    row(
        "changes",
        Never,
        "-mN PATH@REV",
        "all revisions below the path",
        "a server log: 22,442,266 rows of db.rev in 60.9 s",
    ),
    row("fstat", Never, "-mN", "all files below the path; it limits the output", "p4 help fstat"),
    row("fstat", Never, "-F FILTER", "all files below the path", "p4 help fstat"),
    row(
        "filelog",
        Never,
        "-mN",
        "all files below the path; it limits revisions of each",
        "p4 help filelog",
    ),
    row(
        "",
        Never,
        "PATH@N, PATH@LABEL, PATH@DATE, PATH#REV",
        "all files below the path",
        "p4 help revisions; inferred",
    ),
];

const fn row(
    commands: &'static str,
    condition: BoundCondition,
    form: &'static str,
    records_read: &'static str,
    source: &'static str,
) -> Bound {
    Bound { commands, condition, form, records_read, source }
}

/// Whether, according to the table of scan bounds, a command (given by its main name) reads a
/// bounded number of records whatever its arguments are.
#[must_use]
pub fn is_always_bounded(command: &[u8]) -> bool {
    of(command).any(|bound| bound.condition == Always)
}

/// Whether, according to the table of scan bounds, an option of a command, together with the
/// letters attached to it, bounds the number of records that the command reads.
#[must_use]
pub fn is_bounded_by(command: &[u8], letter: u8, attached: &[u8]) -> bool {
    of(command).any(|bound| match bound.condition {
        By(option, values) => {
            option == letter
                && (values.is_empty() || attached.iter().any(|value| values.contains(value)))
        }
        _ => false,
    })
}

/// Whether a command certainly requests only the latest changelists of its paths, at most
/// `MOST_LATEST`, as `changes -m1 PATH` does; false if a revision, an option that filters
/// changelists, a quotation mark or repeated blanks may mean otherwise.
#[must_use]
pub fn asks_for_the_latest(command: &[u8], args: &[u8]) -> bool {
    of(command).any(|bound| bound.condition == Latest) && is_plain(args) && latest(args).is_some()
}

fn latest(args: &[u8]) -> Option<()> {
    let mut words = args.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let mut most = None;
    while let Some(word) = words.next() {
        match word {
            b"-m" | b"--max" => most = Some(number(words.next()?)?),
            b"-s" | b"--status" => (words.next()? == b"submitted").then_some(())?,
            b"-ssubmitted" | b"--status=submitted" | b"-t" | b"-l" | b"-L" | b"-f" => {}
            _ if word.starts_with(b"-") => {
                let attached = word.strip_prefix(b"-m").or(word.strip_prefix(b"--max="))?;
                most = Some(number(attached)?);
            }
            _ if word.iter().any(|byte| matches!(byte, b'#' | b'@')) => return None,
            _ => {}
        }
    }
    (1..=MOST_LATEST).contains(&most?).then_some(())
}

fn is_plain(args: &[u8]) -> bool {
    let blank = |byte: &u8| byte.is_ascii_whitespace() || *byte == 0x0b;
    !args.contains(&b'"') && !args.windows(2).any(|pair| pair.iter().all(blank))
}

/// Whether the revision of a file argument, given from its `#` or `@` on, names one changelist
/// (`@=N`) or a short range of them (`@N,M`) by number; false for all others, such as `@N`, a date,
/// a label or `#N`.
#[must_use]
pub fn is_of_few_changes(revision: &[u8]) -> bool {
    let Some(range) = revision.strip_prefix(b"@") else { return false };
    if let Some(one) = range.strip_prefix(b"=") {
        return number(one).is_some();
    }
    let mut ends = range.splitn(2, |byte| *byte == b',');
    let first = ends.next().and_then(number);
    let last = ends.next().and_then(|last| number(last.strip_prefix(b"@").unwrap_or(last)));
    first.zip(last).is_some_and(|(first, last)| first <= last && last - first <= MOST_CHANGES)
}

fn of(command: &[u8]) -> impl Iterator<Item = &'static Bound> {
    BOUNDS.iter().filter(move |bound| {
        bound.commands.split(' ').any(|name| !name.is_empty() && name.as_bytes() == command)
    })
}

/// Parses a changelist number or count of digits only; None for any other text, and for a number
/// beyond 64 bits.
fn number(digits: &[u8]) -> Option<u64> {
    let plain = !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
    plain.then(|| str::from_utf8(digits).ok()?.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_documentation_page_lists_every_bound() {
        let page = include_str!("../../../docs/command-bounds.md");
        let rows: Vec<&str> = page.lines().filter(|line| line.starts_with("| ")).skip(1).collect();
        let expected = BOUNDS.map(|bound| {
            let commands = if bound.commands.is_empty() { "every command" } else { bound.commands };
            let bounds = if bound.condition == Never { "no" } else { "yes" };
            format!(
                "| {commands} | `{}` | {bounds} | {} | {} |",
                bound.form, bound.records_read, bound.source
            )
        });
        assert_eq!(rows, expected);
    }

    #[test]
    fn only_a_plain_changes_command_with_a_small_limit_reads_the_latest() {
        let is_latest = |args: &str| asks_for_the_latest(b"changes", args.as_bytes());
        assert!(is_latest("-m1 -ssubmitted //depot/..."));
        assert!(is_latest("-m 10 -s submitted -l //depot/... //..."));
        assert!(is_latest("--max=5 //depot/..."));
        assert!(!is_latest("//depot/..."));
        assert!(!is_latest("-m0 //depot/..."));
        assert!(!is_latest("-m 20000 //depot/..."));
        assert!(!is_latest("-m1 //depot/...@<=764311"));
        assert!(!is_latest("-m1 -u ann //depot/..."));
        assert!(!is_latest("-m1 -i //depot/..."));
        assert!(!is_latest("-m1  -u ann //depot/..."));
        assert!(!is_latest("-m1 \"//depot/...@x\""));
        assert!(!is_latest("-m"));
        assert!(!asks_for_the_latest(b"files", b"-m1 //depot/..."));
    }

    #[test]
    fn few_changes_are_one_change_or_a_short_range() {
        for revision in ["@=12", "@100,110", "@100,@110", "@5,5", "@1,1001"] {
            assert!(is_of_few_changes(revision.as_bytes()), "{revision}");
        }
        let others =
            "@12 @=12,@now @100, @,5 @1,1002 @110,100 @nightly @<=7 @>5,9 #1,3 @100,now @=";
        for revision in others.split(' ') {
            assert!(!is_of_few_changes(revision.as_bytes()), "{revision}");
        }
    }
}
