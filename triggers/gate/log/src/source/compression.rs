//! All libraries used here are written in Rust, so that the build needs no C compiler.

use bzip2::read::MultiBzDecoder;
use flate2::read::MultiGzDecoder;
use lzma_rust2::XzReader;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};
use std::io::{self, BufRead, BufReader, Error, ErrorKind, Read};

/// Maximum size in bytes of the decompression window of a Zstandard file, and of the memory for an
/// xz file; enough for the output of `zstd --ultra -22` and `xz -9e`.
const MAX_WINDOW_BYTES: u64 = 128 << 20;
const BUFFER_BYTES: usize = 1 << 16;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    None,
    /// RFC 1952.
    Gzip,
    /// RFC 8878.
    Zstd,
    Bzip2,
    /// The .xz file format, tukaani.org.
    Xz,
}

impl Compression {
    pub fn of(magic: &[u8]) -> Self {
        match magic {
            [0x1F, 0x8B, ..] => Compression::Gzip,
            [0x28, 0xB5, 0x2F, 0xFD, ..] | [0x50..=0x5F, 0x2A, 0x4D, 0x18, ..] => Compression::Zstd,
            [b'B', b'Z', b'h', b'1'..=b'9', ..] => Compression::Bzip2,
            [0xFD, b'7', b'z', b'X', b'Z', 0, ..] => Compression::Xz,
            _ => Compression::None,
        }
    }
}

pub fn decompressed(compression: Compression, stored: impl Read + 'static) -> Box<dyn Read> {
    match compression {
        Compression::None => Box::new(stored),
        Compression::Gzip => Box::new(MultiGzDecoder::new(stored)),
        Compression::Zstd => Box::new(Frames::new(stored)),
        Compression::Bzip2 => Box::new(MultiBzDecoder::new(stored)),
        Compression::Xz => {
            let most_kib = (MAX_WINDOW_BYTES >> 10) as u32;
            let stored = BufReader::with_capacity(BUFFER_BYTES, stored);
            Box::new(XzReader::new_mem_limit(stored, true, most_kib))
        }
    }
}

struct Frames<R> {
    input: BufReader<R>,
    decoder: FrameDecoder,
    is_in_frame: bool,
}

impl<R: Read> Frames<R> {
    fn new(input: R) -> Self {
        let mut decoder = FrameDecoder::new();
        decoder.set_max_window_size(MAX_WINDOW_BYTES);
        let input = BufReader::with_capacity(BUFFER_BYTES, input);
        Frames { input, decoder, is_in_frame: false }
    }

    /// A skippable frame contains no text; false at the end of the file.
    fn begin(&mut self) -> io::Result<bool> {
        if self.input.fill_buf()?.is_empty() {
            return Ok(false);
        }
        match self.decoder.init(&mut self.input) {
            Ok(()) => self.is_in_frame = true,
            Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                length,
                ..
            })) => {
                let length = u64::from(length);
                let skipped_bytes =
                    io::copy(&mut self.input.by_ref().take(length), &mut io::sink())?;
                if skipped_bytes < length {
                    return Err(ErrorKind::UnexpectedEof.into());
                }
            }
            Err(error) => return Err(self.damage_error(&error)),
        }
        Ok(true)
    }

    /// Fails if the frame stores a checksum and it is wrong.
    fn end(&mut self) -> io::Result<()> {
        self.is_in_frame = false;
        let (stored_sum, actual_sum) =
            (self.decoder.get_checksum_from_data(), self.decoder.get_calculated_checksum());
        if stored_sum.zip(actual_sum).is_some_and(|(stored, actual)| stored != actual) {
            return Err(Error::new(ErrorKind::InvalidData, "corrupt zstd stream: wrong checksum"));
        }
        Ok(())
    }

    fn damage_error(&mut self, error: &FrameDecoderError) -> Error {
        match self.input.fill_buf() {
            Ok([]) => ErrorKind::UnexpectedEof.into(),
            Ok(_) => Error::new(ErrorKind::InvalidData, error.to_string()),
            Err(error) => error,
        }
    }
}

impl<R: Read> Read for Frames<R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        while !to.is_empty() {
            if self.decoder.can_collect() > 0 {
                return self.decoder.read(to);
            }
            if !self.is_in_frame {
                if !self.begin()? {
                    break;
                }
            } else if self.decoder.is_finished() {
                self.end()?;
            } else {
                let some = BlockDecodingStrategy::UptoBlocks(1);
                if let Err(error) = self.decoder.decode_blocks(&mut self.input, some) {
                    return Err(self.damage_error(&error));
                }
            }
        }
        Ok(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const MAGIC: [&[u8]; 4] = [b"\x1F\x8B\x08\0\0\0", b"\x28\xB5\x2F\xFD", b"BZh9", b"\xFD7zXZ\0"];

    #[test]
    fn compression_formats_are_recognized_by_their_first_bytes() {
        let formats = MAGIC.map(Compression::of);
        let expected = [Compression::Gzip, Compression::Zstd, Compression::Bzip2, Compression::Xz];
        assert_eq!(formats, expected);
        assert_eq!(Compression::of(b"Perforce"), Compression::None);
        assert_eq!(Compression::of(b""), Compression::None);
    }

    proptest! {
        #[test]
        fn unpacking_arbitrary_bytes_ends_without_a_panic(kind in 0..MAGIC.len(), bytes: Vec<u8>) {
            let stored = [MAGIC[kind], &bytes].concat();
            let compression = Compression::of(&stored);
            let mut text = decompressed(compression, io::Cursor::new(stored)).take(1 << 20);
            let _ = text.read_to_end(&mut Vec::new());
        }
    }
}
