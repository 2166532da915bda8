//! Reads the depots whose forms the worker allowed since the last refresh, which `gate.policy` may
//! not list yet (`worker/pending_depots.py` writes them).

use crate::base::bytes::Writer;
use crate::home::folder::{Home, PENDING_DEPOTS};
use crate::policy::compiled::Depots;
use serde_json::{Map, Value};

const MAX_BYTES: u64 = 1 << 20;

/// An empty list, of unknown depots, stays empty; a file that is missing, damaged or cannot be
/// trusted adds none.
#[must_use]
pub fn appended_to(depots: Vec<u8>, home: &Home) -> Vec<u8> {
    if depots.is_empty() {
        return depots;
    }
    let mut to = Writer(depots);
    for name in names(home).unwrap_or_default().keys() {
        Depots::write(&mut to, name.as_bytes(), &[]);
    }
    to.0
}

fn names(home: &Home) -> Option<Map<String, Value>> {
    let file = home.open_if_there(PENDING_DEPOTS)?;
    let length = usize::try_from(file.bytes.min(MAX_BYTES)).ok()?;
    let mut content = vec![0; length];
    file.read(&mut content, 0).ok()?;
    serde_json::from_slice(&content).ok()
}
