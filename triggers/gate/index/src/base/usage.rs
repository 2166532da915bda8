use crate::base::fault::Fault;
use std::io::{Write, stderr, stdout};
use std::process::ExitCode;

/// Width of `usage: ` and of the indentation of the other entries.
const INDENT: usize = 7;
/// Begins each line that continues an entry.
const CONTINUATION: &str = "        ";

/// Each entry is a line with the program's name, a subcommand and its options, and the more deeply
/// indented lines that follow.
#[derive(Clone, Copy, Debug)]
pub struct Usage {
    pub program: &'static str,
    pub text: &'static str,
}

impl Usage {
    /// That of the whole program if it has no such subcommand.
    pub fn of(&self, subcommand: &str) -> String {
        let start = format!("{} {subcommand}", self.program);
        let is_of = |entry: &str| {
            let rest = entry.strip_prefix(&start).filter(|_| !subcommand.starts_with('-'));
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
        };
        let mut entries = self.text.lines().map(|line| (line, line.get(INDENT..).unwrap_or("")));
        let Some((_, first)) = entries.find(|(_, entry)| is_of(entry)) else {
            return self.text.to_owned();
        };
        let more = entries.map(|(line, _)| line).take_while(|line| line.starts_with(CONTINUATION));
        let lines: Vec<&str> = [first].into_iter().chain(more).collect();
        format!("usage: {}\n", lines.join("\n"))
    }

    /// Answers `--version`; `line` is the program's name and version.
    pub fn print_version(line: &str) -> Result<(), Fault> {
        stdout().write_all(line.as_bytes()).map_err(|error| Fault::of_output(&error))
    }

    /// Help goes to standard output, errors to standard error.
    pub fn end(&self, subcommand: &str, fault: &Fault) -> ExitCode {
        let (program, usage) = (self.program, self.of(subcommand));
        // A reader that has closed the pipe needs no text.
        let _ = match fault {
            Fault::Help => stdout().write_all(usage.as_bytes()),
            Fault::Usage(problem) => write!(stderr(), "{program}: {problem}\n{usage}"),
            Fault::File(problem) | Fault::NotWhole(problem) => {
                writeln!(stderr(), "{program}: {problem}")
            }
        };
        ExitCode::from(fault.exit_code())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
usage: program build --output FILE [--progress]
                     CHECKPOINT...
       program show FILE
       program list
       program --help | --version
";
    const USAGE: Usage = Usage { program: "program", text: TEXT };

    #[test]
    fn the_usage_of_a_subcommand_has_only_its_own_lines() {
        let build =
            "usage: program build --output FILE [--progress]\n                     CHECKPOINT...\n";
        assert_eq!(USAGE.of("build"), build);
        assert_eq!(USAGE.of("show"), "usage: program show FILE\n");
        assert_eq!(USAGE.of("list"), "usage: program list\n");
    }

    #[test]
    fn the_usage_of_an_unknown_subcommand_is_the_whole_text() {
        for word in ["", "sho", "--help", "FILE"] {
            assert_eq!(USAGE.of(word), TEXT, "{word}");
        }
    }
}
