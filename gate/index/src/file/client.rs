//! A client in an index.

use crate::base::numbers::{put_number, put_text, take_number, take_text};

/// The views of clients with fewer files are not kept; their total answers for every part of them.
pub const MIN_FILES_WITH_VIEW: u64 = 500;

/// A line of a client's view that includes files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ViewLine {
    /// The path in depot syntax.
    pub depot: Vec<u8>,
    /// The path in client syntax.
    pub client: Vec<u8>,
}

/// Facts of an index about a client.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Client {
    /// How many files and how many revisions its view spans, each counted once.
    pub totals: [u64; 2],
    /// How many files it has; None where the checkpoint does not know (readonly and partitioned
    /// clients, and those of other servers).
    pub have: Option<u64>,
    /// Its Root and AltRoots, and its view; None for a client with few files.
    pub wide: Option<Wide>,
}

/// Facts kept only of a client with many files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wide {
    /// Its Root, then its AltRoots.
    pub roots: Vec<Vec<u8>>,
    /// The lines of its view that include files, in their order.
    pub view: Vec<ViewLine>,
}

impl Client {
    /// Writes it.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        let mut to = Vec::new();
        self.totals.iter().for_each(|total| put_number(&mut to, *total));
        put_number(&mut to, self.have.map_or(0, |have| have + 1));
        if let Some(wide) = &self.wide {
            put_number(&mut to, wide.roots.len() as u64);
            wide.roots.iter().for_each(|root| put_text(&mut to, root));
            for line in &wide.view {
                put_text(&mut to, &line.depot);
                put_text(&mut to, &line.client);
            }
        }
        to
    }

    /// Reads it; None where it is no client.
    #[must_use]
    pub fn read(mut from: &[u8]) -> Option<Self> {
        let from = &mut from;
        let totals = [take_number(from)?, take_number(from)?];
        let have = take_number(from)?.checked_sub(1);
        let wide = if from.is_empty() { None } else { Some(Wide::read(from)?) };
        Some(Client { totals, have, wide })
    }
}

impl Wide {
    fn read(from: &mut &[u8]) -> Option<Self> {
        let mut wide = Wide::default();
        for _ in 0..take_number(from)? {
            wide.roots.push(take_text(from)?.to_vec());
        }
        while !from.is_empty() {
            let (depot, client) = (take_text(from)?.to_vec(), take_text(from)?.to_vec());
            wide.view.push(ViewLine { depot, client });
        }
        Some(wide)
    }
}
