//! A checkpoint index or its delta file under construction: written under a temporary name and
//! renamed when it is complete.

use crate::base::checksum::checksum;
use crate::file::blocks::BlockOutput;
use crate::file::trees::{Magic, START_BYTES};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::FileExt;
use std::path::Path;

/// Buffered output to a checkpoint index or its delta file, to which the file's trees are appended.
pub type FileOutput = BlockOutput<BufWriter<File>>;

/// A checkpoint index or its delta file that is being written under a temporary name.
pub struct UnfinishedFile {
    temporary_file: tempfile::NamedTempFile,
    /// Buffered output to the unfinished file, to which the trees of the checkpoint index or delta
    /// file are appended.
    pub out: FileOutput,
}

impl UnfinishedFile {
    /// Creates the checkpoint index or delta file under a temporary name in `folder`, with space at
    /// its start for the signature and the position of the head.
    pub fn in_folder(folder: &Path) -> io::Result<Self> {
        let temporary_file =
            tempfile::Builder::new().prefix(".p4warden-index-").tempfile_in(folder)?;
        let mut file = BufWriter::with_capacity(1 << 18, temporary_file.as_file().try_clone()?);
        file.write_all(&[0; START_BYTES])?;
        Ok(UnfinishedFile { temporary_file, out: BlockOutput::new(file, START_BYTES as u64) })
    }

    /// Writes the buffer to the unfinished checkpoint index or delta file, and returns a handle for
    /// reading what is written so far.
    pub fn read_handle(&mut self) -> io::Result<File> {
        self.out.flush()?;
        self.temporary_file.as_file().try_clone()
    }

    /// Writes the head of the checkpoint index or delta file, and at the file's start the signature
    /// `magic` and the head's position; renames the complete file to `output`.
    pub fn finish(mut self, magic: &Magic, head: &[u8], output: &Path) -> io::Result<()> {
        let place = self.out.block(head)?;
        let mut start = magic.to_vec();
        start.extend_from_slice(&place.offset.to_le_bytes());
        start.extend_from_slice(&(place.bytes as u32).to_le_bytes());
        start.extend_from_slice(&checksum(&start).to_le_bytes());
        self.out.flush()?;
        self.temporary_file.as_file().write_all_at(&start, 0)?;
        self.temporary_file.as_file().sync_all()?;
        self.temporary_file.persist(output).map_err(|error| error.error)?;
        Ok(())
    }
}
