//! Answers about the arguments of a command, of which equal ones take one look-up in an index.

use std::cell::RefCell;
use std::collections::HashMap;

#[derive(Debug)]
pub struct EqualArguments<'a, T>(RefCell<HashMap<&'a [u8], T>>);

impl<T> Default for EqualArguments<'_, T> {
    fn default() -> Self {
        EqualArguments(RefCell::default())
    }
}

impl<'a, T: Clone> EqualArguments<'a, T> {
    pub fn answer(&self, argument: &'a [u8], look_up: impl FnOnce() -> T) -> T {
        if let Some(known) = self.0.borrow().get(argument) {
            return known.clone();
        }
        let answer = look_up();
        self.0.borrow_mut().insert(argument, answer.clone());
        answer
    }
}
