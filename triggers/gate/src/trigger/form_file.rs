//! The temporary file in which p4d passes a form to a trigger.

use crate::base::fault::Fault;
use crate::forms::form_parser::MAX_FORM_BYTES;
use rustix::fs::{FileType, Mode, OFlags};
use rustix::io::Errno;
use std::ffi::OsStr;
use std::fmt::Display;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileExt;
use std::path::Path;

/// The text, or its beginning if it is too large.
pub fn read(path: Option<&[u8]>) -> Result<Vec<u8>, Fault> {
    let path = path.ok_or_else(|| Fault::new("the trigger line passes no --form"))?;
    let file = open(path, OFlags::RDONLY).map_err(|error| fault(path, &error))?;
    let status = rustix::fs::fstat(&file).map_err(|error| fault(path, &error))?;
    if FileType::from_raw_mode(status.st_mode) != FileType::RegularFile {
        return Err(fault(path, &"is not a regular file"));
    }
    let most_bytes = MAX_FORM_BYTES as u64 + 1;
    let size = u64::try_from(status.st_size).unwrap_or(0).min(most_bytes);
    let mut text = Vec::with_capacity(usize::try_from(size + 1).unwrap_or(0));
    file.take(most_bytes).read_to_end(&mut text).map_err(|error| fault(path, &error))?;
    Ok(text)
}

/// Replaces the form that p4d is about to display; it displays the file. If the new form cannot be
/// written completely, the old content is written back.
pub fn write(path: &[u8], form: &[u8]) -> Result<(), Fault> {
    let replace = || {
        let file = open(path, OFlags::RDWR)?;
        let mut before = Vec::new();
        (&file).take(MAX_FORM_BYTES as u64).read_to_end(&mut before)?;
        write_whole(&file, form).inspect_err(|_| {
            let _ = write_whole(&file, &before);
        })
    };
    replace().map_err(|error: io::Error| fault(path, &error))
}

fn write_whole(file: &File, content: &[u8]) -> io::Result<()> {
    if let Some(most) = rustix::process::getrlimit(rustix::process::Resource::Fsize).current
        && content.len() as u64 > most
    {
        // The kernel would end the process with `SIGXFSZ`.
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    file.write_all_at(content, 0)?;
    file.set_len(content.len() as u64)
}

fn open(path: &[u8], flags: OFlags) -> io::Result<File> {
    let safely = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    match rustix::fs::open(OsStr::from_bytes(path), flags | safely, Mode::empty()) {
        Ok(file) => Ok(file.into()),
        Err(Errno::LOOP) => Err(io::Error::other("is a symbolic link")),
        Err(error) => Err(error.into()),
    }
}

fn fault(path: &[u8], error: &dyn Display) -> Fault {
    let in_file = Fault::of_file(Path::new(OsStr::from_bytes(path)), error);
    Fault::new(format!("the form's file {in_file}"))
}
