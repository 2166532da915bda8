use memchr::memchr_iter;
use std::io::{ErrorKind, Read, Result};

/// Few enough to stay in the processor's cache while their lines are parsed.
const STEP_BYTES: usize = 1 << 16;
/// p4d writes lines of some MiB; longer lines are cut to bound the memory.
const MAX_LINE_BYTES: usize = 16 << 20;

#[derive(Debug)]
pub struct Lines<R> {
    input: R,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    /// One search for all line ends in the buffer is faster than one search per line.
    ends: Vec<usize>,
    next_end: usize,
    read_bytes: u64,
    pub cut_lines: u64,
}

impl<R: Read> Lines<R> {
    pub fn new(input: R) -> Self {
        let (buffer, ends) = (vec![0; STEP_BYTES], Vec::new());
        Lines { input, buffer, start: 0, end: 0, ends, next_end: 0, read_bytes: 0, cut_lines: 0 }
    }

    /// Of the lines returned so far, line ends and cut-off parts included.
    pub fn bytes(&self) -> u64 {
        self.read_bytes - (self.end - self.start) as u64
    }

    /// Without its line end; None if none is available: a log still being written may grow.
    #[inline]
    pub fn complete_line(&mut self) -> Result<Option<&[u8]>> {
        while self.next_end == self.ends.len() {
            if !self.read_more()? {
                return Ok(None);
            }
        }
        Ok(self.ends.get(self.next_end).copied().map(|stop| {
            let start = std::mem::replace(&mut self.start, stop + 1);
            self.next_end += 1;
            self.line(start, stop)
        }))
    }

    /// The rest, if the stream does not end with a line end.
    pub fn last_line(&mut self) -> Option<&[u8]> {
        let start = std::mem::replace(&mut self.start, self.end);
        (start < self.end).then(|| self.line(start, self.end))
    }

    fn line(&self, start: usize, stop: usize) -> &[u8] {
        let line = self.buffer.get(start..stop).unwrap_or_default();
        line.strip_suffix(b"\r").unwrap_or(line)
    }

    /// False if the stream has no more data at present.
    #[inline(never)]
    fn read_more(&mut self) -> Result<bool> {
        if self.end - self.start >= MAX_LINE_BYTES {
            return self.cut_line().map(|()| true);
        }
        self.fill().map(|bytes| bytes > 0)
    }

    fn cut_line(&mut self) -> Result<()> {
        let stop = self.start + MAX_LINE_BYTES;
        let mut line = self.buffer.get(self.start..stop).unwrap_or_default().to_vec();
        self.cut_lines += 1;
        self.start = self.end;
        while self.fill()? > 0 {
            let end = self.ends.first();
            self.start = end.map_or(self.end, |end| end + 1);
            if end.is_some() {
                break;
            }
        }
        line.push(b'\n');
        line.extend_from_slice(self.buffer.get(self.start..self.end).unwrap_or_default());
        (self.start, self.end, self.buffer) = (0, line.len(), line);
        self.find_ends(MAX_LINE_BYTES);
        Ok(())
    }

    /// Number of bytes read; 0 if the stream has no more data at present.
    fn fill(&mut self) -> Result<usize> {
        if self.start > 0 {
            self.buffer.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, self.end - self.start);
        }
        if self.end * 2 > self.buffer.len() {
            self.buffer.resize(self.buffer.len() * 2, 0);
        }
        loop {
            let room = self.buffer.get_mut(self.end..).unwrap_or_default();
            // Not beyond the maximum, so that a long line is cut at the same place for any read
            // size.
            let some = room.len().min(STEP_BYTES).min(MAX_LINE_BYTES - self.end);
            match self.input.read(room.get_mut(..some).unwrap_or_default()) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
                Ok(bytes) => {
                    self.end += bytes;
                    self.read_bytes += bytes as u64;
                    self.find_ends(self.end - bytes);
                    return Ok(bytes);
                }
            }
        }
    }

    fn find_ends(&mut self, from: usize) {
        let new = self.buffer.get(from..self.end).unwrap_or_default();
        self.next_end = 0;
        self.ends.clear();
        self.ends.extend(memchr_iter(b'\n', new).map(|end| from + end));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn all(from: impl Read) -> Result<Vec<Vec<u8>>> {
        let (mut lines, mut result) = (Lines::new(from), Vec::new());
        while let Some(line) = lines.complete_line()? {
            result.push(line.to_vec());
        }
        result.extend(lines.last_line().map(<[u8]>::to_vec));
        Ok(result)
    }

    struct Drops<'b>(&'b [u8], usize);

    impl Read for Drops<'_> {
        fn read(&mut self, to: &mut [u8]) -> Result<usize> {
            let some = to.len().min(self.1);
            self.0.read(to.get_mut(..some).unwrap_or_default())
        }
    }

    #[test]
    fn an_overlong_line_is_cut_and_the_next_line_is_complete() -> Result<()> {
        let mut text = vec![b'a'; MAX_LINE_BYTES + (3 << 20)];
        text.extend(b"\nnext\nlast");
        let mut lines = Lines::new(&*text);
        assert_eq!(lines.complete_line()?.map(<[u8]>::len), Some(MAX_LINE_BYTES));
        assert_eq!(lines.complete_line()?, Some(&b"next"[..]));
        assert_eq!(lines.complete_line()?, None);
        assert_eq!(lines.last_line(), Some(&b"last"[..]));
        assert_eq!((lines.cut_lines, lines.bytes()), (1, text.len() as u64));
        Ok(())
    }

    #[test]
    fn an_overlong_line_is_cut_at_the_same_byte_for_any_read_size() -> Result<()> {
        for more in [0, 1, STEP_BYTES / 2, STEP_BYTES] {
            let text = [&b"first\n"[..], &vec![b'a'; MAX_LINE_BYTES + more], b"\nnext\n"].concat();
            for drops in [50_000, usize::MAX] {
                let (mut lines, mut lengths) = (Lines::new(Drops(&text, drops)), Vec::new());
                while let Some(line) = lines.complete_line()? {
                    lengths.push(line.len());
                }
                assert_eq!((lengths, lines.cut_lines), (vec![5, MAX_LINE_BYTES, 4], 1));
            }
        }
        Ok(())
    }

    #[test]
    fn lf_and_crlf_end_a_line() -> Result<()> {
        assert_eq!(all(&b"a\r\nb\n\nc"[..])?, [&b"a"[..], b"b", b"", b"c"]);
        Ok(())
    }

    proptest! {
        #[test]
        fn lines_are_the_same_for_any_read_size(
            text in prop::collection::vec(any::<u8>(), 0..500), drops in 1_usize..300,
        ) {
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
