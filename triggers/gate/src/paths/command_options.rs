//! The options of p4 commands with file arguments: which options take a value, and the behaviour of
//! each command without a file argument.
//!
//! Taken from the synopsis of each command (`p4 help fstat` and so on, msgs/msghelp.cc of
//! Perforce's C++ API). The notation of the options follows support/options.cc of that API: `m:`
//! means `-m10` or `-m 10`, `O.` means only `-Ofx`. Options not listed take no value. The file that
//! `-s` names for integrate and similar commands counts as a file argument.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DefaultFiles {
    /// A revision alone stands for all files, `//...` (`p4 files @label`).
    NeedsFiles,
    /// Lists changelists or similar records.
    LooksAtNone,
    /// Reads what the client's view, a branch or a stream maps, or files unknown to the gate.
    Elsewhere,
}

#[derive(Clone, Copy, Debug)]
pub struct Options {
    letters: &'static [u8],
    pub default_files: DefaultFiles,
}

/// A command that is not in the table has no such options and reads unknown files (`Elsewhere`).
#[must_use]
pub fn options_of(command: &[u8]) -> Options {
    let row = COMMANDS
        .iter()
        .find(|(names, _, _)| names.split(' ').any(|name| name.as_bytes() == command));
    let (letters, default_files) = row
        .map_or(("", DefaultFiles::Elsewhere), |(_, letters, default_files)| {
            (*letters, *default_files)
        });
    Options { letters: letters.as_bytes(), default_files }
}

/// If written without `=`; this holds for all p4 commands alike.
#[must_use]
pub fn takes_value(name: &[u8]) -> bool {
    LONG.split(' ').any(|option| option.as_bytes() == name)
}

/// The letter of a long option that the table of bounds names or that changes the output only
/// (support/options.cc of Perforce's C++ API); None for all others.
#[must_use]
pub fn long_option(name: &[u8]) -> Option<u8> {
    let entry = LETTERS.iter().find(|(long, _)| long.as_bytes() == name);
    entry.map(|(_, letter)| *letter)
}

impl Options {
    /// `:` for an attached value or the next word, `.` for an attached value only.
    #[must_use]
    pub fn kind(&self, letter: u8) -> Option<u8> {
        let at = self.letters.iter().step_by(2).position(|option| *option == letter)?;
        self.letters.get(2 * at + 1).copied()
    }
}

use DefaultFiles::{Elsewhere, LooksAtNone, NeedsFiles};

const COMMANDS: [(&str, &str, DefaultFiles); 32] = [
    ("annotate", "d.", NeedsFiles),
    ("archive restore", "D:", NeedsFiles),
    ("branches clients", "E:e:m:u:", Elsewhere),
    ("changes", "c:e:m:s:u:", LooksAtNone),
    ("copy integrate merge", "P:S:b:c:m:D.O.R.", Elsewhere),
    ("cstat", "", Elsewhere),
    ("describe", "d.m:", Elsewhere),
    ("diff", "m:d.s.O.", Elsewhere),
    ("diff2", "P:S:b:d.O.", Elsewhere),
    ("dirs", "S:", NeedsFiles),
    ("duplicate obliterate", "", NeedsFiles),
    ("filelog", "c:m:", NeedsFiles),
    ("files", "m:", NeedsFiles),
    ("fixes", "c:j:m:", LooksAtNone),
    ("fstat", "A:F:T:c:e:m:D.O.R.S.", NeedsFiles),
    ("grep", "A:B:C:e:", NeedsFiles),
    ("have where", "", Elsewhere),
    ("integrated", "b:", Elsewhere),
    ("interchanges", "P:S:b:", Elsewhere),
    ("jobs", "e:m:", Elsewhere),
    ("labels", "E:e:m:u:", LooksAtNone),
    ("labelsync tag", "l:", Elsewhere),
    ("list", "l:", NeedsFiles),
    ("opened", "C:c:m:u:", LooksAtNone),
    ("populate", "P:S:b:d:m:", Elsewhere),
    ("print", "B:L:Q:m:o:", NeedsFiles),
    ("reconcile", "c:", Elsewhere),
    ("retype", "t:", NeedsFiles),
    ("sizes", "b:m:", NeedsFiles),
    ("streams", "F:T:m:", Elsewhere),
    ("sync", "m:", Elsewhere),
    ("verify", "b:m:", NeedsFiles),
];

const LETTERS: [(&str, u8); 35] = [
    ("after-context", b'A'),
    ("attribute-pattern", b'A'),
    ("before-context", b'B'),
    ("blocksize", b'b'),
    ("branch", b'b'),
    ("brief", b'L'),
    ("change", b'c'),
    ("client", b'c'),
    ("context", b'C'),
    ("diff-flags", b'd'),
    ("expression", b'e'),
    ("file", b'o'),
    ("files-with-matches", b'l'),
    ("files-without-match", b'L'),
    ("filter", b'F'),
    ("force", b'f'),
    ("keep-client", b'k'),
    ("label", b'l'),
    ("line-number", b'n'),
    ("long", b'l'),
    ("max", b'm'),
    ("no-messages", b's'),
    ("output-flags", b'O'),
    ("preview", b'n'),
    ("quiet", b'q'),
    ("restrict-flags", b'R'),
    ("reverse", b'r'),
    ("safe", b's'),
    ("short", b's'),
    ("show-time", b't'),
    ("sort-flags", b'S'),
    ("status", b's'),
    ("stream", b'S'),
    ("tags", b'T'),
    ("user", b'u'),
];

/// Names of the long options of p4 commands that always take a value (support/options.cc of
/// Perforce's C++ API).
const LONG: &str = "accept-flags after-context attribute-pattern before-context blocksize branch \
    change context delete-flags description diff-flags diff-list-flag equal expression file \
    file-charset filetype filter force-flag from integ-flags job label max max-size min-size \
    output-flags parallel parent regexp resolve-flags restrict-flags shelf sort-flags tags \
    viewmatch";
