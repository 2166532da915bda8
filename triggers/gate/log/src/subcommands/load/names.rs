use std::collections::HashMap;

/// Maximum number of names remembered, because users can invent millions. When it is reached, all
/// are forgotten, and a name that recurs gets a second number in the database.
const MAX_NAMES: usize = 1 << 20;

#[derive(Debug, Default)]
pub struct Names {
    numbers: HashMap<Vec<u8>, i64>,
    last_number: i64,
}

impl Names {
    /// Also returns whether the number was assigned by this call.
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
