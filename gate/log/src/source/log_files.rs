//! Files of logs: text or structured, several of them in the order of their times.

use crate::parse::structured;
use crate::parse::text::{header, stamped};
use crate::source::storage::{self, HEAD_BYTES, Stored};
use crate::units::local_time::LocalTime;
use std::cell::Cell;
use std::collections::HashSet;
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::rc::Rc;
use tz::TimeZone;

/// Form of a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Blocks of text (`P4LOG`).
    Text,
    /// Lines of comma-separated values (`serverlog.file.N`).
    Structured,
}

impl Form {
    /// The form in a word.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Form::Text => "text",
            Form::Structured => "structured",
        }
    }
}

/// A file that is to be read, and the server whose log it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// Its path; `-` is the standard input.
    pub path: String,
    /// The server's name, where it is told.
    pub server: Option<String>,
}

impl Named {
    /// Files of servers whose names are not told.
    #[must_use]
    pub fn plain(paths: &[String]) -> Vec<Named> {
        paths.iter().map(|path| Named { path: path.clone(), server: None }).collect()
    }
}

/// The files that can be read, in order, and the faults of the others.
#[derive(Debug, Default)]
pub struct Found {
    /// Logs of one server stand together.
    pub logs: Vec<Log>,
    /// Path and fault, one line each.
    pub faults: Vec<(String, String)>,
}

/// The logs in parts that are read at once: structured logs of a server together, others alone.
pub fn parts(logs: &[Log]) -> impl Iterator<Item = &[Log]> {
    logs.chunk_by(|one, other| {
        one.server == other.server && one.is_structured() && other.is_structured()
    })
}

impl Found {
    /// The same, where nothing that is still to be written is waited for: an empty file beside
    /// others is as a rotation left it, but if all are empty there is no log.
    #[must_use]
    pub fn written(mut self) -> Self {
        if self.logs.iter().all(|log| log.stored_bytes == Some(0)) {
            let empty =
                self.logs.drain(..).map(|log| (format!("{}: is empty", log.path), log.path));
            self.faults.extend(empty.map(|(fault, path)| (path, fault)));
        }
        self
    }

    /// The same logs, as those of one server without a name.
    #[must_use]
    pub fn of_one_server(mut self) -> Self {
        self.logs.iter_mut().for_each(|log| log.server = None);
        self.logs.sort_by_key(|log| (log.is_structured(), log.first_ns));
        self
    }
}

/// A log that can be read.
#[derive(Debug)]
pub struct Log {
    /// The server's name, where it is told or the log names it.
    pub server: Option<String>,
    /// Its path; `-` is the standard input.
    pub path: String,
    /// Its size as it is stored; None where it is not known.
    pub stored_bytes: Option<u64>,
    /// The first time that it tells.
    pub(super) first_ns: Option<u64>,
    form: Option<Form>,
    /// Its device and number there; None where they are not known.
    file: Option<(u64, u64)>,
}

/// The bytes of a log, and its form.
pub struct Opened {
    /// The form.
    pub form: Form,
    /// The text, however it is stored.
    pub text: Box<dyn Read>,
    /// How many bytes of the stored file were read.
    pub read_bytes: Rc<Cell<u64>>,
}

/// Looks at all the files and puts the logs among them in order: a rotated log is older than the
/// one it was rotated from, whatever the names say. A file that is named twice, as by a link to it,
/// is one. Of a server whose name is not told a structured log may name it.
///
/// The error, one line, is about a stream, which cannot be looked at first.
pub fn in_order(files: &[Named], zone: impl Fn(Option<&str>) -> TimeZone) -> Result<Found, String> {
    let mut found = Found::default();
    for file in files {
        if is_stream(&file.path) {
            let of_server = files.iter().filter(|other| other.server == file.server);
            if of_server.count() > 1 {
                return Err(format!(
                    "{}: can be read once, and so not be put in order; name it alone",
                    file.path
                ));
            }
            found.logs.push(Log::stream(file));
            continue;
        }
        match look(file, &zone) {
            Ok(log) => found.logs.push(log),
            Err(fault) => found.faults.push((file.path.clone(), fault)),
        }
    }
    let mut servers: Vec<Option<String>> = Vec::new();
    for log in &found.logs {
        if !servers.contains(&log.server) {
            servers.push(log.server.clone());
        }
    }
    let place = |log: &Log| servers.iter().position(|server| *server == log.server);
    found.logs.sort_by_key(|log| (place(log), log.is_structured(), log.first_ns));
    let mut known = HashSet::new();
    found.logs.retain(|log| log.file.is_none_or(|file| known.insert(file)));
    Ok(found)
}

