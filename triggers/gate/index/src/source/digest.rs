//! The MD5 digest that p4d writes beside a checkpoint when it is complete (`FILE.md5`).

use crate::base::text::decoded;
use crate::source::files::open;
use md5::{Digest, Md5};
use std::ffi::OsString;
use std::fs::File;
use std::io::{Read, copy};
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// More than an `.md5` file can be long.
const MAX_BYTES: u64 = 16 << 10;
const DIGITS: usize = 32;

/// `FILE.md5`, or without `.gz` in the name, as some releases write it.
pub fn file_of(checkpoint: &Path) -> Option<PathBuf> {
    let plain = checkpoint.extension().filter(|end| *end == "gz");
    let plain = plain.map(|_| checkpoint.with_extension(""));
    let names = [Some(checkpoint.to_owned()), plain].into_iter().flatten();
    let mut files = names.map(|path| {
        let mut name = OsString::from(path);
        name.push(".md5");
        PathBuf::from(name)
    });
    files.find(|path| path.is_file())
}

/// Of the content as stored or uncompressed: no public source says of which. False without a
/// digest.
pub fn agrees(checkpoint: &Path) -> bool {
    let Some(expected) = file_of(checkpoint).and_then(|file| stated(&file)) else { return false };
    let stored = File::open(checkpoint).ok().and_then(digest);
    stored.as_ref() == Some(&expected)
        || open(checkpoint, Rc::default()).ok().and_then(digest) == Some(expected)
}

/// In lower case; whatever else is in the file.
fn stated(file: &Path) -> Option<String> {
    let mut text = Vec::new();
    File::open(file).ok()?.take(MAX_BYTES).read_to_end(&mut text).ok()?;
    let text = decoded(&text).to_ascii_lowercase();
    let mut words = text.split(|letter: char| !letter.is_ascii_alphanumeric());
    let is_digest =
        |word: &&str| word.len() == DIGITS && word.bytes().all(|digit| digit.is_ascii_hexdigit());
    words.find(is_digest).map(str::to_owned)
}

fn digest(mut from: impl Read) -> Option<String> {
    let mut digest = HashWriter(Md5::new());
    copy(&mut from, &mut digest).ok()?;
    Some(digest.0.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

struct HashWriter(Md5);

impl std::io::Write for HashWriter {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
