//! The depots and first-level directories that were allowed recently, in the file `admitted.json`,
//! which ends with sums and is replaced by rename: by depot's name, the type and the time of the form
//! in seconds since the Unix epoch; by `//DEPOT/DIRECTORY`, the changelist and the time of the submit.
//!
//! p4d stores a depot after its triggers have passed, and lists the files of a submit after their
//! transfer, so of two simultaneous events each would be counted without the other. Therefore such
//! events are judged one at a time, and what they add counts as existing for a while, even if p4d
//! itself then refuses it. Servers of a commit-edge installation have separate home folders and do not
//! see each other's. The file keeps each depot for a week, because commands take these names for
//! depots' until the next refresh.

use crate::base::fault::Fault;
use crate::base::json::ascii_json;
use crate::base::json_text::Text;
use crate::base::patterns::folded_name;
use crate::base::sums::{with_sums, without_sums};
use crate::facts::depots::DepotList;
use crate::facts::known_depots::Depot;
use crate::home::folder::{ADMITTED, Home};
use crate::home::turns::Turn;
use std::collections::BTreeMap;

const DEPOT_COUNTS_S: u64 = 60;
const DEPOT_KEPT_S: u64 = 7 * 24 * 3600;
/// A transfer of 100 GB with 5 MB a second takes less.
const TRANSFER_S: u64 = 6 * 3600;
/// Of the names of directories, as every command may read them; the oldest beyond it are dropped.
const MOST_BYTES: usize = 128 << 10;

/// An empty list, of unknown depots, stays empty; a missing file adds none.
pub fn add_to(depots: &mut DepotList<'_>, home: &Home) -> Result<(), Fault> {
    if !depots.is_empty() {
        let names = read(home)?.into_keys().filter(|key| !is_of_directory(key));
        names.for_each(|name| depots.add(name));
    }
    Ok(())
}

/// A fault if the file is there and cannot be used.
pub fn check(home: &Home) -> Result<(), Fault> {
    read(home).map(drop)
}

/// The admitted ones, which no other process changes until this value is dropped.
pub struct Admitted<'h> {
    home: &'h Home,
    _turn: Turn,
    now_s: u64,
    by_name: BTreeMap<Vec<u8>, Admission>,
}

struct Admission {
    /// The depot's type, or the changelist that adds the directory.
    of: Vec<u8>,
    since_s: u64,
}

impl<'h> Admitted<'h> {
    /// Without old ones. The turn is that of an admission.
    pub fn read(home: &'h Home, turn: Turn, now_s: u64) -> Result<Self, Fault> {
        let mut by_name = read(home)?;
        by_name.retain(|name, admission| {
            let kept_s = if is_of_directory(name) { TRANSFER_S } else { DEPOT_KEPT_S };
            // A trigger that started later may have had the lock first.
            admission.since_s < now_s + DEPOT_COUNTS_S && now_s < admission.since_s + kept_s
        });
        Ok(Admitted { home, _turn: turn, now_s, by_name })
    }

    /// Adds the depots of the last minute, and the directories that submits may still transfer.
    /// Unknown depots (none) stay unknown, as the recent ones alone would be too few.
    pub fn add_to(&self, depots: &mut Vec<Depot>, case_sensitive: bool) {
        if depots.is_empty() {
            return;
        }
        for (name, Admission { of, since_s }) in &self.by_name {
            let is_recent = !is_of_directory(name) && self.now_s < since_s + DEPOT_COUNTS_S;
            if is_recent && !depots.iter().any(|depot| depot.name == *name) {
                let (name, kind) = (name.clone(), of.clone());
                depots.push(Depot { name, kind, ..Depot::default() });
            }
        }
        let mut in_flight: BTreeMap<_, Vec<&[u8]>> = BTreeMap::new();
        for (depot, directory) in self.by_name.keys().filter_map(|name| directory(name)) {
            in_flight
                .entry(folded_name(depot, case_sensitive).into_owned())
                .or_default()
                .push(directory);
        }
        for depot in depots {
            let name = folded_name(&depot.name, case_sensitive).into_owned();
            if let Some(names) = in_flight.get(&name) {
                depot.add_in_flight(names, case_sensitive);
            }
        }
    }

    pub fn add_depot(&mut self, name: &[u8], kind: Vec<u8>) -> Result<(), Fault> {
        self.by_name.insert(name.to_vec(), Admission { of: kind, since_s: self.now_s });
        self.write()
    }

