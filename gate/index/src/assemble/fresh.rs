//! A file of trees, written beside its place and renamed once it is whole.

use crate::file::blocks::Out;
use crate::file::trees::{Magic, START_BYTES};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::FileExt;
use std::path::Path;

/// The file that trees are written to.
pub type FreshFile = Out<BufWriter<File>>;

/// A file that is being written.
pub struct Fresh {
    named: tempfile::NamedTempFile,
    /// Trees are appended here.
    pub out: FreshFile,
}

impl Fresh {
    /// Begins a file in a folder.
    pub fn inside(folder: &Path) -> io::Result<Self> {
        let named = tempfile::Builder::new().prefix(".p4warden-index-").tempfile_in(folder)?;
        let mut file = BufWriter::with_capacity(1 << 18, named.as_file().try_clone()?);
        file.write_all(&[0; START_BYTES])?;
        Ok(Fresh { named, out: Out::new(file, START_BYTES as u64) })
    }

    /// The file as far as it is written, to be read.
    pub fn so_far(&mut self) -> io::Result<File> {
        self.out.flush()?;
        self.named.as_file().try_clone()
    }

    /// Writes the head, and puts the file in its place.
    pub fn finish(mut self, magic: &Magic, head: &[u8], output: &Path) -> io::Result<()> {
        let place = self.out.block(head)?;
        let mut start = magic.to_vec();
        start.extend_from_slice(&place.at.to_le_bytes());
        start.extend_from_slice(&(place.bytes as u32).to_le_bytes());
        start.extend_from_slice(&crc32fast::hash(&start).to_le_bytes());
        self.out.flush()?;
        self.named.as_file().write_all_at(&start, 0)?;
        self.named.as_file().sync_all()?;
        self.named.persist(output).map_err(|error| error.error)?;
        Ok(())
    }
}
