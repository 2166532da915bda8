use crate::parse::structured;
use crate::parse::text::{header, stamped_line};
use crate::source::storage::{self, HEAD_BYTES, StoredFile};
use crate::units::local_time::LocalTime;
use std::cell::Cell;
use std::collections::HashSet;
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::rc::Rc;
use tz::TimeZone;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Blocks of text lines (`P4LOG`).
    Text,
    /// Lines of comma-separated values (`serverlog.file.N`).
    Structured,
}

impl Form {
    pub fn word(self) -> &'static str {
        match self {
            Form::Text => "text",
            Form::Structured => "structured",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogFile {
    /// `-` stands for standard input.
    pub path: String,
    pub server: Option<String>,
}

impl LogFile {
    pub fn without_server(paths: &[String]) -> Vec<LogFile> {
        paths.iter().map(|path| LogFile { path: path.clone(), server: None }).collect()
    }
}

#[derive(Debug, Default)]
pub struct ReadableLogs {
    /// In reading order; those of one server are adjacent.
    pub logs: Vec<Log>,
    /// Path and one-line error of each file that cannot be read or is not a log.
    pub faults: Vec<(String, String)>,
}

/// Adjacent structured logs of one server form one group, each text log a group of its own.
pub fn reading_groups(logs: &[Log]) -> impl Iterator<Item = &[Log]> {
    logs.chunk_by(|one, other| {
        one.server == other.server && one.is_structured() && other.is_structured()
    })
}

impl ReadableLogs {
    /// Empty files are faults only if no log has content, because a log is empty directly after its
    /// rotation. Not called if the reader waits for data that is still to be written.
    pub fn without_empty(mut self) -> Self {
        if self.logs.iter().all(|log| log.stored_bytes == Some(0)) {
            let empty =
                self.logs.drain(..).map(|log| (format!("{}: is empty", log.path), log.path));
            self.faults.extend(empty.map(|(fault, path)| (path, fault)));
        }
        self
    }

    /// Text logs come first, then structured logs, each sorted by time. The server has no name if the
    /// logs name several.
    pub fn of_one_server(mut self) -> Self {
        let mut names: Vec<_> = self.logs.iter().filter_map(|log| log.server.clone()).collect();
        names.dedup();
        let name = if let [name] = names.as_slice() { Some(name.clone()) } else { None };
        self.logs.iter_mut().for_each(|log| log.server.clone_from(&name));
        self.logs.sort_by_key(|log| (log.is_structured(), log.first_ns));
        self
    }
}

#[derive(Debug)]
pub struct Log {
    /// Given on the command line or stated in the log.
    pub server: Option<String>,
    pub path: String,
    /// As stored, possibly compressed; None for a stream.
    pub stored_bytes: Option<u64>,
    /// Nanoseconds since the Unix epoch; None if unknown.
    pub(super) first_ns: Option<u64>,
    form: Option<Form>,
    /// Device and inode number, to detect a file that was named twice; None if unknown.
    file: Option<(u64, u64)>,
}

pub struct OpenLog {
    pub form: Form,
    pub text: Box<dyn Read>,
    /// Of the file as stored, possibly compressed.
    pub read_bytes: Rc<Cell<u64>>,
}

/// By server, form (text before structured) and first time in the log, so that rotated logs are in
/// order whatever their names are. A file named twice, for example through a link, counts once.
/// Fails if a stream, which cannot be examined in advance, is not the only log of its server.
pub fn sorted_logs(
    files: &[LogFile],
    zone: impl Fn(Option<&str>) -> TimeZone,
) -> Result<ReadableLogs, String> {
    let mut result = ReadableLogs::default();
    for file in files {
        if is_stream(&file.path) {
            let of_server = files.iter().filter(|other| other.server == file.server);
            if of_server.count() > 1 {
                return Err(format!(
                    "{}: cannot be sorted because it can be read only once; specify it alone",
                    file.path
                ));
            }
            result.logs.push(Log::stream(file));
            continue;
        }
        match look(file, &zone) {
            Ok(log) => result.logs.push(log),
            Err(fault) => result.faults.push((file.path.clone(), fault)),
        }
    }
    let mut servers: Vec<Option<String>> = Vec::new();
    for log in &result.logs {
        if !servers.contains(&log.server) {
            servers.push(log.server.clone());
        }
    }
    let place = |log: &Log| servers.iter().position(|server| *server == log.server);
    result.logs.sort_by_key(|log| (place(log), log.is_structured(), log.first_ns));
    let mut seen_files = HashSet::new();
    result.logs.retain(|log| log.file.is_none_or(|file| seen_files.insert(file)));
    Ok(result)
}

/// Can be read only once: standard input, or a pipe such as `<(zstdcat log.zst)`.
pub fn is_stream(path: &str) -> bool {
    let is_special = |about: std::fs::Metadata| !about.is_file() && !about.is_dir();
    path == "-" || std::fs::metadata(path).is_ok_and(is_special)
}

impl Log {
    fn stream(file: &LogFile) -> Self {
        let LogFile { path, server } = file.clone();
        Log { server, path, stored_bytes: None, first_ns: None, form: None, file: None }
    }

    /// False also for streams and empty files, whose form is unknown.
    pub fn is_structured(&self) -> bool {
        self.form == Some(Form::Structured)
    }

    pub fn is_stream(&self) -> bool {
        is_stream(&self.path)
    }

    /// None if the log file is still empty.
    pub fn open(&self) -> Result<Option<OpenLog>, String> {
        let StoredFile { head, rest, read_bytes } = storage::open(&self.path)?;
        if head.is_empty() && !self.is_stream() {
            return Ok(None);
        }
        let form = form(&head).ok_or_else(|| not_a_log(&self.path, &head))?;
        let text = Box::new(io::Cursor::new(head).chain(rest));
        Ok(Some(OpenLog { form, text, read_bytes }))
    }
}

fn look(file: &LogFile, zone: impl Fn(Option<&str>) -> TimeZone) -> Result<Log, String> {
    let path = &file.path;
    let StoredFile { head, .. } = storage::open(path)?;
    let form = form(&head);
    // An empty file is accepted as a log, because a log is empty directly after its rotation.
    if !head.is_empty() {
        form.ok_or_else(|| not_a_log(path, &head))?;
    }
    let about = std::fs::metadata(path).ok();
    let server = file.server.clone().or_else(|| stated_server(&head));
    Ok(Log {
        stored_bytes: about.as_ref().map(std::fs::Metadata::len),
        form,
        first_ns: first_ns(&head, LocalTime::new(zone(server.as_deref()))),
        file: about.map(|about| (about.dev(), about.ino())),
        path: path.clone(),
        server,
    })
}

fn stated_server(head: &[u8]) -> Option<String> {
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
        (header(line).is_some() || stamped_line(bare).is_some()).then_some(Form::Text)
    })
}

fn first_ns(head: &[u8], mut time: LocalTime) -> Option<u64> {
    head.split(|byte| *byte == b'\n').find_map(|line| {
        let bare = line.strip_prefix(b"\t").unwrap_or(line);
        let text = stamped_line(bare).and_then(|stamped| time.read_ns(stamped.date));
        text.or_else(|| structured::time_ns(line))
    })
}

fn not_a_log(path: &str, head: &[u8]) -> String {
    if head.is_empty() {
        return format!("{path}: is empty");
    }
    let description = match head {
        [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] => {
            return format!("{path}: is UTF-16, which p4d does not write; convert it with iconv");
        }
        [b'@', ..] => "is a checkpoint or journal, not a p4d log",
        _ if head.contains(&0) => "is a binary file",
        _ => "is not a p4d log",
    };
    format!(
        "{path}: {description}; nothing in its first {} KiB is a line of a p4d log",
        HEAD_BYTES >> 10
    )
}
