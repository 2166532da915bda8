//! Parsing of the command-line options of subcommands.

use std::ffi::OsString;

/// Options given as `--name VALUE` or `--name=VALUE`.
pub(crate) struct Options(Vec<(String, String)>);

impl Options {
    pub(crate) fn read(words: &[OsString], names: &[&str]) -> Result<Self, String> {
        let mut options = Vec::new();
        let mut words = words.iter().map(|word| word.to_string_lossy().into_owned());
        while let Some(word) = words.next() {
            let option = word.strip_prefix("--").unwrap_or_default();
            let (name, value) = match option.split_once('=') {
                Some((name, value)) => (name.to_owned(), Some(value.to_owned())),
                None => (option.to_owned(), words.next()),
            };
            match value {
                Some(value) if names.contains(&name.as_str()) => options.push((name, value)),
                _ => {
                    return Err(format!("{word} is no option, or lacks a value"));
                }
            }
        }
        Ok(Options(options))
    }

    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(option, _)| option == name).map(|(_, value)| value.as_str())
    }
}
