//! The table of bounds: what p4d reads for a command, by its options and revisions.
//!
//! The table is `command_bounds.tsv`; `docs/command-bounds.md` contains it, and a test compares
//! them. The first row of a command that applies counts, `every` standing for all commands.
//!
//! A form is `PATH` with a revision or without, `none` (no file argument), or options, all of which
//! must be there: `-e N` (with a value), `-s pending` (with this value), `-Ro` (with this letter
//! attached), `--explain` (an option without a letter, which counts as the first word only). After
//! `with` stand the only other options that may be there; `any of` lists options that change
//! nothing.

use crate::base::text::number;
use crate::paths::command_options::{DefaultFiles, Options, options_of};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

const TABLE: &str = include_str!("command_bounds.tsv");
/// The greatest N for which `changes -mN` counts as reading the latest changelists only. p4warden's
/// own choice.
pub const MOST_LATEST: u64 = 10_000;
/// Of commands whose bounds are kept for the next one: a log has many of the same, and names that
/// nobody knows.
const MOST_KEPT: usize = 256;

thread_local! {
    static KEPT: RefCell<BTreeMap<Vec<u8>, Rc<CommandBounds>>> =
        const { RefCell::new(BTreeMap::new()) };
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reads {
    Files,
    Revisions,
    /// Records in the range of each file argument that the index does not count.
    Other,
    View,
    /// Files of a stream, which the argument names in place of a path.
    Stream,
    /// The records of the changelists that an option or a revision names, or of a part of them, if
    /// the argument covers less.
    Changelists,
    /// The same from the changelist that an option names to the newest.
    ChangelistsFrom,
    /// Changelists without their files: all, or those that a revision names.
    ChangelistRecords,
    /// At most as many changelists as the option `-m` says.
    Latest,
    /// Files of a label, or a part of them, if the argument covers less.
    Label,
    Opened,
    /// As without it, but of the argument in any case.
    AnyCase,
    /// The files named, if no wildcard is among them.
    Named,
    AsWithout,
    Nothing,
    Unknown,
}

const READS: [(&str, Reads); 16] = [
    ("files of the argument", Reads::Files),
    ("revisions of the argument", Reads::Revisions),
    ("other records of the argument", Reads::Other),
    ("files of the view", Reads::View),
    ("files of a stream", Reads::Stream),
    ("records of the changelists", Reads::Changelists),
    ("records of the changelists from N on", Reads::ChangelistsFrom),
    ("changelists", Reads::ChangelistRecords),
    ("latest changelists", Reads::Latest),
    ("files of the label", Reads::Label),
    ("opened or shelved files", Reads::Opened),
    ("files of the argument in any case", Reads::AnyCase),
    ("named files", Reads::Named),
    ("as without it", Reads::AsWithout),
    ("nothing", Reads::Nothing),
    ("not known", Reads::Unknown),
];

#[derive(Clone, Copy, Debug)]
pub struct Bound {
    /// Main names of commands, separated by blanks; `every` for all.
    pub commands: &'static str,
    pub form: &'static str,
    pub reads: Reads,
    /// `documented`, `logged` (by a server) or `inferred`.
    pub certainty: &'static str,
}

/// Which values of an option that stands several times count: a command that asks once takes the
/// first (Options::GetValue, support/options.cc), one that asks for each takes all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Repeated {
    /// Of an option with one value, such as `-m 5`.
    pub takes_last: bool,
    /// Of a set of letters, such as `-Rc`.
    pub joins_sets: bool,
}

impl Repeated {
    /// The plain way first.
    pub const WAYS: [Repeated; 3] = [
        Repeated { takes_last: false, joins_sets: false },
        Repeated { takes_last: false, joins_sets: true },
        Repeated { takes_last: true, joins_sets: true },
    ];
}

