//! The state file: its content, and recovery from an invalid file.

use p4warden_gate::base::clock::Clock;
use p4warden_gate::home::folder::{Home, STATE};
use p4warden_gate::home::state::{COUNTERS, Counter, Due, Layout, Note, State};
use p4warden_gate::rules::keys::Key;
use p4warden_gate::rules::outcome::Verdict;
use p4warden_gate::rules::rate_store::RateStore;
use proptest::prelude::*;
use std::collections::HashMap;
use std::error::Error;
use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::{FileExt, MetadataExt, PermissionsExt};
use tempfile::TempDir;

type Outcome = Result<(), Box<dyn Error>>;

const SMALL: Layout = Layout { notes: 1, pages: 1, groups: 1 };
/// Number of rates that fit into one page and one group.
const ROOM: u128 = 127 + 16;
const HORIZON_NS: u64 = u64::MAX;
const S: u64 = 1_000_000_000;

/// A clock set by the test.
#[derive(Clone, Copy)]
struct Set {
    since_boot_ns: u64,
    wall_ns: u64,
    boot: u8,
}

impl Clock for Set {
    fn since_boot_ns(&self) -> u64 {
        self.since_boot_ns
    }

    fn wall_ns(&self) -> u64 {
        self.wall_ns
    }

    fn boot_id(&self) -> [u8; 36] {
        [self.boot; 36]
    }
}

/// Creates a clock so long after the machine's start that no test goes back before the start.
fn at(seconds: u64) -> Set {
    Set { since_boot_ns: (1_000 + seconds) * S, wall_ns: (2_000_000 + seconds) * S, boot: 1 }
}

/// A key with a user of its own.
fn of(own: u128) -> Key {
    Key { own, shared: (own >> 64) as u64 }
}

