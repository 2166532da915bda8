//! Looks up a key among the lines of a file that are sorted by their keys, without reading all.

use crate::base::sums::SummedFile;
use std::cmp::Ordering;
use std::io;

/// With 4096 a search in 8 MB takes 1.4 times as long (measured, cold caches).
const CHUNK_BYTES: u64 = 512;

/// Lines like `"key": VALUE,`, sorted by the bytes of the key with its quotes; no comma follows the
/// last one.
#[derive(Clone, Copy, Debug)]
pub struct SortedLines<'f> {
    pub file: SummedFile<'f>,
    /// In bytes; lines begin from here on and before `end`.
    pub start: u64,
    pub end: u64,
}

/// Bytes of a file and their place in it.
#[derive(Default)]
struct Part {
    at: u64,
    bytes: Vec<u8>,
}

impl Part {
    fn end(&self) -> u64 {
        self.at + self.bytes.len() as u64
    }

    fn from(&self, place: u64) -> &[u8] {
        let at = place.checked_sub(self.at).and_then(|at| usize::try_from(at).ok());
        at.and_then(|at| self.bytes.get(at..)).unwrap_or_default()
    }

    /// From a place to the end of its line, with the line end.
    fn line(&self, from: u64) -> Option<&[u8]> {
        let rest = self.from(from);
        let end = rest.iter().position(|byte| *byte == b'\n')?;
        rest.get(..=end)
    }
}

impl SortedLines<'_> {
    /// The value of a key, which has its quotes; None if no line has the key.
    pub fn value(&self, key: &[u8]) -> io::Result<Option<Vec<u8>>> {
        let (mut low, mut high) = (self.start, self.end);
        let mut part = Part::default();
        while low < high {
            let middle = low + (high - low) / 2;
            let at = if middle == low { low } else { self.line_start(&mut part, middle)? };
            if at >= high {
                high = middle;
                continue;
            }
            let line = self.line(&mut part, at)?;
            let (own, rest) = line.split_at(quoted_bytes(line));
            match own.cmp(key) {
                Ordering::Equal => return Ok(Some(value_of(rest).to_vec())),
                Ordering::Less => low = at + line.len() as u64,
                Ordering::Greater => high = middle,
            }
        }
        Ok(None)
    }

    /// Of the first line that begins at or after a place, which is after the start.
    fn line_start(&self, part: &mut Part, place: u64) -> io::Result<u64> {
        let before = place - 1;
        Ok(before + self.line(part, before)?.len() as u64)
    }

    /// As `Part::line`; the last line may lack its end. Reads what `part` does not have.
    fn line<'p>(&self, part: &'p mut Part, from: u64) -> io::Result<&'p [u8]> {
        if part.line(from).is_none() {
            // The search may go back.
            let at = from.saturating_sub(CHUNK_BYTES).max(self.start);
            *part = Part { at, bytes: Vec::new() };
            self.read_to(part, from + CHUNK_BYTES)?;
        }
        while part.line(from).is_none() && part.end() < self.end {
            self.read_to(part, part.end() + part.bytes.len() as u64)?;
        }
        Ok(part.line(from).unwrap_or_else(|| part.from(from)))
    }

    fn read_to(&self, part: &mut Part, end: u64) -> io::Result<()> {
        let at = part.end();
        part.bytes.extend(self.file.part(at, end.min(self.end).saturating_sub(at))?);
        Ok(())
    }
}

/// Of the JSON string at the start of a line, with its quotes.
fn quoted_bytes(line: &[u8]) -> usize {
    let mut at = 1;
    loop {
        match line.get(at) {
            Some(b'\\') => at += 2,
            Some(b'"') => return at + 1,
            Some(_) => at += 1,
            None => return line.len(),
        }
    }
}

fn value_of(rest: &[u8]) -> &[u8] {
    let rest = rest.trim_ascii();
    let rest = rest.strip_prefix(b":").unwrap_or(rest).trim_ascii_start();
    rest.strip_suffix(b",").unwrap_or(rest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::sums::with_sums;
    use proptest::prelude::*;
    use std::collections::BTreeMap;
    use std::io::Write;

    fn quoted(name: &str) -> String {
        serde_json::to_string(name).unwrap()
    }

    proptest! {
        #[test]
        fn each_key_is_found_and_no_other(
            names in prop::collection::btree_map("[a-c\"\\\\ ]{0,4}", (0_usize..9000).prop_map(|length| ",".repeat(length)), 0..12),
            other in "[a-c\"\\\\ ]{0,4}",
        ) {
            let lines: BTreeMap<_, _> = names
                .iter()
                .map(|(name, value)| (quoted(name), quoted(value)))
                .collect();
            let text: Vec<_> = lines.iter().map(|(key, value)| format!("{key}: {value}")).collect();
            let mut file = tempfile::tempfile().unwrap();
            let content = with_sums(format!("head\n{}\nend", text.join(",\n")).as_bytes());
            file.write_all(&content).unwrap();
            let file = SummedFile::of(&file, content.len() as u64).unwrap();
            let sorted = SortedLines { file, start: 5, end: file.bytes - 3 };
            for (key, value) in &lines {
                let found = sorted.value(key.as_bytes()).unwrap();
                prop_assert_eq!(found.as_deref(), Some(value.as_bytes()));
            }
            if !names.contains_key(&other) {
                let found = sorted.value(quoted(&other).as_bytes()).unwrap();
                prop_assert_eq!(found, None);
            }
        }
    }
}