    /// In place of those of an earlier attempt to submit the changelist; each as `//DEPOT/DIRECTORY`.
    pub fn add_directories(&mut self, names: Vec<Vec<u8>>, change: &[u8]) -> Result<(), Fault> {
        self.by_name.retain(|name, admission| !is_of_directory(name) || admission.of != change);
        for name in names {
            let admission = Admission { of: change.to_vec(), since_s: self.now_s };
            self.by_name.insert(name, admission);
        }
        self.drop_oldest_directories();
        self.write()
    }

    fn drop_oldest_directories(&mut self) {
        let directories = self.by_name.iter().filter(|(name, _)| is_of_directory(name));
        let mut by_age: Vec<_> = directories.map(|(name, it)| (it.since_s, name.clone())).collect();
        by_age.sort_unstable();
        let mut bytes = 0;
        for (_, name) in by_age.iter().rev() {
            bytes += name.len();
            if bytes > MOST_BYTES {
                self.by_name.remove(name);
            }
        }
    }

    fn write(&self) -> Result<(), Fault> {
        let entries = self.by_name.iter().map(|(name, Admission { of, since_s })| {
            format!("{}: [{}, {since_s}]", ascii_json(name), ascii_json(of))
        });
        let content = format!("{{{}", entries.collect::<Vec<_>>().join(", "));
        self.home.replace(ADMITTED, &with_sums(content.as_bytes()))
    }
}

/// No depot's name has a slash.
fn is_of_directory(name: &[u8]) -> bool {
    name.starts_with(b"//")
}

fn directory(name: &[u8]) -> Option<(&[u8], &[u8])> {
    let path = name.strip_prefix(b"//")?;
    let (depot, directory) = path.split_at(path.iter().position(|byte| *byte == b'/')?);
    Some((depot, directory.strip_prefix(b"/")?))
}

