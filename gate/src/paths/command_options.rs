//! The options of p4 commands with file arguments: which options take a value, and the behaviour of
//! each command without a file argument.
//!
//! Taken from the synopsis of each command (`p4 help fstat` and so on, msgs/msghelp.cc of
//! Perforce's C++ API). The notation of the options follows support/options.cc of that API: `m:`
//! means `-m10` or `-m 10`, `O.` means only `-Ofx`. Options not listed take no value. The file that
//! `-s` names for integrate and similar commands counts as a file argument.

/// The files that a p4 command reads when its arguments name no file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DefaultFiles {
    /// Behaviour of a p4 command that requires a file argument. A revision alone stands for all
    /// files, `//...` (`p4 files @label`).
    NeedsFiles,
    /// Behaviour of a p4 command that reads no files when its arguments name none; it lists
    /// changelists or similar records.
    LooksAtNone,
    /// Behaviour of a p4 command that, when its arguments name no file, reads the files mapped by
    /// the client's view, a branch or a stream, or files unknown to the gate.
    Elsewhere,
}

/// The options of one p4 command that take a value, and its behaviour without a file.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    letters: &'static [u8],
    /// Behaviour of the p4 command when its arguments name no file.
    pub default_files: DefaultFiles,
}

/// Looks up a p4 command in the table `COMMANDS`: its options with values, and its behaviour
/// without a file. A command that is not in the table counts as having no such options and, without
/// a file, as reading unknown files (`Elsewhere`).
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

/// Whether the long option `--name`, if written without `=`, takes the next word as its value. This
/// holds for all p4 commands alike.
#[must_use]
pub fn takes_value(name: &[u8]) -> bool {
    LONG.split(' ').any(|option| option.as_bytes() == name)
}

impl Options {
    /// The way in which an option of a p4 command takes a value: `:` for an attached value or the
    /// next word, `.` for an attached value only, None for an option without a value.
    #[must_use]
    pub fn kind(&self, letter: u8) -> Option<u8> {
        let at = self.letters.iter().step_by(2).position(|option| *option == letter)?;
        self.letters.get(2 * at + 1).copied()
    }
}

use DefaultFiles::{Elsewhere, LooksAtNone, NeedsFiles};

const COMMANDS: [(&str, &str, DefaultFiles); 22] = [
    ("annotate", "d.", NeedsFiles),
    ("changes", "c:e:m:s:u:", LooksAtNone),
    ("copy integrate merge", "P:S:b:c:m:D.O.R.", Elsewhere),
    ("diff", "m:d.s.O.", Elsewhere),
    ("diff2", "P:S:b:d.O.", Elsewhere),
    ("dirs", "S:", NeedsFiles),
    ("filelog", "c:m:", NeedsFiles),
    ("files", "m:", NeedsFiles),
    ("fixes", "c:j:m:", LooksAtNone),
    ("fstat", "A:F:T:c:e:m:D.O.R.S.", NeedsFiles),
    ("grep", "A:B:C:e:", NeedsFiles),
    ("have where", "", Elsewhere),
    ("integrated", "b:", Elsewhere),
    ("interchanges", "P:S:b:", Elsewhere),
    ("labelsync tag", "l:", Elsewhere),
    ("list", "l:", NeedsFiles),
    ("opened", "C:c:m:u:", LooksAtNone),
    ("populate", "P:S:b:d:m:", Elsewhere),
    ("print", "m:o:", NeedsFiles),
    ("reconcile", "c:", Elsewhere),
    ("sizes", "b:m:", NeedsFiles),
    ("sync", "m:", Elsewhere),
];

/// Names of the long options of p4 commands that always take a value (support/options.cc of
/// Perforce's C++ API).
const LONG: &str = "accept-flags after-context attribute-pattern before-context blocksize branch \
    change context delete-flags description diff-flags diff-list-flag equal expression file \
    file-charset filetype filter force-flag from integ-flags job label max max-size min-size \
    output-flags parallel parent regexp resolve-flags restrict-flags shelf sort-flags tags \
    viewmatch";