/// The options of a command that appear in the table, as found in one reading of its arguments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SeenOptions<'a> {
    /// Whether an option was found that a row names: bit N for option N of `CommandBounds`.
    named: u64,
    /// The letters of the options with a value.
    given: u64,
    has_other: bool,
    /// The value of `-m`; None if it is not above 0.
    pub most: Option<u64>,
    /// The value of the option that names a changelist, such as `fstat -e`; empty if two such
    /// options have different ones.
    pub change: Option<&'a [u8]>,
}

impl SeenOptions<'_> {
    /// Adds the options that another reading has seen, without their values.
    pub fn add(&mut self, other: &SeenOptions<'_>) {
        self.named |= other.named;
        self.has_other |= other.has_other;
    }

    /// Whether an option with a value stands there for the first time.
    fn is_first(&mut self, letter: u8) -> bool {
        let bit = 1_u64.checked_shl(u32::from(letter.wrapping_sub(b'A'))).unwrap_or(0);
        let is_first = self.given & bit == 0;
        self.given |= bit;
        is_first
    }
}

#[derive(Clone, Debug)]
pub struct CommandBounds {
    kinds: Options,
    rows: Vec<Bound>,
    options: Vec<NamedOption>,
    of_options: Vec<OptionsRow>,
    of_path: Reads,
    /// The options, as bits of `SeenOptions`, that make p4d ignore the case of file arguments.
    of_any_case: u64,
    /// The options with which the command reads more than without.
    of_more: u64,
    /// The letters of options whose value is a changelist whose records the command reads.
    of_changelists: Vec<u8>,
}

/// A row about options, with its options as bits of `SeenOptions`; rows that read as much as
/// without their options are left out.
#[derive(Clone, Copy, Debug)]
struct OptionsRow {
    reads: Reads,
    is_without_files: bool,
    needed: u64,
    /// The only other options that may be there; None if any may.
    allowed: Option<u64>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct NamedOption {
    letter: u8,
    /// What a value must contain (a letter, as in `-Ro`) or be (`-s pending`); empty for any value.
    value: &'static str,
    is_attached: bool,
}

pub fn rows() -> impl Iterator<Item = Bound> {
    TABLE.lines().skip(1).filter_map(|line| {
        let mut cells = line.split('\t');
        let (commands, form, reads) = (cells.next()?, cells.next()?, cells.next()?);
        let (_, reads) = READS.iter().find(|(name, _)| *name == reads)?;
        Some(Bound { commands, form, reads: *reads, certainty: cells.nth(1)? })
    })
}

impl CommandBounds {
    pub fn of(command: &[u8]) -> Rc<Self> {
        KEPT.with_borrow_mut(|kept| match kept.get(command) {
            Some(bounds) => Rc::clone(bounds),
            None => {
                let bounds = Rc::new(Self::read(command));
                if kept.len() < MOST_KEPT {
                    kept.insert(command.to_vec(), Rc::clone(&bounds));
                }
                bounds
            }
        })
    }

    fn read(command: &[u8]) -> Self {
        let is_about = |row: &Bound| {
            let mut names = row.commands.split(' ');
            row.commands == "every" || names.any(|name| name.as_bytes() == command)
        };
        let rows: Vec<Bound> = rows().filter(is_about).collect();
        let mut options = Vec::new();
        for option in rows.iter().flat_map(|row| form_options(row.form)) {
            if !options.contains(&option) {
                options.push(option);
            }
        }
        let kinds = options_of(command);
        let of_changelists = rows
            .iter()
            .filter(|row| matches!(row.reads, Reads::Changelists | Reads::ChangelistsFrom));
        let letters = |row: &Bound| form_options(row.form).map(|option| option.letter);
        let of_changelists = of_changelists.flat_map(letters).collect();
        let (of_options, of_path) = (Vec::new(), Reads::Unknown);
        let mut bounds = CommandBounds {
            kinds,
            rows,
            options,
            of_options,
            of_path,
            of_any_case: 0,
            of_more: 0,
            of_changelists,
        };
        bounds.of_path = bounds.of_form("PATH").unwrap_or(Reads::Unknown);
        bounds.of_any_case = bounds.bits_reading(&[Reads::AnyCase]);
        bounds.of_more = bounds.bits_reading(&[Reads::AnyCase, Reads::Revisions]);
        bounds.of_options = bounds.rows.iter().filter_map(|row| bounds.options_row(row)).collect();
        bounds
    }

