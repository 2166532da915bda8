//! Remedies in the menu words of the program that sent an event, each with the manual that has them.
//!
//! Users choose a program's name freely, so it changes the words of a remedy and nothing else. A
//! remedy that no manual was found for has no row, and is told as a command.

const TABLE: &str = include_str!("program_words.tsv");

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remedy {
    EditView,
    /// Its words have the placeholder STREAM.
    StreamClient,
    RefreshLess,
    SyncLess,
}

impl Remedy {
    fn word(self) -> &'static str {
        match self {
            Remedy::EditView => "view",
            Remedy::StreamClient => "stream",
            Remedy::RefreshLess => "refresh",
            Remedy::SyncLess => "sync",
        }
    }
}

/// None for a program without words for the remedy.
pub fn words_of(prog: Option<&[u8]>, remedy: Remedy) -> Option<&'static str> {
    let prog = prog?;
    let mut rows = TABLE.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    rows.find_map(|row| {
        let [program, of_remedy, words, _source] = row[..] else { return None };
        (of_remedy == remedy.word() && is_program(prog, program)).then_some(words)
    })
}

/// Whether a name is a program's, perhaps with its version: P4VS is not P4V.
fn is_program(prog: &[u8], program: &str) -> bool {
    let rest = prog.strip_prefix(program.as_bytes());
    rest.is_some_and(|rest| rest.first().is_none_or(|next| !next.is_ascii_alphanumeric()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proposals::placeholders::STREAM;

    #[test]
    fn a_program_has_its_own_words_with_and_without_a_version() {
        let refresh = |prog: &str| words_of(Some(prog.as_bytes()), Remedy::RefreshLess);
        assert!(refresh("Helix P4V").is_some_and(|words| words.starts_with("In P4V: ")));
        assert_eq!(refresh("P4V/NTX64/2023.3/2495381"), refresh("Helix P4V"));
        assert!(refresh("P4VS").is_some_and(|words| words.starts_with("In P4VS: ")));
        for other in ["p4", "P4Vx", "my P4V", "p4vfs/1.29", "", "program", "UnrealGameSync"] {
            assert_eq!(refresh(other), None, "{other}");
        }
        assert_eq!(words_of(None, Remedy::EditView), None);
    }

    #[test]
    fn each_row_has_a_program_a_remedy_words_and_a_source() {
        let remedies =
            [Remedy::EditView, Remedy::StreamClient, Remedy::RefreshLess, Remedy::SyncLess];
        for line in TABLE.lines().skip(1) {
            let row: Vec<_> = line.split('\t').collect();
            assert_eq!(row.len(), 4, "{line}");
            assert!(row.iter().all(|field| !field.is_empty()), "{line}");
            let of = remedies.into_iter().find(|remedy| remedy.word() == row[1]);
            assert_eq!(words_of(Some(row[0].as_bytes()), of.unwrap()), Some(row[2]), "{line}");
            assert_eq!(row[2].contains(STREAM), row[1] == "stream");
        }
    }
}
