//! Files of logs: plain or gzip, text or structured, several of them in the order of their times.

use crate::parse::structured;
use crate::parse::text::{header, stamped};
use crate::units::local_time::LocalTime;
use flate2::read::MultiGzDecoder;
use std::cell::Cell;
use std::collections::HashSet;
use std::fs::File;
use std::io::{self, Read, stdin};
use std::os::unix::fs::MetadataExt;
use std::rc::Rc;
use tz::TimeZone;

/// So much of a file is enough to recognise its form.
const HEAD_BYTES: u64 = 1 << 20;
const GZIP: [u8; 2] = [0x1F, 0x8B];

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

impl Found {
    /// The same logs, as those of one server without a name.
    #[must_use]
    pub fn of_one_server(mut self) -> Self {
        self.logs.iter_mut().for_each(|log| log.server = None);
        self.logs.sort_by_key(|log| log.first_ns);
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
    first_ns: Option<u64>,
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
    found.logs.sort_by_key(|log| (place(log), log.first_ns));
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
        Log { server, path, stored_bytes: None, first_ns: None, file: None }
    }

    /// Opens the log; the error is one line.
    pub fn open(&self) -> Result<Opened, String> {
        let (head, mut opened) = open(&self.path)?;
        opened.form = form(&head).ok_or_else(|| self.not_one(&head))?;
        opened.text = Box::new(io::Cursor::new(head).chain(opened.text));
        Ok(opened)
    }

    fn not_one(&self, head: &[u8]) -> String {
        not_a_log(&self.path, head)
    }
}

fn look(named: &Named, zone: impl Fn(Option<&str>) -> TimeZone) -> Result<Log, String> {
    let path = &named.path;
    let (head, _) = open(path)?;
    form(&head).ok_or_else(|| not_a_log(path, &head))?;
    let about = std::fs::metadata(path).ok();
    let server = named.server.clone().or_else(|| own_server(&head));
    Ok(Log {
        stored_bytes: about.as_ref().map(std::fs::Metadata::len),
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

/// Opens a file and reads its start, which is what the rest comes behind.
fn open(path: &str) -> Result<(Vec<u8>, Opened), String> {
    let told = |error: io::Error| format!("{path}: {}", reason(&error));
    let read_bytes = Rc::new(Cell::new(0));
    let from: Box<dyn Read> =
        if path == "-" { Box::new(stdin()) } else { Box::new(Growing::open(path).map_err(told)?) };
    let mut from = Counted { from, count: Rc::clone(&read_bytes) };
    let mut magic = Vec::new();
    from.by_ref().take(2).read_to_end(&mut magic).map_err(told)?;
    let is_gzip = magic == GZIP;
    let whole = io::Cursor::new(magic).chain(from);
    let mut text: Box<dyn Read> =
        if is_gzip { Box::new(MultiGzDecoder::new(whole)) } else { Box::new(whole) };
    let mut head = Vec::new();
    let read = text.by_ref().take(HEAD_BYTES).read_to_end(&mut head);
    let text: Box<dyn Read> = match read {
        Ok(_) if head.is_empty() => Box::new(io::empty()),
        Ok(_) => text,
        Err(error) if head.is_empty() => return Err(told(error)),
        // The text in front of the damage is read first.
        Err(error) => Box::new(Broken(Some(error))),
    };
    Ok((head, Opened { form: Form::Text, text, read_bytes }))
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
    let what = if head.contains(&0) { "is a binary file" } else { "is no log of p4d" };
    format!("{path}: {what}; nothing in its first {} KiB reads like one", HEAD_BYTES >> 10)
}

/// An error in words: gzip's own say little.
#[must_use]
pub fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => "the compressed data end early".to_owned(),
        io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput => {
            format!("the compressed data are damaged ({error})")
        }
        _ => error.to_string(),
    }
}

/// A file that is written to; at its end it is looked for under its name, for it may have been
/// rotated or emptied.
struct Growing {
    path: String,
    file: File,
    at: u64,
}

impl Growing {
    fn open(path: &str) -> io::Result<Self> {
        let file = File::open(path)?;
        if file.metadata()?.is_dir() {
            return Err(io::Error::other("is a directory; name the logs in it"));
        }
        Ok(Growing { path: path.to_owned(), file, at: 0 })
    }

    /// Whether another file has the name now, or this one is shorter than the part already read.
    fn is_another(&self) -> bool {
        let now = std::fs::metadata(&self.path);
        let Ok((now, ours)) = now.and_then(|now| Ok((now, self.file.metadata()?))) else {
            return false;
        };
        now.is_file() && ((now.dev(), now.ino()) != (ours.dev(), ours.ino()) || now.len() < self.at)
    }
}

impl Read for Growing {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(to)?;
        self.at += read as u64;
        if read > 0 || to.is_empty() || !self.is_another() {
            return Ok(read);
        }
        (self.file, self.at) = (File::open(&self.path)?, 0);
        self.file.read(to).inspect(|read| self.at = *read as u64)
    }
}

/// The end of what cannot be read on; gzip tells of a wrong sum only once.
struct Broken(Option<io::Error>);

impl Read for Broken {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        self.0.take().map_or(Ok(0), Err)
    }
}

/// Counts the bytes read.
struct Counted<R> {
    from: R,
    count: Rc<Cell<u64>>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let read = self.from.read(to)?;
        self.count.set(self.count.get() + read as u64);
        Ok(read)
    }
}