    /// Of no row: only tells which options of a command are seen, by their letters.
    pub fn seeing(command: &[u8], letters: &[u8]) -> Self {
        let named = |letter: u8| NamedOption { letter, ..NamedOption::default() };
        let (kinds, mut options) = (options_of(command), vec![EXPLAIN]);
        let letters = letters.iter().flat_map(|letter| kinds.acting_as(*letter));
        for option in letters.map(named) {
            if !options.contains(&option) {
                options.push(option);
            }
        }
        let (rows, of_options, of_changelists) = (Vec::new(), Vec::new(), Vec::new());
        let (of_path, of_any_case, of_more) = (Reads::Unknown, 0, 0);
        CommandBounds {
            kinds,
            rows,
            options,
            of_options,
            of_path,
            of_any_case,
            of_more,
            of_changelists,
        }
    }

    pub fn kinds(&self) -> &Options {
        &self.kinds
    }

    /// Of a letter that was given to `seeing`.
    pub fn saw(&self, seen: &SeenOptions<'_>, letter: u8) -> bool {
        let mut letters = self.kinds.acting_as(letter);
        letters.any(|letter| {
            seen.named & self.bit(NamedOption { letter, ..NamedOption::default() }) != 0
        })
    }

    /// Whether p4d only explains the options of the command (`--explain`).
    pub fn is_explained(&self, seen: &SeenOptions<'_>) -> bool {
        seen.named & self.bit(EXPLAIN) != 0
    }

    pub fn is_named(&self) -> bool {
        self.rows.iter().any(|row| row.commands != "every" && row.form == "PATH")
    }

    pub fn of_path(&self) -> Reads {
        self.of_path
    }

    pub fn default_files(&self) -> DefaultFiles {
        self.kinds.default_files
    }

    /// `form` as the table writes it, such as `PATH@N,M`; None if the table has no row.
    pub fn of_form(&self, form: &str) -> Option<Reads> {
        self.rows.iter().find(|row| row.form == form).map(|row| row.reads)
    }

    /// The first row whose options were seen; None if there is none, or if it reads as much as
    /// without them. `has_files` states whether the command has file arguments.
    pub fn of_options(&self, seen: &SeenOptions<'_>, has_files: bool) -> Option<Reads> {
        let applies = |row: &&OptionsRow| {
            let others = seen.named & !row.needed;
            row.is_without_files != has_files
                && seen.named & row.needed == row.needed
                && row.allowed.is_none_or(|allowed| others & !allowed == 0 && !seen.has_other)
        };
        self.of_options.iter().find(applies).map(|row| row.reads)
    }

    /// Whether an option makes p4d ignore the case of file arguments on every server.
    pub fn ignores_case(&self, seen: &SeenOptions<'_>) -> bool {
        seen.named & self.of_any_case != 0
    }

