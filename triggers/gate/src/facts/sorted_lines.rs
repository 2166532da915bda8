//! Looks up a key among the lines of a file that are sorted by their keys, without reading all.

use std::cmp::Ordering;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

const CHUNK_BYTES: u64 = 4096;

/// Lines like `"key": VALUE,`, sorted by the bytes of the key with its quotes; no comma follows the
/// last one.
#[derive(Clone, Copy, Debug)]
pub struct SortedLines<'f> {
    pub file: &'f File,
    /// In bytes; lines begin from here on and before `end`.
    pub start: u64,
    pub end: u64,
}

impl SortedLines<'_> {
    /// The value of a key, which has its quotes; None if no line has the key.
    pub fn value(&self, key: &[u8]) -> io::Result<Option<Vec<u8>>> {
        let (mut low, mut high) = (self.start, self.end);
        while low < high {
            let middle = low + (high - low) / 2;
            let at = if middle == low { low } else { self.line_start(middle)? };
            if at >= high {
                high = middle;
                continue;
            }
            let line = self.line(at)?;
            let (own, value) = line.split_at(quoted_bytes(&line));
            match own.cmp(key) {
                Ordering::Equal => return Ok(Some(value_of(value))),
                Ordering::Less => low = at + line.len() as u64,
                Ordering::Greater => high = middle,
            }
        }
        Ok(None)
    }

    /// Of the first line that begins at or after a place behind the start.
    fn line_start(&self, place: u64) -> io::Result<u64> {
        let before = place - 1;
        Ok(before + self.line(before)?.len() as u64)
    }

    /// From a place to the end of its line, with the line end.
    fn line(&self, from: u64) -> io::Result<Vec<u8>> {
        let mut line = Vec::new();
        loop {
            let at = from + line.len() as u64;
            let mut chunk = vec![0; usize::try_from((self.end - at).min(CHUNK_BYTES)).unwrap_or(0)];
            self.file.read_exact_at(&mut chunk, at)?;
            let end = chunk.iter().position(|byte| *byte == b'\n');
            line.extend_from_slice(
                chunk.get(..end.map_or(chunk.len(), |end| end + 1)).unwrap_or_default(),
            );
            if end.is_some() || from + line.len() as u64 >= self.end {
                return Ok(line);
            }
        }
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

fn value_of(rest: &[u8]) -> Vec<u8> {
    let rest = rest.trim_ascii();
    let rest = rest.strip_prefix(b":").unwrap_or(rest).trim_ascii_start();
    rest.strip_suffix(b",").unwrap_or(rest).to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;
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
            write!(file, "head\n{}\nend", text.join(",\n")).unwrap();
            let end = file.metadata().unwrap().len() - 3;
            let sorted = SortedLines { file: &file, start: 5, end };
            for (key, value) in &lines {
                let found = sorted.value(key.as_bytes()).unwrap();
                prop_assert_eq!(found.as_deref(), Some(value.as_bytes()));
            }
            if !names.contains_key(&other) {
                prop_assert_eq!(sorted.value(quoted(&other).as_bytes()).unwrap(), None);
            }
        }
    }
}
