//! The entry of a user in a checkpoint index: the directories with the most files that the user's
//! clients have synced.

use crate::base::numbers::{put_text, take_text};

/// The data about one user that a checkpoint index stores.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct User {
    /// Directories in depot syntax (`//depot/main/`) with the most synced files of the clients that
    /// the user owns: up to three on each level and 12 in all, nearest to the depot's root first.
    pub directories: Vec<Vec<u8>>,
}

impl User {
    /// Encodes the user as the value of its entry in a checkpoint index.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        let mut to = Vec::new();
        self.directories.iter().for_each(|directory| put_text(&mut to, directory));
        to
    }

    /// Decodes the value of a user's entry in a checkpoint index; None if the bytes are invalid.
    #[must_use]
    pub fn read(mut from: &[u8]) -> Option<Self> {
        let mut directories = Vec::new();
        while !from.is_empty() {
            directories.push(take_text(&mut from)?.to_vec());
        }
        Some(User { directories })
    }
}
