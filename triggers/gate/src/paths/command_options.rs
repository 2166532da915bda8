//! The options of p4 commands with file arguments: which options take a value, and the behaviour of
//! each command without a file argument.
//!
//! Taken from the synopsis of each command (`p4 help fstat` and so on, msgs/msghelp.cc of
//! Perforce's C++ API). The notation of the options follows support/options.cc of that API: `m:`
//! means `-m10` or `-m 10`, `O.` means only `-Ofx`, other letters take no value.

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
    names: &'static str,
    letters: &'static [u8],
    /// By letter: 0 for none, `FLAG`, or the kind of its value.
    kinds: [u8; 128],
    pub default_files: DefaultFiles,
}

/// An option without a value.
const FLAG: u8 = b'-';

/// How a long option is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LongOption {
    /// None for an option without a letter, or whose letter is not known.
    pub letter: Option<u8>,
    pub takes_value: bool,
}

/// A command that is not in the table has no such options and reads unknown files (`Elsewhere`).
pub fn options_of(command: &[u8]) -> Options {
    let row = COMMANDS
        .iter()
        .find(|(names, _, _)| names.split(' ').any(|name| name.as_bytes() == command));
    let (names, letters, default_files) = row.copied().unwrap_or(("", "", DefaultFiles::Elsewhere));
    let letters = letters.as_bytes();
    let mut options = Options { names, letters, kinds: [0; 128], default_files };
    let mut kinds = [0; 128];
    for (letter, kind) in options.all() {
        if let Some(own) = kinds.get_mut(usize::from(letter)) {
            *own = kind.unwrap_or(FLAG);
        }
    }
    options.kinds = kinds;
    options
}

impl Options {
    /// `:` for an attached value or the next word, `.` for an attached value only.
    pub fn kind(&self, letter: u8) -> Option<u8> {
        self.kinds.get(usize::from(letter)).copied().filter(|kind| !matches!(*kind, 0 | FLAG))
    }

    pub fn has(&self, letter: u8) -> bool {
        self.kinds.get(usize::from(letter)).is_some_and(|kind| *kind != 0)
    }

    /// The letters, each with its kind.
    pub fn all(&self) -> impl Iterator<Item = (u8, Option<u8>)> {
        let is_kind = |byte: &u8| matches!(byte, b':' | b'.');
        let next = move |at: usize| self.letters.get(at + 1).copied().filter(is_kind);
        let letters = self.letters.iter().enumerate().filter(move |(_, byte)| !is_kind(byte));
        letters.map(move |(at, letter)| (*letter, next(at)))
    }

    /// The letter, and those of the options with which the command acts as with it.
    pub fn acting_as(&self, letter: u8) -> impl Iterator<Item = u8> {
        let own = self.act_as().filter(move |(_, _, other, _)| *other == letter);
        std::iter::once(letter).chain(own.map(|(_, letter, _, _)| *letter))
    }

    /// The option with its value that a letter without a value stands for.
    pub fn stands_for(&self, letter: u8) -> Option<(u8, &'static [u8])> {
        let (_, _, other, value) = self.act_as().find(|(_, own, _, _)| *own == letter)?;
        value.map(|value| (*other, value))
    }

    fn act_as(&self) -> impl Iterator<Item = &'static ActsAs> {
        ACT_AS.iter().filter(|(names, _, _, _)| *names == self.names)
    }

    /// The option that a long name stands for in this command. One name may stand for several
    /// letters: that of this command with the same kind of value counts.
    pub fn long(&self, name: &[u8]) -> LongOption {
        let own = OWN_NAMES.iter().find(|(names, long, _)| {
            !self.names.is_empty() && *names == self.names && long.as_bytes() == name
        });
        if let Some((_, _, letter)) = own {
            return LongOption { letter: *letter, takes_value: true };
        }
        let start = LONG.partition_point(|(long, _, _)| long.as_bytes() < name);
        let from = LONG.get(start..).unwrap_or_default();
        let named = || from.iter().take_while(|(long, _, _)| long.as_bytes() == name);
        let has = |letter: u8, takes_value: bool| {
            self.has(letter) && self.kind(letter).is_some() == takes_value
        };
        let fits = |(_, letter, takes_value): &&(&str, u8, bool)| has(*letter, *takes_value);
        let is_known = !self.names.is_empty();
        let without_letter = || named().find(|(_, letter, _)| is_known && *letter == 0);
        let found = named().find(fits).or_else(without_letter);
        let letter = found.or_else(|| named().find(|_| !is_known)).map(|(_, letter, _)| *letter);
        let takes_value = found.or_else(|| named().next()).is_some_and(|(_, _, takes)| *takes);
        LongOption { letter: letter.filter(|letter| *letter != 0), takes_value }
    }

    /// The long names that stand for a letter.
    pub fn long_names(&self, letter: u8) -> impl Iterator<Item = &'static str> {
        let names = LONG.iter().map(|(name, _, _)| *name);
        names.filter(move |name| self.long(name.as_bytes()).letter == Some(letter))
    }
}

