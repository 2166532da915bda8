use p4warden_index::base::fault::Fault;
use p4warden_index::base::options::Options;
use std::ffi::OsString;

/// The words are paths of logs; they may be missing only if an option `--server` is given.
pub fn read_options(
    words: &[OsString],
    flags: &[&str],
    with_value: &[&str],
) -> Result<Options, Fault> {
    let options = Options::read(words, flags, with_value)?;
    if options.words.is_empty() && !options.has("server") {
        return Err(Fault::Usage("the log is missing (- is the standard input)".to_owned()));
    }
    Ok(options)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(words: &[&str]) -> Result<Options, Fault> {
        let words: Vec<OsString> = words.iter().map(OsString::from).collect();
        read_options(&words, &["follow"], &["server"])
    }

    #[test]
    fn logs_are_given_as_words_or_with_the_option_server() -> Result<(), Fault> {
        assert_eq!(read(&["log.1", "--follow", "log"])?.words, ["log.1", "log"]);
        assert!(read(&["--server=edge=log"])?.words.is_empty());
        Ok(())
    }

    #[test]
    fn a_command_line_without_a_log_is_refused() {
        for words in [&[][..], &["--follow"], &["--server"]] {
            assert!(matches!(read(words), Err(Fault::Usage(_))), "{words:?}");
        }
    }
}
