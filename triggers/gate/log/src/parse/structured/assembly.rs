//! A record with a line end inside quotes continues on the next line.

/// Above it a record ends although a quote is open: the closing quote is probably missing.
const MAX_RECORD_BYTES: usize = 16 << 20;

#[derive(Debug, Default)]
pub struct Assembly {
    record: Vec<u8>,
    is_quoted: bool,
    is_whole: bool,
    pub lines: u64,
    first_line: u64,
}

impl Assembly {
    /// True if the line completes a record.
    pub fn take(&mut self, line: &[u8]) -> bool {
        if std::mem::take(&mut self.is_whole) {
            self.record.clear();
            self.record.shrink_to(1 << 16);
        }
        self.lines += 1;
        if self.record.is_empty() {
            self.first_line = self.lines;
        } else {
            self.record.push(b'\n');
        }
        self.record.extend_from_slice(line);
        self.is_quoted ^= memchr::memchr_iter(b'"', line).count() % 2 == 1;
        self.is_whole = !self.is_quoted || self.record.len() > MAX_RECORD_BYTES;
        self.is_quoted &= !self.is_whole;
        self.is_whole && !self.record.is_empty()
    }

    /// False if there is no unfinished record.
    pub fn end(&mut self) -> bool {
        let goes_on = !self.is_whole && !self.record.is_empty();
        (self.is_quoted, self.is_whole) = (false, true);
        goes_on
    }

    /// The record, and the number of its first line.
    pub fn record(&self) -> (&[u8], u64) {
        (&self.record, self.first_line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_with_an_open_quote_continues_on_the_next_line() {
        let mut records = Assembly::default();
        let lines = [&b"one"[..], b"", b"a \"quote", b"", b"ends\" here", b"last \""];
        let completeness: Vec<bool> = lines.iter().map(|line| records.take(line)).collect();
        assert_eq!(completeness, [true, false, false, false, true, false]);
        assert!(records.end());
        assert_eq!(records.record(), (&b"last \""[..], 6));
        assert!(!records.end());
    }

    #[test]
    fn a_record_has_the_number_of_its_first_line() {
        let mut records = Assembly::default();
        assert!(!records.take(b"a \"quote"));
        assert!(records.take(b"ends\" here"));
        assert_eq!(records.record(), (&b"a \"quote\nends\" here"[..], 1));
        assert!(records.take(b"next"));
        assert_eq!(records.record(), (&b"next"[..], 3));
    }
}