/// Whether bytes once read are gone: the standard input, or a pipe as `<(zstdcat log.zst)` is.
fn is_stream(path: &str) -> bool {
    let is_special = |about: std::fs::Metadata| !about.is_file() && !about.is_dir();
    path == "-" || std::fs::metadata(path).is_ok_and(is_special)
}

impl Log {
    fn stream(named: &Named) -> Self {
        let Named { path, server } = named.clone();
        Log { server, path, stored_bytes: None, first_ns: None, form: None, file: None }
    }

    /// Whether it is a structured log.
    #[must_use]
    pub fn is_structured(&self) -> bool {
        self.form == Some(Form::Structured)
    }

    /// Whether it can be read once only, as a pipe.
    #[must_use]
    pub fn is_stream(&self) -> bool {
        is_stream(&self.path)
    }

    /// Opens the log; None if nothing is in it so far. The error is one line.
    pub fn open(&self) -> Result<Option<Opened>, String> {
        let Stored { head, rest, read_bytes } = storage::open(&self.path)?;
        if head.is_empty() && !self.is_stream() {
            return Ok(None);
        }
        let form = form(&head).ok_or_else(|| not_a_log(&self.path, &head))?;
        let text = Box::new(io::Cursor::new(head).chain(rest));
        Ok(Some(Opened { form, text, read_bytes }))
    }
}

fn look(named: &Named, zone: impl Fn(Option<&str>) -> TimeZone) -> Result<Log, String> {
    let path = &named.path;
    let Stored { head, .. } = storage::open(path)?;
    let form = form(&head);
    // An empty log may have been rotated just now.
    if !head.is_empty() {
        form.ok_or_else(|| not_a_log(path, &head))?;
    }
    let about = std::fs::metadata(path).ok();
    let server = named.server.clone().or_else(|| own_server(&head));
    Ok(Log {
        stored_bytes: about.as_ref().map(std::fs::Metadata::len),
        form,
        first_ns: first_ns(&head, LocalTime::new(zone(server.as_deref()))),
        file: about.map(|about| (about.dev(), about.ino())),
        path: path.clone(),
        server,
    })
}

/// The server that a structured log names.
fn own_server(head: &[u8]) -> Option<String> {
    let mut lines = head.split(|byte| *byte == b'\n');
    let name = lines.find_map(structured::server)?;
    Some(String::from_utf8_lossy(&name).into_owned())
}

fn form(head: &[u8]) -> Option<Form> {
    head.split(|byte| *byte == b'\n').find_map(|line| {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if structured::is_record(line) {
            return Some(Form::Structured);
        }
        let bare = line.strip_prefix(b"\t").unwrap_or(line);
        (header(line).is_some() || stamped(bare).is_some()).then_some(Form::Text)
    })
}

fn first_ns(head: &[u8], mut time: LocalTime) -> Option<u64> {
    head.split(|byte| *byte == b'\n').find_map(|line| {
        let bare = line.strip_prefix(b"\t").unwrap_or(line);
        let text = stamped(bare).and_then(|stamped| time.read_ns(stamped.date));
        text.or_else(|| structured::time_ns(line))
    })
}

fn not_a_log(path: &str, head: &[u8]) -> String {
    if head.is_empty() {
        return format!("{path}: is empty");
    }
    let what = match head {
        [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] => {
            return format!("{path}: is UTF-16, which p4d does not write; convert it with iconv");
        }
        [b'@', ..] => "is a checkpoint or journal, and no log of p4d",
        _ if head.contains(&0) => "is a binary file",
        _ => "is no log of p4d",
    };
    format!("{path}: {what}; nothing in its first {} KiB reads like one", HEAD_BYTES >> 10)
}
