//! Parsing of the command line of a subcommand.

use std::ffi::OsString;

/// An error in the command line or in a file; one line.
#[derive(Debug, PartialEq)]
pub enum Trouble {
    /// The command line is wrong.
    Usage(String),
    /// A file is invalid, or cannot be written.
    File(String),
}

/// Options as `--name`, `--name=VALUE` or `--name VALUE`, and the remaining words; after `--` no
/// word is an option.
#[derive(Debug, Default)]
pub struct Options {
    options: Vec<(String, Option<String>)>,
    /// Paths of the logs.
    pub logs: Vec<String>,
}

impl Options {
    /// Parses the words of a command line; options in `flags` take no value, options in `known`
    /// take one.
    pub fn read(words: &[OsString], flags: &[&str], with_value: &[&str]) -> Result<Self, Trouble> {
        let mut options = Options::default();
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let word = text(word)?;
            if word == "--" {
                options.logs.extend(words.by_ref().map(text).collect::<Result<Vec<_>, _>>()?);
                break;
            }
            let Some(option) = word.strip_prefix("--") else {
                options.logs.push(word);
                continue;
            };
            let (name, value) = match option.split_once('=') {
                Some((name, value)) => (name, Some(value.to_owned())),
                None if flags.contains(&option) => (option, None),
                None => (option, words.next().map(text).transpose()?),
            };
            let fits =
                if value.is_some() { with_value.contains(&name) } else { flags.contains(&name) };
            if !fits {
                return Err(Trouble::Usage(format!("{word} is no option, or lacks a value")));
            }
            options.options.push((name.to_owned(), value));
        }
        if options.logs.is_empty() && !options.options.iter().any(|(name, _)| name == "server") {
            return Err(Trouble::Usage("no log is named (- is the standard input)".to_owned()));
        }
        Ok(options)
    }

    /// Whether an option is present.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.options.iter().any(|(option, _)| option == name)
    }

    /// The values of an option that may be repeated.
    pub fn all(&self, name: &str) -> impl Iterator<Item = &str> {
        let values = self.options.iter().filter(move |(option, _)| option == name);
        values.filter_map(|(_, value)| value.as_deref())
    }

    /// The value of an option.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        let (_, value) = self.options.iter().find(|(option, _)| option == name)?;
        value.as_deref()
    }
}

fn text(word: &OsString) -> Result<String, Trouble> {
    let text = word.to_str().map(str::to_owned);
    text.ok_or_else(|| Trouble::Usage(format!("{} is no UTF-8", word.to_string_lossy())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(words: &[&str]) -> Result<Options, Trouble> {
        let words: Vec<OsString> = words.iter().map(OsString::from).collect();
        Options::read(&words, &["follow"], &["policy"])
    }

    #[test]
    fn options_stand_anywhere() -> Result<(), Trouble> {
        let options = read(&["log.1", "--follow", "--policy", "p.json", "log"])?;
        assert_eq!(options.logs, ["log.1", "log"]);
        assert_eq!(options.get("policy"), Some("p.json"));
        assert!(options.has("follow"));
        assert_eq!(read(&["--", "--follow"])?.logs, ["--follow"]);
        assert_eq!(read(&["--policy=x", "log"])?.get("policy"), Some("x"));
        Ok(())
    }

    #[test]
    fn what_is_wrong_is_told() {
        for words in [&["--policy"][..], &["log", "--nonsense"], &["--follow=1", "log"], &[]] {
            assert!(matches!(read(words), Err(Trouble::Usage(_))), "{words:?}");
        }
    }
}