fn read(home: &Home) -> Result<BTreeMap<Vec<u8>, Admission>, Fault> {
    let Some(file) = home.open_unless_missing(ADMITTED)? else { return Ok(BTreeMap::new()) };
    let content = without_sums(file.content()?).map_err(|problem| file.fault(&problem))?;
    let entries: BTreeMap<Text<'_>, (Text<'_>, u64)> =
        serde_json::from_slice(&content).map_err(|error| file.fault(&error))?;
    let entries = entries
        .into_iter()
        .map(|(name, (of, since_s))| (name.to_vec(), Admission { of: of.to_vec(), since_s }));
    Ok(entries.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::clock::SystemClock;
    use crate::home::turns::admission;
    use std::path::Path;

    const NOW_S: u64 = 1_800_000_000;

    fn admitted(home: &Home, now_s: u64) -> Admitted<'_> {
        let turn = admission(home, 0, &SystemClock, &|| ()).unwrap().unwrap();
        Admitted::read(home, turn, now_s).unwrap()
    }

    fn counted(folder: &Path, now_s: u64, mut depots: Vec<Depot>) -> Vec<Depot> {
        admitted(&Home::at(folder), now_s).add_to(&mut depots, false);
        depots
    }

    fn old() -> Vec<Depot> {
        vec![Depot { name: b"old".to_vec(), ..Depot::default() }]
    }

    fn names(folder: &Path, now_s: u64) -> Vec<String> {
        let depots = counted(folder, now_s, old());
        depots.iter().map(|depot| String::from_utf8(depot.name.clone()).unwrap()).collect()
    }

    #[test]
    fn an_allowed_depot_counts_for_a_minute_also_before_its_time() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::at(folder.path());
        let mut admitted = admitted(&home, NOW_S);
        admitted.add_depot(b"new\xff\"", b"local".to_vec()).unwrap();
        admitted.add_depot(b"old", b"local".to_vec()).unwrap();
        drop(admitted);
        let file = std::fs::read(folder.path().join(ADMITTED)).unwrap();
        assert!(file.starts_with(b"{\"new\\udcff\\\"\": [\"local\", 1800000000], "));
        let count = |now_s| counted(folder.path(), now_s, vec![Depot::default()]).len() - 1;
        assert_eq!([NOW_S - 61, NOW_S - 59, NOW_S, NOW_S + 59].map(count), [0, 2, 2, 2]);
        assert_eq!([NOW_S + 60, NOW_S + DEPOT_KEPT_S].map(count), [0, 0]);
    }

    #[test]
    fn known_depots_are_not_counted_twice_and_unknown_ones_stay_unknown() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::at(folder.path());
        let mut admitted = admitted(&home, NOW_S);
        admitted.add_depot(b"old", Vec::new()).unwrap();
        admitted.add_depot(b"new", b"stream".to_vec()).unwrap();
        let mut unknown = Vec::new();
        admitted.add_to(&mut unknown, true);
        assert_eq!(unknown, []);
        drop(admitted);
        assert_eq!(names(folder.path(), NOW_S), ["old", "new"]);
    }

    /// The number of directories of the depot `old`, which has `main`.
    fn directories(folder: &Path, now_s: u64) -> [u64; 2] {
        let mut depots = old();
        depots.iter_mut().for_each(|depot| depot.have(vec![b"main".to_vec()]));
        let depots = counted(folder, now_s, depots);
        depots.first().map(|depot| [depot.directory_count, depot.in_flight]).unwrap()
    }

    fn submit(folder: &Path, change: &[u8], names: &[&str]) {
        let home = Home::at(folder);
        let mut admitted = admitted(&home, NOW_S);
        let names = names.iter().map(|name| format!("//old/{name}").into_bytes());
        admitted.add_directories(names.collect(), change).unwrap();
    }

    #[test]
    fn a_new_directory_counts_once_for_as_long_as_its_transfer_may_take() {
        let folder = tempfile::tempdir().unwrap();
        submit(folder.path(), b"12", &["new", "Main", "\u{e9}"]);
        submit(folder.path(), b"13", &["other", "new"]);
        assert_eq!(directories(folder.path(), NOW_S), [4, 3]);
        assert_eq!(directories(folder.path(), NOW_S + TRANSFER_S - 1), [4, 3]);
        assert_eq!(directories(folder.path(), NOW_S + TRANSFER_S), [1, 0]);
        assert_eq!(names(folder.path(), NOW_S), ["old"]);
    }

    #[test]
    fn a_changelist_that_is_submitted_again_adds_only_its_present_directories() {
        let folder = tempfile::tempdir().unwrap();
        submit(folder.path(), b"12", &["wrong"]);
        submit(folder.path(), b"12", &["right"]);
        assert_eq!(directories(folder.path(), NOW_S), [2, 1]);
    }

    #[test]
    fn of_too_many_directories_the_oldest_are_dropped_however_long_their_names_are() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::at(folder.path());
        let name = |change: &str, number: usize| {
            [format!("//old/{change}{number:03}").as_bytes(), &[0xff; 1013]].concat()
        };
        for (after_s, change) in [(0, "12"), (1, "13")] {
            let mut admitted = admitted(&home, NOW_S + after_s);
            let names = (0..100).map(|number| name(change, number)).collect();
            admitted.add_directories(names, change.as_bytes()).unwrap();
        }
        let kept = admitted(&home, NOW_S + 1).by_name;
        let of = |change: &[u8]| kept.values().filter(|one| one.of == change).count();
        assert_eq!([b"12", b"13"].map(|change| of(change)), [28, 100]);
    }

    #[test]
    fn a_damaged_file_is_a_fault() {
        let folder = tempfile::tempdir().unwrap();
        submit(folder.path(), b"12", &["new"]);
        let path = folder.path().join(ADMITTED);
        let content = std::fs::read(&path).unwrap();
        for length in 0..content.len() {
            std::fs::write(&path, content.get(..length).unwrap()).unwrap();
            assert!(check(&Home::at(folder.path())).is_err(), "{length}");
        }
        std::fs::write(&path, content).unwrap();
        assert!(check(&Home::at(folder.path())).is_ok());
    }

    #[test]
    fn a_writer_that_cannot_write_leaves_the_file_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        submit(folder.path(), b"12", &["new"]);
        let before = std::fs::read(folder.path().join(ADMITTED)).unwrap();
        let home = Home::at(folder.path());
        let obstacle =
            folder.path().join(format!("{ADMITTED}.p4warden-{}.new", std::process::id()));
        std::fs::create_dir(&obstacle).unwrap();
        let mut admitted = admitted(&home, NOW_S);
        assert!(admitted.add_depot(b"later", Vec::new()).is_err());
        assert_eq!(std::fs::read(folder.path().join(ADMITTED)).unwrap(), before);
    }
}
