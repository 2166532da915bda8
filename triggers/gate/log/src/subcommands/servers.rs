use crate::source::log_files::LogFile;
use p4warden_gate::base::clock;
use p4warden_index::base::fault::Fault;
use p4warden_index::base::options::Options;
use tz::TimeZone;

#[derive(Debug)]
pub struct Servers {
    /// First those of `--server NAME=FILE`, then the others.
    pub files: Vec<LogFile>,
    zones: Vec<(Option<String>, TimeZone)>,
}

impl Servers {
    /// `--server NAME` is the server of all logs without `--server NAME=FILE`, `--zone ZONE` the
    /// time zone of the servers without `--zone NAME=ZONE`.
    pub fn read(options: &Options) -> Result<Self, Fault> {
        let mut servers = Servers { files: Vec::new(), zones: zones(options)? };
        let mut of_the_rest = None;
        for value in options.all("server") {
            match value.split_once('=') {
                Some((name, path)) if !name.is_empty() && !path.is_empty() => {
                    let server = Some(name.to_owned());
                    servers.files.push(LogFile { path: path.to_owned(), server });
                }
                None if !value.is_empty() => of_the_rest = Some(value.to_owned()),
                _ => {
                    return Err(Fault::Usage(format!(
                        "--server={value} is neither NAME nor NAME=LOG"
                    )));
                }
            }
        }
        let rest = options.words.iter();
        servers
            .files
            .extend(rest.map(|path| LogFile { path: path.clone(), server: of_the_rest.clone() }));
        Ok(Servers { files: some(servers.files)?, ..servers })
    }

    /// Given for the server, otherwise for all servers, otherwise `TZ` or the machine's.
    pub fn zone(&self, server: Option<&str>) -> TimeZone {
        let of = |name: Option<&str>| {
            let mut zones = self.zones.iter().rev();
            zones.find(|(server, _)| server.as_deref() == name).map(|(_, zone)| zone.clone())
        };
        of(server).or_else(|| of(None)).unwrap_or_else(|| clock::zone().clone())
    }
}

/// The named logs, if there are any.
pub fn some(files: Vec<LogFile>) -> Result<Vec<LogFile>, Fault> {
    match files.is_empty() {
        true => Err(Fault::Usage("the log is missing (- is the standard input)".to_owned())),
        false => Ok(files),
    }
}

fn zones(options: &Options) -> Result<Vec<(Option<String>, TimeZone)>, Fault> {
    let each = options.all("zone").map(|value| {
        let (server, name) = match value.split_once('=') {
            Some((server, name)) => (Some(server.to_owned()), name),
            None => (None, value),
        };
        match TimeZone::from_posix_tz(name) {
            Ok(zone) => Ok((server, zone)),
            Err(_) => Err(Fault::Usage(format!(
                "--zone={value}: {name} is not a time zone of this machine; write for example Europe/Berlin"
            ))),
        }
    });
    each.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logs_are_given_as_words_or_with_the_option_server() {
        let count = |words: &[&str]| {
            let words: Vec<_> = words.iter().map(Into::into).collect();
            Servers::read(&Options::read(&words, &[], &["server"])?).map(|it| it.files.len())
        };
        assert_eq!(count(&["log.1", "log", "--server=edge=log"]), Ok(3));
        for words in [&[][..], &["--server=edge"]] {
            assert!(matches!(count(words), Err(Fault::Usage(_))), "{words:?}");
        }
    }
}
