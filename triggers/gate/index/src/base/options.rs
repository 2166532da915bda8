use crate::base::fault::Fault;
use crate::base::text::decoded;
use lexopt::Arg::{Long, Value};
use lexopt::Parser;
use std::ffi::OsString;

/// `--name`, `--name=VALUE` or `--name VALUE`; after `--` no word is an option.
#[derive(Debug, Default)]
pub struct Options {
    options: Vec<(String, String)>,
    /// Neither options nor values of options.
    pub words: Vec<String>,
}

impl Options {
    /// Options in `flags` take no value, those in `with_value` have one. `--help` ends the reading.
    pub fn read(words: &[OsString], flags: &[&str], with_value: &[&str]) -> Result<Self, Fault> {
        let mut options = Options::default();
        let mut parser = Parser::from_args(words);
        while let Some(word) = parser.next().map_err(usage)? {
            let (name, has_value) = match word {
                Value(word) => {
                    options.words.push(text(word)?);
                    continue;
                }
                Long("help") => return Err(Fault::Help),
                Long(name) if flags.contains(&name) => (name.to_owned(), false),
                Long(name) if with_value.contains(&name) => (name.to_owned(), true),
                other => return Err(usage(other.unexpected())),
            };
            let value =
                if has_value { text(parser.value().map_err(usage)?)? } else { String::new() };
            options.options.push((name, value));
        }
        Ok(options)
    }

    /// `name` is given without `--`, here and below.
    pub fn has(&self, name: &str) -> bool {
        self.all(name).next().is_some()
    }

    /// The last value if the option is repeated.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.all(name).last()
    }

    pub fn needed(&self, name: &str) -> Result<&str, Fault> {
        self.get(name).ok_or_else(|| Fault::Usage(format!("--{name} is missing")))
    }

    pub fn all(&self, name: &str) -> impl Iterator<Item = &str> {
        self.options.iter().filter(move |(option, _)| option == name).map(|(_, value)| &value[..])
    }

    /// The path of a checkpoint index, and the words after it.
    pub fn file_and_rest(&self) -> Result<(&str, &[String]), Fault> {
        let words = self.words.split_first().map(|(file, rest)| (&file[..], rest));
        words.ok_or_else(|| {
            Fault::Usage("the index is missing: write the path of its file".to_owned())
        })
    }
}

/// Only a path can be other text; one line says so, without the usage.
fn text(word: OsString) -> Result<String, Fault> {
    word.into_string().map_err(|word| {
        let shown = decoded(word.as_encoded_bytes());
        Fault::File(format!("{shown}: the path is not UTF-8; rename it, or name a link to it"))
    })
}

fn usage(problem: lexopt::Error) -> Fault {
    Fault::Usage(problem.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::ffi::OsStringExt;

    fn read(words: &[&str]) -> Result<Options, Fault> {
        let words: Vec<OsString> = words.iter().map(OsString::from).collect();
        Options::read(&words, &["progress"], &["journal"])
    }

    #[test]
    fn options_may_come_before_or_after_other_words() -> Result<(), Fault> {
        let options =
            read(&["a", "--journal=x", "--progress", "b", "--journal", "y", "--", "--z"])?;
        assert_eq!(options.words, ["a", "b", "--z"]);
        assert_eq!(options.all("journal").collect::<Vec<_>>(), ["x", "y"]);
        assert!(options.has("progress") && options.get("journal") == Some("y"));
        Ok(())
    }

    #[test]
    fn unknown_options_are_refused() {
        for (word, problem) in [
            ("--nonsense", "invalid option '--nonsense'"),
            ("--progress=1", "unexpected argument for option '--progress': \"1\""),
            ("--other=1", "invalid option '--other'"),
            ("-x", "invalid option '-x'"),
        ] {
            assert_eq!(read(&["a", word]).err(), Some(Fault::Usage(problem.to_owned())));
        }
    }

    #[test]
    fn an_option_without_its_value_is_refused() {
        let problem = "missing argument for option '--journal'".to_owned();
        assert_eq!(read(&["--journal"]).err(), Some(Fault::Usage(problem)));
    }

    #[test]
    fn a_path_that_is_not_utf_8_is_named_in_one_line() {
        let path = OsString::from_vec(b"caf\xe9".to_vec());
        let problem = "caf\\xe9: the path is not UTF-8; rename it, or name a link to it".to_owned();
        assert_eq!(Options::read(&[path], &[], &[]).err(), Some(Fault::File(problem)));
    }

    #[test]
    fn help_is_not_recognized_as_an_option_value_or_after_two_dashes() {
        for words in [&["--help"][..], &["a", "--progress", "--help"], &["--help", "--nonsense"]] {
            assert_eq!(read(words).err(), Some(Fault::Help), "{words:?}");
        }
        for words in [&["--journal", "--help"][..], &["--journal=--help"], &["--", "--help"]] {
            assert!(read(words).is_ok(), "{words:?}");
        }
    }
}
