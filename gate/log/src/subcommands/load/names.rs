//! Numbers for names.

use std::collections::HashMap;

/// Names can be made up by the million; beyond so many they are forgotten, and one that comes
/// again has two numbers.
const MAX_NAMES: usize = 1 << 20;

/// The numbers of names, from 1.
#[derive(Debug, Default)]
pub struct Names {
    numbers: HashMap<Vec<u8>, i64>,
    given: i64,
}

impl Names {
    /// The number of a name, and whether it is new.
    pub fn number(&mut self, name: &[u8]) -> (i64, bool) {
        if let Some(number) = self.numbers.get(name) {
            return (*number, false);
        }
        if self.numbers.len() >= MAX_NAMES {
            self.numbers.clear();
        }
        self.given += 1;
        self.numbers.insert(name.to_vec(), self.given);
        (self.given, true)
    }
}
