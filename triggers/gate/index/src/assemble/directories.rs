use crate::base::numbers::ordered;
use crate::base::order::shared_bytes;
use crate::sorted::sorter::Sorter;
use std::io;

/// Selects every `step`-th record among those directly in the same directory.
#[derive(Debug)]
pub struct Directories {
    step: u64,
    /// Those above the current path in which records were found directly, outermost first.
    open_directories: Vec<OpenDirectory>,
    /// In lower case if the server ignores case.
    previous_path: Vec<u8>,
    key: Vec<u8>,
}

#[derive(Debug)]
struct OpenDirectory {
    path_bytes: usize,
    records: u64,
}

impl Directories {
    pub fn new(step: u64) -> Self {
        Directories {
            step,
            open_directories: Vec::new(),
            previous_path: Vec::new(),
            key: Vec::new(),
        }
    }

    /// `order_path` is the spelling that is compared, in lower case on a server that ignores case.
    pub fn pass(
        &mut self,
        path: &[u8],
        order_path: &[u8],
        records: u64,
        to: &mut Sorter,
    ) -> io::Result<()> {
        let shared = shared_bytes(&self.previous_path, order_path);
        while self.open_directories.last().is_some_and(|open| open.path_bytes > shared) {
            self.open_directories.pop();
        }
        self.previous_path.truncate(shared);
        self.previous_path.extend_from_slice(order_path.get(shared..).unwrap_or_default());
        let path_bytes = path.iter().rposition(|byte| *byte == b'/').map_or(0, |at| at + 1);
        let before = self.count(path_bytes, records);
        for number in before / self.step..(before + records) / self.step {
            sample_key(&mut self.key, path, path_bytes);
            let [a, b, c, d, e, f, g] = ordered(number as u32);
            to.push([&self.key, &[0, a, b, c, d, e, f, g]], Some(b""))?;
        }
        Ok(())
    }

    fn count(&mut self, path_bytes: usize, records: u64) -> u64 {
        match self.open_directories.last_mut().filter(|open| open.path_bytes == path_bytes) {
            Some(open) => {
                open.records += records;
                open.records - records
            }
            None => {
                self.open_directories.push(OpenDirectory { path_bytes, records });
                0
            }
        }
    }
}

/// The key keeps the files directly in one directory together, which sorting by path does not.
fn sample_key(key: &mut Vec<u8>, path: &[u8], directory_bytes: usize) {
    let (directory, name) = path.split_at_checked(directory_bytes).unwrap_or((path, b""));
    key.clear();
    key.extend_from_slice(directory);
    key.push(0);
    key.extend_from_slice(name);
}
