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

/// A log that can be read.
#[derive(Debug)]
pub struct Log {
    /// Its path; `-` is the standard input.
    pub path: String,
    /// Its size as it is stored; None where it is not known.
    pub stored_bytes: Option<u64>,
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

/// Looks at all the logs and puts them in order: a rotated log is older than the one it was
/// rotated from, whatever the names say. A file that is named twice, as by a link to it, is one.
///
/// The error, one line, names the file and its fault.
pub fn in_order(paths: &[String], zone: &tz::TimeZone) -> Result<Vec<Log>, String> {
    if let Some(stream) = paths.iter().find(|path| is_stream(path)) {
        if paths.len() > 1 {
            return Err(format!(
                "{stream}: can be read once, and so not be put in order; name it alone"
            ));
        }
        let (path, stored_bytes, first_ns, file) = (stream.clone(), None, None, None);
        return Ok(vec![Log { path, stored_bytes, first_ns, file }]);
    }
    let mut logs: Vec<Log> = paths.iter().map(|path| look(path, zone)).collect::<Result<_, _>>()?;
    logs.sort_by_key(|log| log.first_ns);
    let mut known = HashSet::new();
    logs.retain(|log| log.file.is_none_or(|file| known.insert(file)));
    Ok(logs)
}

/// Whether bytes once read are gone: the standard input, or a pipe as `<(zstdcat log.zst)` is.
fn is_stream(path: &str) -> bool {
    let is_special = |about: std::fs::Metadata| !about.is_file() && !about.is_dir();
    path == "-" || std::fs::metadata(path).is_ok_and(is_special)
}

impl Log {
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

fn look(path: &str, zone: &tz::TimeZone) -> Result<Log, String> {
    let (head, _) = open(path)?;
    form(&head).ok_or_else(|| not_a_log(path, &head))?;
    let about = std::fs::metadata(path).ok();
    Ok(Log {
        path: path.to_owned(),
        stored_bytes: about.as_ref().map(std::fs::Metadata::len),
        first_ns: first_ns(&head, LocalTime::new(zone.clone())),
        file: about.map(|about| (about.dev(), about.ino())),
    })
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