use DefaultFiles::{Elsewhere, LooksAtNone, NeedsFiles};

/// Main names, options and behaviour without files.
pub const COMMANDS: [(&str, &str, DefaultFiles); 50] = [
    ("add edit delete", "c:dfIknt:v", Elsewhere),
    ("annotate", "ITacd.iqtu", NeedsFiles),
    ("archive restore", "D:hnpqtz", NeedsFiles),
    ("branches clients", "E:S:Uae:m:s:tu:", Elsewhere),
    ("changes", "ELc:e:film:rs:tu:", LooksAtNone),
    ("copy integrate merge", "C:D.FO.P:R.S:b:c:fm:nqrs:v", Elsewhere),
    ("cstat", "", Elsewhere),
    ("describe", "IOSad.fm:s", Elsewhere),
    ("diff", "A.O.d.fm:s.t", Elsewhere),
    ("diff2", "A.FO.P:S:b:d.qtu", Elsewhere),
    ("dirs", "CDHS:i", NeedsFiles),
    ("duplicate", "nq", NeedsFiles),
    ("fetch push", "O.S:km:nr:s:tv", Elsewhere),
    ("filelog", "1Lc:hilm:pst", NeedsFiles),
    ("files", "AUaeim:", NeedsFiles),
    ("fixes", "c:ij:m:", LooksAtNone),
    ("fstat", "A:CD.F:HLO.PR.S.T:UWc:e:lm:rs", NeedsFiles),
    ("grep", "A:B:C:FGLae:ilnstv", NeedsFiles),
    ("have where", "", Elsewhere),
    ("integrated", "b:m:rs:", Elsewhere),
    ("interchanges", "FP:S:b:flrs:tu", Elsewhere),
    ("istat", "A.Cacrs", Elsewhere),
    ("jobs", "Re:ilm:r", Elsewhere),
    ("labels", "E:RUae:m:s:tu:", LooksAtNone),
    ("labelsync tag", "Uadgl:nq", Elsewhere),
    ("list", "CMdl:", NeedsFiles),
    ("lock unlock", "c:fgrs:x", Elsewhere),
    ("move", "c:fknrt:", Elsewhere),
    ("obliterate", "AHILTabhilnpqr:y", NeedsFiles),
    ("opened", "C:S.ac:gm:su:x", LooksAtNone),
    ("populate", "FP:S:b:d:fm:nors:v", Elsewhere),
    ("print", "AB:KL:Q:T:Uakm:o:q", NeedsFiles),
    ("prune", "S:dy", Elsewhere),
    ("reconcile", "AIKac:defklmnstw", Elsewhere),
    ("reload", "c:fl:p:s:", Elsewhere),
    ("reopen", "c:t:", Elsewhere),
    ("resolve", "A.Na.c:d.fnotv", Elsewhere),
    ("resolved", "o", Elsewhere),
    ("retype", "flnt:", NeedsFiles),
    ("revert", "C:KS.ac:knw", Elsewhere),
    ("reviews", "C:c:", Elsewhere),
    ("sizes", "AB:CHKL:Q:SUab:hm:sz", NeedsFiles),
    ("streams", "F:T:Uam:", Elsewhere),
    ("submit", "Kbc:d:e:f:irs", Elsewhere),
    ("switch", "LP:R.clmrv", Elsewhere),
    ("sync", "EKLNfkm:npqrs", Elsewhere),
    ("unload", "La.c:d:fl:ps:u:z", Elsewhere),
    ("unshelve", "S:b:c:fns:", Elsewhere),
    ("verify", "ARSUXZb:m:qrstuvz", NeedsFiles),
    ("zip", "AIc:o:r:s:", Elsewhere),
];

/// A command, an option with which it acts as with another one, and the value of the other one with
/// which it does the same.
type ActsAs = (&'static str, u8, u8, Option<&'static [u8]>);

/// From `p4 help fstat`, `opened` and `annotate`.
const ACT_AS: [ActsAs; 10] = [
    ("annotate", b'I', b'c', None),
    ("annotate", b'i', b'c', None),
    ("fstat", b'C', b'R', Some(b"c")),
    ("fstat", b'H', b'R', Some(b"h")),
    ("fstat", b'P', b'O', Some(b"p")),
    ("fstat", b'W', b'R', Some(b"o")),
    ("fstat", b'l', b'O', Some(b"l")),
    ("fstat", b's', b'O', Some(b"s")),
    ("opened", b'g', b'a', None),
    ("opened", b'x', b'a', None),
];

/// Long names whose letter the table below does not give. For `changes --change` no document says
/// whether it is `-e` or nothing at all.
const OWN_NAMES: [(&str, &str, Option<u8>); 2] =
    [("changes", "change", None), ("opened", "client", Some(b'C'))];

