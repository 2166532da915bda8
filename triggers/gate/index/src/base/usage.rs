//! The usage of a Rust program, and the output and exit code with which its subcommands end.

use crate::base::trouble::Trouble;
use std::io::{Write, stderr, stdout};
use std::process::ExitCode;

/// Width of `usage: ` and of the indentation of the other entries of a usage.
const INDENT: usize = 7;
/// Blanks with which each line that continues an entry of a usage begins.
const CONTINUATION: &str = "        ";

/// The usage of a program. Each entry is a line with the program's name, a subcommand and its
/// options, and the more deeply indented lines that follow.
#[derive(Clone, Copy, Debug)]
pub struct Usage {
    /// The program's name.
    pub program: &'static str,
    /// The usage of the whole program: the entries of all subcommands.
    pub text: &'static str,
}

impl Usage {
    /// The usage of one subcommand; that of the whole program if it has no such subcommand.
    #[must_use]
    pub fn of(&self, subcommand: &str) -> String {
        let start = format!("{} {subcommand} ", self.program);
        let is_of = |entry: &str| !subcommand.starts_with('-') && entry.starts_with(&start);
        let mut entries = self.text.lines().map(|line| (line, line.get(INDENT..).unwrap_or("")));
        let Some((_, first)) = entries.find(|(_, entry)| is_of(entry)) else {
            return self.text.to_owned();
        };
        let more = entries.map(|(line, _)| line).take_while(|line| line.starts_with(CONTINUATION));
        let lines: Vec<&str> = [first].into_iter().chain(more).collect();
        format!("usage: {}\n", lines.join("\n"))
    }

    /// Prints why a subcommand ended early, and returns the exit code: its usage on standard output
    /// if help was requested; otherwise the error on standard error, followed by the usage if the
    /// command line is wrong. The usage is that of the whole program if it has no such subcommand.
    #[must_use]
    pub fn end(&self, subcommand: &str, trouble: &Trouble) -> ExitCode {
        let (program, usage) = (self.program, self.of(subcommand));
        // Errors in writing are ignored, because a reader that has closed the pipe needs no text.
        let _ = match trouble {
            Trouble::Help => stdout().write_all(usage.as_bytes()),
            Trouble::Usage(problem) => write!(stderr(), "{program}: {problem}\n{usage}"),
            Trouble::File(problem) | Trouble::NotWhole(problem) => {
                writeln!(stderr(), "{program}: {problem}")
            }
        };
        ExitCode::from(trouble.exit_code())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
usage: program build --output FILE [--progress]
                     CHECKPOINT...
       program show FILE
       program --help | --version
";
    const USAGE: Usage = Usage { program: "program", text: TEXT };

    #[test]
    fn the_usage_of_a_subcommand_has_only_its_own_lines() {
        let build =
            "usage: program build --output FILE [--progress]\n                     CHECKPOINT...\n";
        assert_eq!(USAGE.of("build"), build);
        assert_eq!(USAGE.of("show"), "usage: program show FILE\n");
    }

    #[test]
    fn the_usage_of_an_unknown_subcommand_is_the_whole_text() {
        for word in ["", "sho", "--help", "FILE"] {
            assert_eq!(USAGE.of(word), TEXT, "{word}");
        }
    }
}
