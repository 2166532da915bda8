//! The depots whose forms were allowed recently, in the file `admitted.json`: by name, the type and
//! the time of the form in seconds since the Unix epoch.
//!
//! p4d stores a depot after its triggers have passed, so two simultaneous creations would each count
//! the server's depots without the other. Therefore such forms are judged one at a time, and depots
//! allowed in the last minute count as existing, even if p4d itself then refuses them. Servers of a
//! commit-edge installation have separate home folders and do not see each other's recent depots. The
//! file keeps each depot for a week, because commands take these names for depots' until the next
//! refresh.

use crate::base::fault::Fault;
use crate::base::json::ascii_json;
use crate::base::json_text::Text;
use crate::facts::depots::DepotList;
use crate::facts::known_depots::Depot;
use crate::home::file_lock::lock;
use crate::home::folder::{Home, PENDING_DEPOTS, TrustedFile};
use std::collections::BTreeMap;

const MAX_BYTES: u64 = 1 << 20;
const COUNTED_S: u64 = 60;
const KEPT_S: u64 = 7 * 24 * 3600;

/// An empty list, of unknown depots, stays empty; a file that is missing, damaged or cannot be
/// trusted adds none.
pub fn add_to(depots: &mut DepotList<'_>, home: &Home) {
    if !depots.is_empty() {
        let file = home.open(PENDING_DEPOTS).ok();
        for name in file.map(|file| read(&file)).unwrap_or_default().into_keys() {
            depots.add(name);
        }
    }
}

/// The list, locked until this value is dropped.
pub struct PendingDepots {
    open_file: TrustedFile,
    now_s: u64,
    depots: BTreeMap<Vec<u8>, Pending>,
}

struct Pending {
    kind: Vec<u8>,
    since_s: u64,
}

impl PendingDepots {
    /// Without old entries; a damaged file counts as empty. A fault if the file cannot be used.
    pub fn lock(home: &Home, now_s: u64) -> Result<Self, Fault> {
        let open_file = lock(home, PENDING_DEPOTS)?;
        let mut depots = read(&open_file);
        // A trigger that started later may have had the lock first.
        depots.retain(|_, pending| {
            pending.since_s < now_s + COUNTED_S && now_s < pending.since_s + KEPT_S
        });
        Ok(PendingDepots { open_file, now_s, depots })
    }

    /// Adds those that were allowed in the last minute. Unknown depots (none) stay unknown, as the
    /// recent ones alone would be too few.
    pub fn add_recent(&self, depots: &mut Vec<Depot>) {
        if depots.is_empty() {
            return;
        }
        let recent = self.depots.iter().filter(|(name, pending)| {
            self.now_s < pending.since_s + COUNTED_S
                && !depots.iter().any(|depot| depot.name == **name)
        });
        let recent = recent.map(|(name, pending)| Depot {
            name: name.clone(),
            kind: pending.kind.clone(),
            ..Depot::default()
        });
        let recent: Vec<_> = recent.collect();
        depots.extend(recent);
    }

    pub fn add(&mut self, name: &[u8], kind: Vec<u8>) -> Result<(), Fault> {
        self.depots.insert(name.to_vec(), Pending { kind, since_s: self.now_s });
        let entries = self.depots.iter().map(|(name, Pending { kind, since_s })| {
            format!("{}: [{}, {since_s}]", ascii_json(name), ascii_json(kind))
        });
        let content = format!("{{{}}}", entries.collect::<Vec<_>>().join(", "));
        self.open_file.allow_length(content.len() as u64)?;
        self.open_file.write(content.as_bytes(), 0)?;
        let cut = self.open_file.file.set_len(content.len() as u64);
        cut.map_err(|error| self.open_file.fault(&error))
    }
}

fn read(file: &TrustedFile) -> BTreeMap<Vec<u8>, Pending> {
    let content = file.part(0, file.bytes.min(MAX_BYTES)).unwrap_or_default();
    let entries: BTreeMap<Text<'_>, (Text<'_>, u64)> =
        serde_json::from_slice(&content).unwrap_or_default();
    let entries = entries
        .into_iter()
        .map(|(name, (kind, since_s))| (name.to_vec(), Pending { kind: kind.to_vec(), since_s }));
    entries.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    const NOW_S: u64 = 1_800_000_000;

    fn names(folder: &Path, now_s: u64) -> Vec<String> {
        let pending = PendingDepots::lock(&Home::at(folder), now_s).unwrap();
        let mut depots = vec![Depot { name: b"old".to_vec(), ..Depot::default() }];
        pending.add_recent(&mut depots);
        depots.iter().map(|depot| String::from_utf8(depot.name.clone()).unwrap()).collect()
    }

    #[test]
    fn an_allowed_depot_counts_for_a_minute_also_before_its_time() {
        let folder = tempfile::tempdir().unwrap();
        let mut pending = PendingDepots::lock(&Home::at(folder.path()), NOW_S).unwrap();
        pending.add(b"new\xff\"", b"local".to_vec()).unwrap();
        pending.add(b"old", b"local".to_vec()).unwrap();
        drop(pending);
        let file = std::fs::read(folder.path().join(PENDING_DEPOTS)).unwrap();
        assert!(file.starts_with(b"{\"new\\udcff\\\"\": [\"local\", 1800000000], "));
        let count = |now_s| {
            let pending = PendingDepots::lock(&Home::at(folder.path()), now_s).unwrap();
            let mut depots = vec![Depot::default()];
            pending.add_recent(&mut depots);
            depots.len() - 1
        };
        assert_eq!([NOW_S - 61, NOW_S - 59, NOW_S, NOW_S + 59].map(count), [0, 2, 2, 2]);
        assert_eq!([NOW_S + 60, NOW_S + KEPT_S].map(count), [0, 0]);
    }

    #[test]
    fn known_depots_are_not_counted_twice_and_unknown_ones_stay_unknown() {
        let folder = tempfile::tempdir().unwrap();
        let mut pending = PendingDepots::lock(&Home::at(folder.path()), NOW_S).unwrap();
        pending.add(b"old", Vec::new()).unwrap();
        pending.add(b"new", b"stream".to_vec()).unwrap();
        let mut unknown = Vec::new();
        pending.add_recent(&mut unknown);
        assert_eq!(unknown, []);
        drop(pending);
        assert_eq!(names(folder.path(), NOW_S), ["old", "new"]);
    }

    #[test]
    fn a_damaged_file_is_empty_and_written_anew() {
        for damage in ["", "{", "[]", "{\"a\": 1}", "{\"a\": [\"local\", -1]}", "\0\u{fffd}"] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join(PENDING_DEPOTS);
            std::fs::write(&path, damage).unwrap();
            let mode = std::os::unix::fs::PermissionsExt::from_mode(0o600);
            std::fs::set_permissions(&path, mode).unwrap();
            assert_eq!(names(folder.path(), NOW_S), ["old"], "{damage:?}");
            let mut pending = PendingDepots::lock(&Home::at(folder.path()), NOW_S).unwrap();
            pending.add(b"new", Vec::new()).unwrap();
            drop(pending);
            assert_eq!(names(folder.path(), NOW_S), ["old", "new"]);
        }
    }
}