    /// Of the options, those with which the command reads more than without.
    pub fn widening<'a>(&self, seen: &SeenOptions<'_>) -> SeenOptions<'a> {
        SeenOptions { named: seen.named & self.of_more, ..SeenOptions::default() }
    }

    /// None if the table has no row.
    pub fn without_files(&self, seen: &SeenOptions<'_>) -> Option<Reads> {
        self.of_options(seen, false).or_else(|| self.of_form("none"))
    }

    /// The value is empty if the option has none. Returns whether the option stands there again with
    /// a value.
    pub fn note<'a>(
        &self,
        seen: &mut SeenOptions<'a>,
        (letter, value): (u8, &'a [u8]),
        repeated: Repeated,
    ) -> bool {
        let kind = self.kinds.kind(letter);
        let (of_letter, bits) = self.bits_of(letter, value);
        let is_again = kind.is_some() && of_letter != 0 && !seen.is_first(letter);
        let counts = if kind == Some(b'.') { repeated.joins_sets } else { repeated.takes_last };
        if is_again && !counts {
            return true;
        }
        if is_again && kind != Some(b'.') {
            seen.named &= !of_letter;
        }
        if bits != 0 && letter == b'm' && kind.is_some() {
            seen.most = number(value).filter(|most| *most > 0);
            seen.has_other |= seen.most.is_none();
        }
        if bits != 0 && self.of_changelists.contains(&letter) {
            let is_other = |one| one != value && !is_again;
            seen.change = Some(if seen.change.is_some_and(is_other) { b"" } else { value });
        }
        seen.named |= bits;
        seen.has_other |= bits == 0;
        is_again
    }

    /// Of the options with this letter, and of those that have this value.
    fn bits_of(&self, letter: u8, value: &[u8]) -> (u64, u64) {
        let has_value = self.kinds.kind(letter).is_some();
        let (mut of_letter, mut of_value) = (0, 0);
        for (number, option) in self.options.iter().enumerate() {
            if option.letter == letter {
                let bit = 1_u64.checked_shl(number as u32).unwrap_or(0);
                of_letter |= bit;
                of_value |= if option.takes(value, has_value) { bit } else { 0 };
            }
        }
        (of_letter, of_value)
    }

    fn options_row(&self, row: &Bound) -> Option<OptionsRow> {
        let without_files = row.form.strip_prefix("none ");
        let form = without_files.unwrap_or(row.form);
        let is_of_options = form.starts_with('-') && !form.contains("PATH") && !form.contains('@');
        if !is_of_options || matches!(row.reads, Reads::AsWithout | Reads::AnyCase) {
            return None;
        }
        let (needed, also) = form.split_once(" with ").map_or((form, None), |(a, b)| (a, Some(b)));
        Some(OptionsRow {
            reads: row.reads,
            is_without_files: without_files.is_some(),
            needed: self.bits(needed),
            allowed: also.map(|also| self.bits(also)),
        })
    }

    fn bits_reading(&self, reads: &[Reads]) -> u64 {
        let rows = self.rows.iter().filter(|row| reads.contains(&row.reads));
        rows.fold(0, |bits, row| bits | self.bits(row.form))
    }

    fn bits(&self, form: &'static str) -> u64 {
        form_options(form).fold(0, |bits, option| bits | self.bit(option))
    }

    fn bit(&self, option: NamedOption) -> u64 {
        let number = self.options.iter().position(|other| *other == option);
        number.and_then(|number| 1_u64.checked_shl(number as u32)).unwrap_or(0)
    }
}

impl NamedOption {
    fn takes(&self, value: &[u8], has_value: bool) -> bool {
        let text = self.value.as_bytes();
        match (self.is_attached, text.is_empty()) {
            _ if self.letter == b'-' => value == text,
            (_, true) => true,
            (true, false) => has_value && text.iter().all(|letter| value.contains(letter)),
            (false, false) => value == text,
        }
    }
}

const EXPLAIN: NamedOption = NamedOption { letter: b'-', value: "explain", is_attached: false };

