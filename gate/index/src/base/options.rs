//! Parses the command line of a subcommand of `p4warden-index` or `p4warden-log` into options and
//! remaining words.

use crate::base::trouble::Trouble;
use std::ffi::OsString;

/// The options of a subcommand's command line (`--name`, `--name=VALUE` or `--name VALUE`) and its
/// remaining words; after `--` no word is an option.
#[derive(Debug, Default)]
pub struct Options {
    options: Vec<(String, String)>,
    /// The words of the command line that are neither options nor values of options.
    pub words: Vec<String>,
}

impl Options {
    /// Parses the words of a command line. Options in `flags` take no value, those in `with_value`
    /// take one. The error names an unknown option, a missing value, or a word that is not UTF-8.
    pub fn read(words: &[OsString], flags: &[&str], with_value: &[&str]) -> Result<Self, Trouble> {
        let mut options = Options::default();
        let mut words = words.iter().map(text);
        while let Some(word) = words.next() {
            let word = word?;
            if word == "--" {
                options.words.extend(words.by_ref().collect::<Result<Vec<_>, _>>()?);
                break;
            }
            let Some(option) = word.strip_prefix("--") else {
                options.words.push(word);
                continue;
            };
            let (name, value) = match option.split_once('=') {
                Some((name, value)) => (name, Some(value.to_owned())),
                None if flags.contains(&option) => (option, Some(String::new())),
                None => (option, words.next().transpose()?),
            };
            let is_known = with_value.contains(&name) || (flags.contains(&name) && name == option);
            let Some(value) = value.filter(|_| is_known) else {
                return Err(Trouble::Usage(format!(
                    "{word} is not an option, or its value is missing"
                )));
            };
            options.options.push((name.to_owned(), value));
        }
        Ok(options)
    }

    /// Whether the option `name`, given without `--`, is present on the command line.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.all(name).next().is_some()
    }

    /// The value of the option `name`, given without `--`: the last value if the option is
    /// repeated, None if the option is absent.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.all(name).last()
    }

    /// All values of the option `name`, given without `--`, in the order of the command line.
    pub fn all(&self, name: &str) -> impl Iterator<Item = &str> {
        self.options.iter().filter(move |(option, _)| option == name).map(|(_, value)| &value[..])
    }

    /// The first word of the command line, which is the path of a checkpoint index, and the
    /// remaining words. The error says that no index is named.
    pub fn file_and_rest(&self) -> Result<(&str, &[String]), Trouble> {
        let words = self.words.split_first().map(|(file, rest)| (&file[..], rest));
        words.ok_or_else(|| Trouble::Usage("no index is named".to_owned()))
    }
}

fn text(word: &OsString) -> Result<String, Trouble> {
    let text = word.to_str().map(str::to_owned);
    text.ok_or_else(|| Trouble::Usage(format!("{} is not UTF-8", word.to_string_lossy())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(words: &[&str]) -> Result<Options, Trouble> {
        let words: Vec<OsString> = words.iter().map(OsString::from).collect();
        Options::read(&words, &["progress"], &["journal"])
    }

    #[test]
    fn options_stand_anywhere() -> Result<(), Trouble> {
        let options =
            read(&["a", "--journal=x", "--progress", "b", "--journal", "y", "--", "--z"])?;
        assert_eq!(options.words, ["a", "b", "--z"]);
        assert_eq!(options.all("journal").collect::<Vec<_>>(), ["x", "y"]);
        assert!(options.has("progress") && options.get("journal") == Some("y"));
        Ok(())
    }

    #[test]
    fn unknown_options_are_refused() {
        for words in [&["--nonsense"][..], &["--journal"], &["--progress=1"], &["--other=1"]] {
            assert!(matches!(read(words), Err(Trouble::Usage(_))), "{words:?}");
        }
    }
}
