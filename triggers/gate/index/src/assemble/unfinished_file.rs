use crate::base::checksum::checksum;
use crate::file::blocks::BlockOutput;
use crate::file::trees::{MAGIC, START_BYTES};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

pub type FileOutput = BlockOutput<BufWriter<File>>;

pub struct UnfinishedFile {
    temporary_file: tempfile::NamedTempFile,
    output: PathBuf,
    pub out: FileOutput,
}

impl UnfinishedFile {
    /// With space at its start for the signature and the position of the head. It is beside the
    /// output, under a name by which the next command removes it if this process is killed
    /// (`home/leftovers.py`).
    pub fn of(output: &Path) -> io::Result<Self> {
        let mut name = output.file_name().unwrap_or_default().to_owned();
        name.push(format!(".p4warden-{}.new", std::process::id()));
        let folder = output.parent().filter(|folder| !folder.as_os_str().is_empty());
        let temporary_file = tempfile::Builder::new()
            .prefix(&name)
            .rand_bytes(0)
            .tempfile_in(folder.unwrap_or(Path::new(".")))?;
        let mut file = BufWriter::with_capacity(1 << 18, temporary_file.as_file().try_clone()?);
        file.write_all(&[0; START_BYTES])?;
        let out = BlockOutput::new(file, START_BYTES as u64);
        Ok(UnfinishedFile { temporary_file, output: output.to_owned(), out })
    }

    pub fn finish(mut self, head: &[u8]) -> io::Result<()> {
        let place = self.out.block(head)?;
        let mut start = MAGIC.to_vec();
        start.extend_from_slice(&place.offset.to_le_bytes());
        start.extend_from_slice(&(place.bytes as u32).to_le_bytes());
        start.extend_from_slice(&checksum(&start).to_le_bytes());
        self.out.flush()?;
        self.temporary_file.as_file().write_all_at(&start, 0)?;
        self.temporary_file.as_file().sync_all()?;
        self.temporary_file.persist(&self.output).map_err(|error| error.error)?;
        Ok(())
    }
}