fn form_options(form: &'static str) -> impl Iterator<Item = NamedOption> {
    let words: Vec<&'static str> = form.split(' ').collect();
    (0..words.len()).filter_map(move |place| {
        let word = words.get(place)?.strip_prefix('-')?;
        let (letter, attached) = word.split_at_checked(1)?;
        let letter = *letter.as_bytes().first()?;
        let next = words.get(place + 1).filter(|next| next.bytes().all(|b| b.is_ascii_lowercase()));
        let next = next.filter(|next| **next != "with").copied().unwrap_or_default();
        let value = if attached.is_empty() { next } else { attached };
        Some(NamedOption { letter, value, is_attached: !attached.is_empty() })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paths::command_options::COMMANDS;

    #[test]
    fn every_row_is_read_and_the_documentation_page_has_the_table() {
        let lines: Vec<Vec<&str>> = TABLE.lines().map(|line| line.split('\t').collect()).collect();
        assert!(lines.iter().all(|cells| cells.len() == 6), "{lines:?}");
        assert_eq!(rows().count() + 1, lines.len());
        let page = include_str!("../../../../docs/command-bounds.md");
        let on_page: Vec<&str> = page.lines().filter(|line| line.starts_with("| ")).collect();
        let expected: Vec<String> = lines
            .iter()
            .map(|cells| match cells[..] {
                [commands, form, reads, since, certainty, source] => {
                    let form = if form == "form" { form.to_owned() } else { format!("`{form}`") };
                    format!("| {commands} | {form} | {reads} | {since} | {certainty} | {source} |")
                }
                _ => String::new(),
            })
            .collect();
        assert_eq!(on_page, expected);
    }

    #[test]
    fn no_inferred_row_makes_a_command_certainly_cheap() {
        for row in rows().filter(|row| row.certainty == "inferred") {
            let is_cheap = matches!(row.reads, Reads::Latest | Reads::Opened | Reads::Named);
            assert!(!is_cheap, "{row:?}");
        }
    }

    #[test]
    fn every_letter_of_a_command_in_the_table_has_a_row() {
        let mut missing = Vec::new();
        for command in COMMANDS.iter().flat_map(|(names, _, _)| names.split(' ')) {
            let bounds = CommandBounds::of(command.as_bytes());
            let is_there = |letter: u8| bounds.options.iter().any(|option| option.letter == letter);
            let letters = bounds.kinds.all().map(|(letter, _)| letter);
            let without_row = letters.filter(|letter| bounds.is_named() && !is_there(*letter));
            missing.extend(without_row.map(|letter| format!("{command} -{}", char::from(letter))));
            assert!(bounds.options.len() <= 64, "{command}");
        }
        assert_eq!(missing, [""; 0]);
    }

    #[test]
    fn a_row_applies_by_its_options_and_their_values() {
        let reads = |command: &[u8], options: &[(u8, &'static [u8])]| {
            let (bounds, mut seen) = (CommandBounds::of(command), SeenOptions::default());
            for (letter, value) in options {
                bounds.note(&mut seen, (*letter, value), Repeated::default());
            }
            (bounds.of_options(&seen, true), seen.change)
        };
        assert_eq!(reads(b"fstat", &[(b'R', b"co")]).0, Some(Reads::Opened));
        assert_eq!(reads(b"fstat", &[(b'R', b"ch")]).0, None);
        assert_eq!(reads(b"fstat", &[(b'e', b"5")]), (Some(Reads::Changelists), Some(&b"5"[..])));
        assert_eq!(reads(b"fstat", &[(b'e', b"5"), (b'R', b"o")]).0, Some(Reads::Unknown));
        assert_eq!(reads(b"fstat", &[(b'e', b"5"), (b'c', b"9")]).1, Some(&b""[..]));
        assert_eq!(reads(b"sizes", &[(b'b', b"4096"), (b's', b"")]).0, None);
        assert_eq!(reads(b"sizes", &[(b'a', b"")]).0, Some(Reads::Revisions));
        assert_eq!(reads(b"integrate", &[(b'b', b"rel")]).0, Some(Reads::Unknown));
        assert_eq!(reads(b"changes", &[(b'm', b"5"), (b's', b"submitted")]).0, Some(Reads::Latest));
        assert_eq!(reads(b"changes", &[(b'm', b"5"), (b's', b"pending")]).0, None);
        assert_eq!(reads(b"changes", &[(b'm', b"5"), (b'x', b"")]).0, None);
    }
}