/// A user, and the number of decisions about that user not yet logged.
type Owed = (Vec<u8>, u64);
/// A named way to damage a file, with the function that does it.
type Spoil = (&'static str, fn(&File) -> std::io::Result<()>);

struct Place {
    folder: TempDir,
    home: Home,
    layout: Layout,
}

impl Place {
    fn new(layout: Layout) -> Result<Self, Box<dyn Error>> {
        let folder = TempDir::new()?;
        let home = Home::at(folder.path());
        Ok(Place { folder, home, layout })
    }

    fn with<T>(
        &self,
        clock: Set,
        act: impl FnOnce(&mut State, u64) -> T,
    ) -> Result<T, Box<dyn Error>> {
        let mut state = State::lock(&self.home, self.layout, &clock).map_err(|f| f.to_string())?;
        let now_ns = state.now_ns();
        let result = act(&mut state, now_ns);
        state.finish().map_err(|fault| fault.to_string())?;
        Ok(result)
    }

    fn keep(&self, clock: Set, key: u128, for_ns: u64) -> Outcome {
        let kept =
            self.with(clock, |state, now_ns| state.keep(of(key), now_ns + for_ns, now_ns))?;
        Ok(kept.map_err(|fault| fault.to_string())?)
    }

    /// Nanoseconds until a key's stored time.
    fn kept(&self, clock: Set, key: u128, horizon_ns: u64) -> Result<u64, Box<dyn Error>> {
        let kept = self.with(clock, |state, now_ns| {
            state
                .stored_ns(of(key), horizon_ns, now_ns)
                .map(|stored_ns| stored_ns.saturating_sub(now_ns))
        })?;
        Ok(kept.map_err(|fault| fault.to_string())?)
    }

    fn count(&self, counter: Counter) -> Result<u64, Box<dyn Error>> {
        let index = counter as usize;
        self.with(at(0), |state, _| state.counts().get(index).copied().unwrap_or(0))
    }

    fn note(&self, clock: Set, user: &[u8]) -> Result<Due, Box<dyn Error>> {
        let (verdict, rule) = ("refuse", "polling");
        let note = Note { event: "command", verdict, would: None, rule, user };
        let due = self.with(clock, |state, _| state.note(&note))?;
        Ok(due.map_err(|fault| fault.to_string())?)
    }

    fn owed(&self, clock: Set) -> Result<Vec<Owed>, Box<dyn Error>> {
        let owed =
            self.with(clock, |state, _| state.pending())?.map_err(|fault| fault.to_string())?;
        Ok(owed.into_iter().map(|owed| (owed.user, owed.count)).collect())
    }

    fn path(&self) -> std::path::PathBuf {
        self.folder.path().join(STATE)
    }
}

#[test]
fn a_new_file_is_for_its_owner_alone_and_costs_little() -> Outcome {
    let place = Place::new(Layout::default())?;
    place.keep(at(0), 7, S)?;
    let status = fs::metadata(place.path())?;
    assert_eq!(status.len(), Layout::default().bytes());
    assert_eq!(status.permissions().mode() & 0o777, 0o600);
    assert!(status.blocks() * 512 < 64 * 1024);
    assert_eq!(place.count(Counter::Recreated)?, 0);
    Ok(())
}

#[test]
fn what_was_kept_is_kept() -> Outcome {
    let place = Place::new(Layout::default())?;
    for key in 0..100_u128 {
        place.keep(at(0), key << 64 | key, S * (key as u64 + 1))?;
    }
    for key in 0..100_u128 {
        let kept = place.kept(at(0), key << 64 | key, HORIZON_NS)?;
        assert_eq!(kept, S * (key as u64 + 1));
    }
    assert_eq!(place.kept(at(0), 1_000, HORIZON_NS)?, 0);
    Ok(())
}

#[test]
fn a_file_that_is_not_what_it_should_be_is_laid_out_anew() -> Outcome {
    let ways: [Spoil; 7] = [
        ("cut short", |file| file.set_len(4_000)),
        ("cut to a header", |file| file.set_len(1_024)),
        ("too long", |file| file.set_len(file.metadata()?.len() + 1)),
        ("another version", |file| file.write_all_at(&[9], 8)),
        ("no magic", |file| file.write_all_at(b"nonsense", 0)),
        ("a counter changed", |file| file.write_all_at(&[0xFF], 120)),
        ("full of noise", |file| {
            let noise: Vec<u8> =
                (0..file.metadata()?.len()).map(|n| (n * n) as u8 ^ 0x5A).collect();
            file.write_all_at(&noise, 0)
        }),
    ];
    for (what, spoil) in ways {
        let place = Place::new(Layout::default())?;
        place.keep(at(0), 7, S)?;
        spoil(&OpenOptions::new().write(true).open(place.path())?)?;
        assert_eq!(place.kept(at(0), 7, HORIZON_NS)?, 0, "{what}");
        place.keep(at(0), 7, S)?;
        assert_eq!(place.kept(at(0), 7, HORIZON_NS)?, S, "{what}");
        assert_eq!(place.count(Counter::Recreated)?, 1, "{what}");
    }
    Ok(())
}

#[test]
fn noise_behind_a_sound_header_is_no_rate_and_no_debt() -> Outcome {
    let place = Place::new(SMALL)?;
    place.keep(at(0), 7, S)?;
    let noise: Vec<u8> = (0..SMALL.bytes() - 4_096).map(|n| (n * 31) as u8 ^ 0xC3).collect();
    OpenOptions::new().write(true).open(place.path())?.write_all_at(&noise, 4_096)?;
    assert_eq!(place.kept(at(0), 7, HORIZON_NS)?, 0);
    assert_eq!(place.owed(at(0))?, []);
    place.keep(at(0), 7, S)?;
    assert_eq!(place.kept(at(0), 7, HORIZON_NS)?, S);
    assert_eq!(place.note(at(0), b"ann")?, Due::Now(1, None));
    Ok(())
}

#[test]
fn after_a_restart_of_the_machine_rates_are_free_and_counts_stay() -> Outcome {
    let place = Place::new(SMALL)?;
    place.keep(at(0), 7, 3_600 * S)?;
    place.with(at(0), |state, _| state.count(Counter::Refused))?;
    let restarted = Set { since_boot_ns: 2_000 * S, wall_ns: 2_009_000 * S, boot: 2 };
    assert_eq!(place.kept(restarted, 7, HORIZON_NS)?, 0);
    let count =
        |counter: Counter| place.with(restarted, move |state, _| state.counts()[counter as usize]);
    assert_eq!((count(Counter::Restarted)?, count(Counter::Refused)?), (1, 1));
    Ok(())
}

#[test]
fn a_clock_that_is_set_changes_no_rate() -> Outcome {
    let place = Place::new(SMALL)?;
    place.keep(at(0), 7, 3_600 * S)?;
    for wall_ns in [0, at(0).wall_ns + 86_400 * S, at(0).wall_ns - 86_400 * S] {
        let set = Set { wall_ns, ..at(1) };
        assert_eq!(place.kept(set, 7, HORIZON_NS)?, 3_599 * S);
    }
    Ok(())
}

#[test]
fn a_clock_that_goes_back_frees_all_and_is_counted() -> Outcome {
    let place = Place::new(SMALL)?;
    place.keep(at(500), 7, 3_600 * S)?;
    assert_eq!(place.kept(at(100), 7, HORIZON_NS)?, 0);
    let restarts = place.with(at(100), |state, _| state.counts()[Counter::Restarted as usize])?;
    assert_eq!(restarts, 1);
    Ok(())
}

#[test]
fn a_time_beyond_what_its_limit_can_make_is_free_and_counted() -> Outcome {
    let place = Place::new(SMALL)?;
    place.keep(at(0), 7, 100 * S)?;
    assert_eq!(place.kept(at(0), 7, at(100).since_boot_ns)?, 100 * S);
    assert_eq!(place.kept(at(0), 7, at(100).since_boot_ns - 1)?, 0);
    assert_eq!(place.count(Counter::Stale)?, 1);
    Ok(())
}

#[test]
fn a_full_table_evicts_what_is_over_and_never_what_is_live() -> Outcome {
    let place = Place::new(SMALL)?;
    for key in 0..ROOM {
        place.keep(at(0), key, 10 * S + key as u64)?;
    }
    place.keep(at(0), ROOM, S)?;
    assert_eq!(place.count(Counter::Untracked)?, 1);
    assert_eq!(place.kept(at(0), ROOM, HORIZON_NS)?, 0);
    for key in 0..ROOM {
        assert_eq!(place.kept(at(0), key, HORIZON_NS)?, 10 * S + key as u64);
    }
    place.keep(at(10), ROOM, S)?;
    assert_eq!(place.kept(at(10), ROOM, HORIZON_NS)?, S);
    assert_eq!(place.kept(at(10), 1, HORIZON_NS)?, 1);
    Ok(())
}

#[test]
fn two_keys_of_one_event_never_share_a_place() -> Outcome {
    let place = Place::new(SMALL)?;
    // Both keys have the same first slot in their page.
    let keys = [1, 128];
    let kept = place.with(at(0), |state, now_ns| {
        for key in keys {
            state.stored_ns(of(key), HORIZON_NS, now_ns)?;
        }
        state.keep(of(keys[0]), now_ns + S, now_ns)?;
        state.keep(of(keys[1]), now_ns + 2 * S, now_ns)
    })?;
    kept.map_err(|fault| fault.to_string())?;
    assert_eq!(place.kept(at(0), keys[0], HORIZON_NS)?, S);
    assert_eq!(place.kept(at(0), keys[1], HORIZON_NS)?, 2 * S);
    Ok(())
}

#[test]
fn the_limits_of_one_user_are_one_piece_of_the_file() -> Outcome {
    let place = Place::new(Layout::default())?;
    place.keep(at(0), 1, S)?;
    let before = fs::metadata(place.path())?.blocks();
    for key in 0..100 {
        place.keep(at(0), key, S)?;
    }
    assert_eq!(fs::metadata(place.path())?.blocks(), before);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    /// A stored time is found until it passes. A time that could not be stored is counted and
    /// changes nothing else.
    #[test]
    fn no_time_that_is_ahead_is_lost(
        steps in prop::collection::vec((0_u64..600, 3_u32..10, 0_u64..3), 500..1_200),
        pages in 1_u32..4,
    ) {
        let place = Place::new(Layout { notes: 1, pages, groups: 2 }).map_err(told)?;
        let (mut clock, mut known, mut untracked) = (at(0), HashMap::new(), 0);
        for (key, long, later_s) in steps {
            clock.since_boot_ns += later_s * S / 8;
            clock.wall_ns += later_s * S / 8;
            // Many keys share few pages.
            let own = u128::from(key) << 64 | u128::from(key * 127);
            let key = Key { own, shared: key % 2 };
            let now_ns = clock.since_boot_ns;
            let until_ns = now_ns + (S << long);
            let counted = place.with(clock, |state, _| {
                let stored_ns = state.stored_ns(key, HORIZON_NS, now_ns)?;
                state.keep(key, until_ns, now_ns)?;
                Ok((stored_ns, state.counts()[Counter::Untracked as usize]))
            });
            let counted: Result<_, p4warden_gate::base::fault::Fault> = counted.map_err(told)?;
            let (stored_ns, count) = counted.map_err(|fault| TestCaseError::fail(fault.to_string()))?;
            let wanted = known.get(&own).copied().filter(|ns| *ns > now_ns);
            prop_assert_eq!(wanted, Some(stored_ns).filter(|ns| *ns > now_ns));
            if count == untracked {
                known.insert(own, until_ns);
            }
            untracked = count;
        }
    }
}

fn told(error: Box<dyn Error>) -> TestCaseError {
    TestCaseError::fail(error.to_string())
}

#[test]
fn the_log_is_told_at_once_and_then_every_ten_seconds() -> Outcome {
    let place = Place::new(Layout::default())?;
    assert_eq!(place.note(at(0), b"ann")?, Due::Now(1, None));
    for second in 1..10 {
        assert_eq!(place.note(at(second), b"ann")?, Due::Later);
    }
    assert_eq!(place.note(at(5), b"bob")?, Due::Now(1, None));
    assert_eq!(place.owed(at(9))?, [(b"ann".to_vec(), 9)]);
    assert_eq!(place.note(at(10), b"ann")?, Due::Now(10, None));
    assert_eq!(place.note(at(11), b"ann")?, Due::Later);
    assert_eq!(place.owed(at(11))?, [(b"ann".to_vec(), 1)]);
    Ok(())
}

#[test]
fn an_entry_whose_place_is_needed_is_told_first() -> Outcome {
    let place = Place::new(SMALL)?;
    for user in 0..16_u8 {
        assert_eq!(place.note(at(0), &[user])?, Due::Now(1, None));
        assert_eq!(place.note(at(0), &[user])?, Due::Later);
    }
    assert_eq!(place.note(at(9), b"ann")?, Due::Later);
    assert_eq!(place.count(Counter::Unlogged)?, 1);
    let Due::Now(1, Some(owed)) = place.note(at(10), b"ann")? else {
        return Err("not told".into());
    };
    assert_eq!((owed.rule.as_str(), owed.count), ("polling", 1));
    assert_eq!(place.owed(at(10))?.len(), 15);
    Ok(())
}

#[test]
fn what_the_log_is_owed_outlives_a_restart() -> Outcome {
    let place = Place::new(SMALL)?;
    place.note(at(0), b"ann")?;
    place.note(at(1), b"ann")?;
    let restarted = Set { since_boot_ns: S, wall_ns: 2_009_000 * S, boot: 2 };
    assert_eq!(place.owed(restarted)?, [(b"ann".to_vec(), 1)]);
    assert_eq!(place.note(restarted, b"ann")?, Due::Now(2, None));
    Ok(())
}

#[test]
fn long_names_fit_their_entry() -> Outcome {
    let place = Place::new(SMALL)?;
    let rule = "é".repeat(500);
    let note = Note {
        event: "change-submit",
        verdict: "observe",
        would: Some(Verdict::Delay),
        rule: &rule,
        user: &[0xFF; 5_000],
    };
    for _ in 0..2 {
        place.with(at(0), |state, _| state.note(&note))?.map_err(|fault| fault.to_string())?;
    }
    let [(user, count)] = &place.owed(at(0))?[..] else { return Err("not one".into()) };
    assert_eq!((user.len(), *count), (104, 1));
    Ok(())
}

#[test]
fn a_lock_that_is_held_is_a_fault_after_a_second() -> Outcome {
    let place = Place::new(SMALL)?;
    place.keep(at(0), 7, S)?;
    let held = OpenOptions::new().read(true).write(true).open(place.path())?;
    held.lock()?;
    let error = State::lock(&place.home, SMALL, &at(0)).err().ok_or("it was not held")?;
    assert!(error.to_string().ends_with("others held its lock for a second"), "{error}");
    drop(held);
    assert_eq!(place.kept(at(0), 7, HORIZON_NS)?, S);
    Ok(())
}

#[test]
fn counters_are_named_in_their_order() -> Outcome {
    let place = Place::new(SMALL)?;
    place.with(at(0), |state, _| state.count(Counter::Unlogged))?;
    let counts = place.with(at(0), |state, _| state.counts())?;
    let named: Vec<_> = COUNTERS.iter().zip(counts).filter(|(_, count)| *count > 0).collect();
    assert_eq!(named, [(&"unlogged", 1)]);
    Ok(())
}
