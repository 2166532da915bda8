use crate::base::fault::Fault;
use flate2::bufread::MultiGzDecoder;
use std::cell::Cell;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::rc::Rc;

pub const GZIP: [u8; 2] = [0x1F, 0x8B];

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    pub path: PathBuf,
    /// As stored, possibly compressed; 0 for a pipe.
    pub stored_bytes: u64,
    /// Of a parallel checkpoint.
    pub is_one_of_many: bool,
}

impl Part {
    /// The file at a path; the error says why it cannot be read, or that it is a folder.
    pub fn of(path: &Path, is_one_of_many: bool) -> Result<Self, Fault> {
        let about = std::fs::metadata(path).map_err(|error| Fault::of_file(path, &error))?;
        if about.is_dir() {
            let problem = "is a folder; name its files one by one, the oldest journal first";
            return Err(Fault::File(format!("{}: {problem}", path.display())));
        }
        let stored_bytes = if about.is_file() { about.len() } else { 0 };
        Ok(Part { path: path.to_owned(), stored_bytes, is_one_of_many })
    }
}

/// `read_bytes` counts the bytes read from the stored, possibly compressed file.
pub fn open(path: &Path, read_bytes: Rc<Cell<u64>>) -> Result<Box<dyn Read>, Fault> {
    let fault = |error: io::Error| Fault::of_file(path, &error);
    let mut from = CountingReader { input: File::open(path).map_err(fault)?, read_bytes };
    let mut magic = Vec::new();
    from.by_ref().take(2).read_to_end(&mut magic).map_err(fault)?;
    let is_gzip = magic == GZIP;
    let input = io::Cursor::new(magic).chain(from);
    if is_gzip {
        let buffered = io::BufReader::with_capacity(1 << 17, input);
        return Ok(Box::new(MultiGzDecoder::new(buffered)));
    }
    Ok(Box::new(input))
}

struct CountingReader {
    input: File,
    read_bytes: Rc<Cell<u64>>,
}

impl Read for CountingReader {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let bytes = self.input.read(to)?;
        self.read_bytes.set(self.read_bytes.get() + bytes as u64);
        Ok(bytes)
    }
}
