//! Assignment of numbers to names (users, clients and others) for the log database's table of
//! names.

use std::collections::HashMap;

/// Maximum number of names remembered, because users can invent millions. When it is reached, all
/// are forgotten, and a name that recurs gets a second number in the database.
const MAX_NAMES: usize = 1 << 20;

/// The numbers of names in the log database's table of names, counted from 1, as far as remembered.
#[derive(Debug, Default)]
pub struct Names {
    numbers: HashMap<Vec<u8>, i64>,
    last_number: i64,
}

impl Names {
    /// Returns the number of a name, and whether the number was assigned by this call.
    pub fn number(&mut self, name: &[u8]) -> (i64, bool) {
        if let Some(number) = self.numbers.get(name) {
            return (*number, false);
        }
        if self.numbers.len() >= MAX_NAMES {
            self.numbers.clear();
        }
        self.last_number += 1;
        self.numbers.insert(name.to_vec(), self.last_number);
        (self.last_number, true)
    }
}
