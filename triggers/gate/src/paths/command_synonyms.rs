//! Synonyms of p4 commands, such as `changelists` for `changes`.
//!
//! `tests/cases/command_names/synonyms.json` gives the source of each entry. It is not documented whether p4d replaces a
//! synonym by the main name before it fires a trigger, so both names are recognized in events.

use crate::paths::argument_words::Words;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CommandName<'a> {
    /// Without the prefix `user-`.
    pub main_name: &'a [u8],
    /// Makes the main command the synonym, such as `-k` for `flush`; empty if none is needed.
    pub addition: &'static str,
}

/// Synonym, main command, and the option or word to add.
pub const SYNONYMS: [(&str, &str, &str); 16] = [
    ("changelist", "change", ""),
    ("changelists", "changes", ""),
    ("clean", "reconcile", "-w"),
    ("flush", "sync", "-k"),
    ("integ", "integrate", ""),
    ("jobspec", "spec", "job"),
    ("password", "passwd", ""),
    ("rebase", "resubmit", ""),
    ("rec", "reconcile", ""),
    ("rename", "move", ""),
    ("renameworkspace", "renameclient", ""),
    ("status", "reconcile", "-n"),
    ("streamspec", "spec", "stream"),
    ("update", "sync", "-s"),
    ("workspace", "client", ""),
    ("workspaces", "clients", ""),
];

/// The long forms of the options in the synonym table, identical in all commands
/// (support/options.cc of Perforce's C++ API).
const LONG: [(&str, &str); 4] =
    [("-k", "--keep-client"), ("-n", "--preview"), ("-s", "--safe"), ("-w", "--erase")];

/// A main name resolves to itself.
pub fn resolve_name(name: &[u8]) -> CommandName<'_> {
    let entry = SYNONYMS.iter().find(|(synonym, _, _)| synonym.as_bytes() == name);
    entry.map_or(CommandName { main_name: name, addition: "" }, |(_, main_name, addition)| {
        CommandName { main_name: main_name.as_bytes(), addition }
    })
}

/// All names of a command, itself included.
pub fn names_of(main_name: &[u8]) -> impl Iterator<Item = &[u8]> {
    let synonyms = SYNONYMS.iter().filter(move |(_, main, _)| main.as_bytes() == main_name);
    std::iter::once(main_name).chain(synonyms.map(|(synonym, _, _)| synonym.as_bytes()))
}

/// The text does not distinguish an option from the value of another option, so any word that may
/// be the option counts: a single dash followed by letters that include the option's, or the
/// option's long form.
pub fn contains_addition(args: &[u8], addition: &str) -> bool {
    let long = LONG.iter().find(|(short, _)| *short == addition).map(|(_, long)| long.as_bytes());
    Words::of(args).any(|word| match addition.strip_prefix('-') {
        None => word.text == addition.as_bytes(),
        Some(_) if word.text.starts_with(b"--") => Some(word.text) == long,
        Some(letter) => {
            let letters = word.text.strip_prefix(b"-").unwrap_or_default();
            letters.iter().any(|byte| letter.as_bytes().contains(byte))
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_synonym_resolves_to_its_main_command() {
        assert_eq!(resolve_name(b"flush"), CommandName { main_name: b"sync", addition: "-k" });
        assert_eq!(resolve_name(b"sync"), CommandName { main_name: b"sync", addition: "" });
        assert!(
            SYNONYMS.iter().all(|(_, main, _)| resolve_name(main.as_bytes()).addition.is_empty())
        );
    }

    #[test]
    fn an_added_option_is_found_in_every_notation() {
        for args in ["-k //a", "-qk", "-q -k //a", "--keep-client", "\"-k\""] {
            assert!(contains_addition(args.as_bytes(), "-k"), "{args}");
        }
        for args in ["", "-q //a/-k", "k", "--keep", "-", "//a"] {
            assert!(!contains_addition(args.as_bytes(), "-k"), "{args}");
        }
        assert!(contains_addition(b"-o job", "job") && !contains_addition(b"-o jobs", "job"));
    }
}
