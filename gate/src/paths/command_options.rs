//! The options of the commands that look through files: which take a value, and what a command does
//! without a file.
//!
//! From the synopsis of each command (`p4 help fstat` and so on, msgs/msghelp.cc of Perforce's C++
//! API); the notation is that of support/options.cc there: `m:` is `-m10` or `-m 10`, `O.` only `-Ofx`.
//! An option that is not listed takes no value. The file that `-s` names for integrate and its
//! like is a file.

/// The files that a command looks at if it names no file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alone {
    /// p4d asks for a file. A revision by itself means `//...` then (`p4 files @label`).
    NeedsFiles,
    /// No files: it lists changelists or the like.
    LooksAtNone,
    /// The files that the client's view, a branch or a stream maps, or files that are not known
    /// here.
    Elsewhere,
}

/// One command's options.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    letters: &'static [u8],
    /// The behaviour of the command without a file.
    pub alone: Alone,
}

/// Looks a command up; an unknown one has options without values.
#[must_use]
pub fn options_of(command: &[u8]) -> Options {
    let row = COMMANDS
        .iter()
        .find(|(names, _, _)| names.split(' ').any(|name| name.as_bytes() == command));
    let (letters, alone) =
        row.map_or(("", Alone::Elsewhere), |(_, letters, alone)| (*letters, *alone));
    Options { letters: letters.as_bytes(), alone }
}

/// Whether `--name`, without `=`, takes the next word in every command that has it.
#[must_use]
pub fn takes_value(name: &[u8]) -> bool {
    LONG.split(' ').any(|known| known.as_bytes() == name)
}

impl Options {
    /// `:` for an option with a value, `.` for one that takes only an attached value, None for
    /// others.
    #[must_use]
    pub fn kind(&self, letter: u8) -> Option<u8> {
        let at = self.letters.iter().step_by(2).position(|known| *known == letter)?;
        self.letters.get(2 * at + 1).copied()
    }
}

use Alone::{Elsewhere, LooksAtNone, NeedsFiles};

const COMMANDS: [(&str, &str, Alone); 22] = [
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

/// The long options that have a value wherever they occur (support/options.cc).
const LONG: &str = "accept-flags after-context attribute-pattern before-context blocksize branch \
    change context delete-flags description diff-flags diff-list-flag equal expression file \
    file-charset filetype filter force-flag from integ-flags job label max max-size min-size \
    output-flags parallel parent regexp resolve-flags restrict-flags shelf sort-flags tags \
    viewmatch";
