use crate::base::trouble::Trouble;
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
                _ if option == "help" => return Err(Trouble::Help),
                Some((name, value)) if with_value.contains(&name) => (name, Some(value.to_owned())),
                None if flags.contains(&option) => (option, Some(String::new())),
                None if with_value.contains(&option) => (option, words.next().transpose()?),
                _ => return Err(Trouble::Usage(format!("{word} is not an option"))),
            };
            let missing = || Trouble::Usage(format!("the value of {word} is missing"));
            options.options.push((name.to_owned(), value.ok_or_else(missing)?));
        }
        Ok(options)
    }

    /// `name` is given without `--`, here and below.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.all(name).next().is_some()
    }

    /// The last value if the option is repeated.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.all(name).last()
    }

    pub fn all(&self, name: &str) -> impl Iterator<Item = &str> {
        self.options.iter().filter(move |(option, _)| option == name).map(|(_, value)| &value[..])
    }

    /// The path of a checkpoint index, and the words after it.
    pub fn file_and_rest(&self) -> Result<(&str, &[String]), Trouble> {
        let words = self.words.split_first().map(|(file, rest)| (&file[..], rest));
        words.ok_or_else(|| {
            Trouble::Usage("the index is missing: write the path of its file".to_owned())
        })
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
    fn options_may_come_before_or_after_other_words() -> Result<(), Trouble> {
        let options =
            read(&["a", "--journal=x", "--progress", "b", "--journal", "y", "--", "--z"])?;
        assert_eq!(options.words, ["a", "b", "--z"]);
        assert_eq!(options.all("journal").collect::<Vec<_>>(), ["x", "y"]);
        assert!(options.has("progress") && options.get("journal") == Some("y"));
        Ok(())
    }

    #[test]
    fn unknown_options_are_refused() {
        for word in ["--nonsense", "--progress=1", "--other=1", "--help=1"] {
            let problem = format!("{word} is not an option");
            assert_eq!(read(&["a", word]).err(), Some(Trouble::Usage(problem)));
        }
    }

    #[test]
    fn an_option_without_its_value_is_refused() {
        let problem = "the value of --journal is missing".to_owned();
        assert_eq!(read(&["--journal"]).err(), Some(Trouble::Usage(problem)));
    }

    #[test]
    fn help_is_not_recognized_as_an_option_value_or_after_two_dashes() {
        for words in [&["--help"][..], &["a", "--progress", "--help"], &["--help", "--nonsense"]] {
            assert_eq!(read(words).err(), Some(Trouble::Help), "{words:?}");
        }
        for words in [&["--journal", "--help"][..], &["--journal=--help"], &["--", "--help"]] {
            assert!(read(words).is_ok(), "{words:?}");
        }
    }
}
