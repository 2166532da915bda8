use crate::source::compression::{Compression, decompressed};
use p4warden_index::base::fault::reason;
use std::cell::Cell;
use std::fs::File;
use std::io::{self, Read, stdin};
use std::os::unix::fs::MetadataExt;
use std::rc::Rc;

/// In this part of a log's text its form must be recognizable.
pub const HEAD_BYTES: u64 = 1 << 20;
const MAGIC_BYTES: u64 = 6;
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

pub struct StoredFile {
    /// Read in advance to recognize the form.
    pub head: Vec<u8>,
    pub rest: Box<dyn Read>,
    /// Of the file as stored, possibly compressed.
    pub read_bytes: Rc<Cell<u64>>,
}

pub fn open(path: &str) -> Result<StoredFile, String> {
    let problem = |error: io::Error| format!("{path}: {}", reason(&error));
    let read_bytes = Rc::new(Cell::new(0));
    let input: Box<dyn Read> = if path == "-" {
        Box::new(stdin())
    } else {
        Box::new(GrowingFile::open(path).map_err(problem)?)
    };
    let mut input = CountingReader { input, count: Rc::clone(&read_bytes) };
    let mut magic = Vec::new();
    input.by_ref().take(MAGIC_BYTES).read_to_end(&mut magic).map_err(problem)?;
    let compression = Compression::of(&magic);
    let mut text = decompressed(compression, io::Cursor::new(magic).chain(input));
    let mut head = Vec::new();
    let result = text.by_ref().take(HEAD_BYTES).read_to_end(&mut head);
    let rest: Box<dyn Read> = match result {
        Ok(_) => text,
        Err(error) if head.is_empty() => return Err(problem(error)),
        // Return the intact part of the log first; the error follows where the damaged part begins.
        Err(error) => Box::new(FailingReader(Some(error))),
    };
    if head.starts_with(BYTE_ORDER_MARK) {
        head.drain(..BYTE_ORDER_MARK.len());
    }
    Ok(StoredFile { head, rest, read_bytes })
}

/// At its end the path is checked again, because a log may have been rotated or truncated; reading
/// then continues in the new file.
struct GrowingFile {
    path: String,
    file: File,
    offset: u64,
}

impl GrowingFile {
    fn open(path: &str) -> io::Result<Self> {
        let file = File::open(path)?;
        if file.metadata()?.is_dir() {
            return Err(io::Error::other("is a directory; specify the logs in it"));
        }
        Ok(GrowingFile { path: path.to_owned(), file, offset: 0 })
    }

    /// The path refers to another file, or the file is shorter than the part already read.
    fn is_replaced(&self) -> bool {
        let (Ok(named_file), Ok(open_file)) = (std::fs::metadata(&self.path), self.file.metadata())
        else {
            return false;
        };
        named_file.is_file()
            && ((named_file.dev(), named_file.ino()) != (open_file.dev(), open_file.ino())
                || named_file.len() < self.offset)
    }
}

impl Read for GrowingFile {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let bytes = self.file.read(to)?;
        self.offset += bytes as u64;
        if bytes > 0 || to.is_empty() || !self.is_replaced() {
            return Ok(bytes);
        }
        (self.file, self.offset) = (File::open(&self.path)?, 0);
        self.file.read(to).inspect(|bytes| self.offset = *bytes as u64)
    }
}

/// Returns the error once, where a file cannot be read further, as after a wrong checksum.
struct FailingReader(Option<io::Error>);

impl Read for FailingReader {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        self.0.take().map_or(Ok(0), Err)
    }
}

struct CountingReader<R> {
    input: R,
    count: Rc<Cell<u64>>,
}

impl<R: Read> Read for CountingReader<R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let bytes = self.input.read(to)?;
        self.count.set(self.count.get() + bytes as u64);
        Ok(bytes)
    }
}
