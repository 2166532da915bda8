//! Finds and opens the files of checkpoints and journals: plain or gzip, single files or
//! directories of several files.

use crate::base::trouble::Trouble;
use flate2::bufread::MultiGzDecoder;
use std::cell::Cell;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::rc::Rc;

const GZIP: [u8; 2] = [0x1F, 0x8B];
/// Maximum number of directory levels that are searched in a checkpoint directory, its own level
/// included; a deeper directory is an error, because no checkpoint has one.
const MAX_DEPTH: u32 = 4;

/// A file of a checkpoint or journal to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Path of the checkpoint or journal file.
    pub path: PathBuf,
    /// Size in bytes of the file as stored, possibly compressed; 0 for a pipe.
    pub stored_bytes: u64,
    /// Whether the file was found in a directory, so that it may be one of several files of the
    /// checkpoint.
    pub is_one_of_many: bool,
}

/// Lists the checkpoint and journal files at `paths`; a directory stands for all files in it and in
/// its subdirectories, sorted by name. The error names a path, for example one that cannot be read
/// or has no files.
///
/// A parallel checkpoint (`p4d -jcp`) is a directory with one file per table, a multifile
/// checkpoint has several files for a large table ("Helix Core Server Administrator Guide",
/// "Parallel checkpointing, dumping, and recovery"). The `.md5` files in a directory are skipped.
pub fn parts(paths: &[PathBuf]) -> Result<Vec<Part>, Trouble> {
    let mut parts = Vec::new();
    for path in paths {
        let before = parts.len();
        find(path, 0, &mut parts)?;
        if parts.len() == before {
            return Err(Trouble::File(format!("{}: contains no files", path.display())));
        }
    }
    Ok(parts)
}

fn find(path: &Path, depth: u32, parts: &mut Vec<Part>) -> Result<(), Trouble> {
    let trouble = |error: &io::Error| Trouble::of_file(path, error);
    let about = std::fs::metadata(path).map_err(|error| trouble(&error))?;
    if !about.is_dir() {
        let stored_bytes = if about.is_file() { about.len() } else { 0 };
        parts.push(Part { path: path.to_owned(), stored_bytes, is_one_of_many: depth > 0 });
        return Ok(());
    }
    if depth == MAX_DEPTH {
        return Err(Trouble::File(format!("{}: is nested too deeply in folders", path.display())));
    }
    let mut inside: Vec<PathBuf> = Vec::new();
    for entry in std::fs::read_dir(path).map_err(|error| trouble(&error))? {
        inside.push(entry.map_err(|error| trouble(&error))?.path());
    }
    inside.sort();
    let is_digest = |path: &&PathBuf| path.extension().is_some_and(|end| end == "md5");
    inside.iter().filter(|path| !is_digest(path)).try_for_each(|path| find(path, depth + 1, parts))
}

/// Opens a checkpoint or journal file, decompressed if it is gzip. During reading, `read_bytes` is
/// increased by the number of bytes read from the stored (possibly compressed) file.
pub fn open(path: &Path, read_bytes: Rc<Cell<u64>>) -> Result<Box<dyn Read>, Trouble> {
    let trouble = |error: io::Error| Trouble::of_file(path, &error);
    let mut from = CountingReader { input: File::open(path).map_err(trouble)?, read_bytes };
    let mut magic = Vec::new();
    from.by_ref().take(2).read_to_end(&mut magic).map_err(trouble)?;
    let is_gzip = magic == GZIP;
    let input = io::Cursor::new(magic).chain(from);
    if is_gzip {
        let buffered = io::BufReader::with_capacity(1 << 17, input);
        return Ok(Box::new(MultiGzDecoder::new(buffered)));
    }
    Ok(Box::new(input))
}

/// Opens a journal file, decompressed if it is gzip, at byte offset `at` of the uncompressed text;
/// None if the text is shorter.
pub fn open_from(path: &Path, at: u64) -> io::Result<Option<Box<dyn Read>>> {
    let mut file = File::open(path)?;
    let mut magic = Vec::new();
    file.by_ref().take(2).read_to_end(&mut magic)?;
    file.seek(SeekFrom::Start(0))?;
    if magic != GZIP {
        let is_long = file.metadata()?.len() >= at;
        file.seek(SeekFrom::Start(at))?;
        return Ok(is_long.then(|| Box::new(file) as Box<dyn Read>));
    }
    let mut text = MultiGzDecoder::new(io::BufReader::with_capacity(1 << 17, file));
    let skipped_bytes = io::copy(&mut text.by_ref().take(at), &mut io::sink())?;
    Ok((skipped_bytes == at).then(|| Box::new(text) as Box<dyn Read>))
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
