use crate::base::numbers::{put_text, take_text};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct User {
    /// In depot syntax: up to three on each level and 12 in all, nearest to the depot's root first.
    pub directories: Vec<Vec<u8>>,
}

impl User {
    pub fn bytes(&self) -> Vec<u8> {
        let mut to = Vec::new();
        self.directories.iter().for_each(|directory| put_text(&mut to, directory));
        to
    }

    pub fn read(mut from: &[u8]) -> Option<Self> {
        let mut directories = Vec::new();
        while !from.is_empty() {
            directories.push(take_text(&mut from)?.to_vec());
        }
        Some(User { directories })
    }
}
