//! Reads the depots whose forms the worker allowed since the last refresh, which `facts.json` may
//! not list yet (`worker/pending_depots.py` writes them).

use crate::facts::depots::DepotList;
use crate::home::folder::{Home, PENDING_DEPOTS};
use serde_json::{Map, Value};

const MAX_BYTES: u64 = 1 << 20;

/// An empty list, of unknown depots, stays empty; a file that is missing, damaged or cannot be
/// trusted adds none.
pub fn add_to(depots: &mut DepotList<'_>, home: &Home) {
    if !depots.is_empty() {
        for name in names(home).unwrap_or_default().into_iter().map(|(name, _)| name) {
            depots.add(name.into_bytes());
        }
    }
}

fn names(home: &Home) -> Option<Map<String, Value>> {
    let file = home.open_if_there(PENDING_DEPOTS)?;
    serde_json::from_slice(&file.part(0, file.bytes.min(MAX_BYTES)).ok()?).ok()
}