/// The long options (support/options.cc of Perforce's C++ API): name, letter (0 for none), and
/// whether it takes a value, attached by `=` or as the next word; in order of the names. The first of
/// several with one name counts for commands that are not in the table.
const LONG: [(&str, u8, bool); 140] = [
    ("accept-flags", b'a', true),
    ("after-context", b'A', true),
    ("all", b'a', false),
    ("archive", b'A', false),
    ("attribute", b'T', true),
    ("attribute-pattern", b'A', true),
    ("before-context", b'B', true),
    ("binary-as-text", b't', false),
    ("blocksize", b'b', true),
    ("branch", b'b', true),
    ("brief", b'L', false),
    ("bypass-flow", b'F', false),
    ("change", b'c', true),
    ("client", b'c', true),
    ("client", b'C', true),
    ("client", b'C', false),
    ("compressed", 0, true),
    ("content", b'h', false),
    ("context", b'C', true),
    ("delete", b'd', false),
    ("delete", b'd', true),
    ("delete-flags", b'D', true),
    ("description", b'd', true),
    ("diff-flags", b'd', true),
    ("diff-list-flag", b's', true),
    ("equal", b'e', true),
    ("erase", b'w', false),
    ("estimates", b'N', false),
    ("exists", b'e', false),
    ("exists", 0, false),
    ("expression", b'e', true),
    ("file", b'o', true),
    ("file", b'f', true),
    ("file", b'I', true),
    ("file-charset", b'Q', true),
    ("files-with-matches", b'l', false),
    ("files-without-match", b'L', false),
    ("filetype", b't', true),
    ("filter", b'F', true),
    ("fixed-strings", b'F', false),
    ("follow-branch", b'i', false),
    ("follow-integ", b'I', false),
    ("force", b'f', false),
    ("force", b'F', false),
    ("force-flag", b'F', true),
    ("force-text", b't', false),
    ("from", 0, true),
    ("full-branch", b'r', false),
    ("global", b'g', false),
    ("global", b'M', false),
    ("graph-only", 0, false),
    ("human", b'h', false),
    ("human-1000", b'H', false),
    ("ignore-case", b'i', false),
    ("inherited", b'i', false),
    ("integ-flags", b'R', true),
    ("into-only", 0, false),
    ("invert-match", b'v', false),
    ("job", b'j', true),
    ("keep-client", b'k', false),
    ("keep-have", b'h', false),
    ("keep-head", b'h', false),
    ("label", b'l', true),
    ("leave-keywords", b'k', false),
    ("leave-keywords", b'K', false),
    ("limit", 0, true),
    ("line-number", b'n', false),
    ("local", b'l', false),
    ("long", b'l', false),
    ("max", b'm', true),
    ("max-size", 0, true),
    ("min-size", 0, true),
    ("modtime", b'm', false),
    ("no-archive", b'X', false),
    ("no-case-expression", b'E', true),
    ("no-ignore", b'I', false),
    ("no-messages", b's', false),
    ("nostream", 0, false),
    ("offset", 0, true),
    ("omit-lazy", b'z', false),
    ("omit-moved", b'1', false),
    ("only", 0, true),
    ("original", b'O', false),
    ("output", b'o', false),
    ("output-flags", b'O', true),
    ("parallel", 0, true),
    ("parent", b'P', true),
    ("preview", b'n', false),
    ("preview-noncontent", b'N', false),
    ("promote", b'p', false),
    ("publish", b'p', false),
    ("purge", b'p', false),
    ("quiet", b'q', false),
    ("regexp", b'e', true),
    ("remote", 0, true),
    ("repeat", b'i', true),
    ("resolve-flags", b'A', true),
    ("restrict-flags", b'R', true),
    ("retries", b'r', true),
    ("reverse", b'r', false),
    ("safe", b's', false),
    ("shelf", b's', true),
    ("shelf", b'e', true),
    ("shelved", b'S', false),
    ("short", b's', false),
    ("show-change", b'c', false),
    ("show-files", b'f', false),
    ("show-files", 0, false),
    ("show-time", b't', false),
    ("size", b's', false),
    ("size", 0, true),
    ("sort-flags", b'S', true),
    ("source-file", b's', true),
    ("status", b's', true),
    ("status", b's', false),
    ("status", b'l', false),
    ("stream", b'S', true),
    ("stream", b's', true),
    ("stream", 0, false),
    ("streamviews", 0, false),
    ("summary", b's', false),
    ("tags", b'T', true),
    ("type", b't', true),
    ("type", b't', false),
    ("type", b'T', true),
    ("type", 0, true),
    ("unchanged", b'a', false),
    ("unified", b'u', false),
    ("unload", b'U', false),
    ("update", b'u', false),
    ("update", b'U', false),
    ("use-list", b'L', false),
    ("use-stream-change", 0, false),
    ("user", b'u', true),
    ("user", b'u', false),
    ("user-case-insensitive", 0, false),
    ("verbose", b'v', false),
    ("viewmatch", 0, true),
    ("virtual", b'v', false),
    ("yes", b'y', false),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_long_names_are_in_order() {
        assert!(LONG.is_sorted_by_key(|(name, _, _)| *name));
    }
}
