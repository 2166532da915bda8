//! A stream of bytes -> its lines, without copying them.

use memchr::memchr_iter;
use std::io::{ErrorKind, Read, Result};

const START_BYTES: usize = 1 << 18;
/// p4d writes lines of some MiB; beyond this one is cut, so that memory stays what it is.
const MAX_LINE_BYTES: usize = 16 << 20;

/// The lines of a stream.
#[derive(Debug)]
pub struct Lines<R> {
    from: R,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    /// The places of line ends that were read and not handed out, the last one first: to look for
    /// all of a buffer at once costs half of what it costs line by line.
    ends: Vec<usize>,
    /// How many bytes of lines were handed out.
    pub bytes: u64,
    /// How many lines were longer than 16 MiB, and are cut there.
    pub cut: u64,
}

impl<R: Read> Lines<R> {
    /// Reads from a stream.
    pub fn new(from: R) -> Self {
        let (buffer, ends) = (vec![0; START_BYTES], Vec::new());
        Lines { from, buffer, start: 0, end: 0, ends, bytes: 0, cut: 0 }
    }

    /// The next whole line, without its end; None when the stream has no more for now. A stream
    /// that goes on may have more later.
    pub fn whole(&mut self) -> Result<Option<&[u8]>> {
        loop {
            if let Some(stop) = self.ends.pop() {
                let start = self.pass(stop + 1);
                return Ok(Some(self.line(start, stop)));
            }
            if self.end - self.start >= MAX_LINE_BYTES {
                return self.cut_line().map(Some);
            }
            if self.fill()? == 0 {
                return Ok(None);
            }
        }
    }

    /// What the stream ended with: a line that has no end; None if there is none.
    pub fn rest(&mut self) -> Option<&[u8]> {
        let stop = self.end;
        let start = self.pass(stop);
        (start < stop).then(|| self.line(start, stop))
    }

    fn line(&self, start: usize, stop: usize) -> &[u8] {
        let line = self.buffer.get(start..stop).unwrap_or_default();
        line.strip_suffix(b"\r").unwrap_or(line)
    }

    /// Goes on to a place; returns where that was before.
    fn pass(&mut self, place: usize) -> usize {
        let start = std::mem::replace(&mut self.start, place);
        self.bytes += (place - start) as u64;
        start
    }

    /// The start of a line that is too long; what follows up to its end is passed over.
    fn cut_line(&mut self) -> Result<&[u8]> {
        let stop = self.start + MAX_LINE_BYTES;
        let kept = self.buffer.get(self.start..stop).unwrap_or_default().to_vec();
        self.cut += 1;
        loop {
            let end = self.ends.pop();
            self.pass(end.map_or(self.end, |end| end + 1));
            if end.is_some() || self.fill()? == 0 {
                break;
            }
        }
        // The line goes before what is left, where there is room now.
        let left = self.buffer.get(self.start..self.end).unwrap_or_default().to_vec();
        (self.start, self.end) = (kept.len(), kept.len() + left.len());
        self.buffer = [kept, left].concat();
        self.find_ends(self.start);
        Ok(self.line(0, self.start))
    }

    /// Reads more behind what is held, which has no line end; 0 when there is no more for now.
    fn fill(&mut self) -> Result<usize> {
        self.buffer.copy_within(self.start..self.end, 0);
        (self.start, self.end) = (0, self.end - self.start);
        if self.end * 2 > self.buffer.len() {
            self.buffer.resize(self.buffer.len() * 2, 0);
        }
        loop {
            match self.from.read(self.buffer.get_mut(self.end..).unwrap_or_default()) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
                Ok(read) => {
                    self.end += read;
                    self.find_ends(self.end - read);
                    return Ok(read);
                }
            }
        }
    }

    fn find_ends(&mut self, from: usize) {
        let new = self.buffer.get(from..self.end).unwrap_or_default();
        self.ends.clear();
        self.ends.extend(memchr_iter(b'\n', new).rev().map(|place| from + place));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn all(from: impl Read) -> Result<Vec<Vec<u8>>> {
        let (mut lines, mut found) = (Lines::new(from), Vec::new());
        while let Some(line) = lines.whole()? {
            found.push(line.to_vec());
        }
        found.extend(lines.rest().map(<[u8]>::to_vec));
        Ok(found)
    }

    /// Hands out a few bytes at a time.
    struct Drops<'b>(&'b [u8], usize);

    impl Read for Drops<'_> {
        fn read(&mut self, to: &mut [u8]) -> Result<usize> {
            let some = to.len().min(self.1);
            self.0.read(to.get_mut(..some).unwrap_or_default())
        }
    }

    #[test]
    fn a_line_beyond_all_measure_is_cut_and_the_next_is_whole() -> Result<()> {
        let mut text = vec![b'a'; MAX_LINE_BYTES + (3 << 20)];
        text.extend(b"\nnext\nlast");
        let mut lines = Lines::new(&*text);
        assert_eq!(lines.whole()?.map(<[u8]>::len), Some(MAX_LINE_BYTES));
        assert_eq!(lines.whole()?, Some(&b"next"[..]));
        assert_eq!(lines.whole()?, None);
        assert_eq!(lines.rest(), Some(&b"last"[..]));
        assert_eq!((lines.cut, lines.bytes), (1, text.len() as u64));
        Ok(())
    }

    #[test]
    fn ends_of_both_kinds_are_ends() -> Result<()> {
        assert_eq!(all(&b"a\r\nb\n\nc"[..])?, [&b"a"[..], b"b", b"", b"c"]);
        Ok(())
    }

    proptest! {
        #[test]
        fn lines_are_the_same_however_they_arrive(text: Vec<u8>, drops in 1_usize..9) {
            let text: Vec<u8> = text.iter().map(|b| if b % 7 == 0 { b'\n' } else { *b }).collect();
            let mut plain: Vec<&[u8]> = text.split(|byte| *byte == b'\n').collect();
            plain.pop_if(|last| last.is_empty());
            let plain: Vec<&[u8]> =
                plain.iter().map(|line| line.strip_suffix(b"\r").unwrap_or(line)).collect();
            let plain: Vec<Vec<u8>> = plain.iter().map(|line| line.to_vec()).collect();
            prop_assert_eq!(all(Drops(&text, drops))?, plain);
        }
    }
}
