//! Tests of the state file, one module per topic, and the functions that these modules share.

mod file;
mod pending_decisions;
mod queues;
mod rates;
mod restarts;

use p4warden_gate::base::clock::Clock;
use p4warden_gate::contract::keys::Key;
use p4warden_gate::contract::rate_store::RateStore;
use p4warden_gate::home::folder::{Home, STATE};
use p4warden_gate::home::state::{Counter, Layout, LogTime, Note, PendingDecisions, State};
use std::error::Error;
use tempfile::TempDir;

type Outcome = Result<(), Box<dyn Error>>;

const SMALL: Layout = Layout { notes: 1, pages: 1, groups: 1 };
const HORIZON_NS: u64 = u64::MAX;
const S: u64 = 1_000_000_000;

/// A clock whose times and boot identifier the test sets.
#[derive(Clone, Copy)]
struct TestClock {
    since_boot_ns: u64,
    wall_ns: u64,
    boot: u8,
    namespace_ns: i64,
}

impl Clock for TestClock {
    fn since_boot_ns(&self) -> u64 {
        self.since_boot_ns
    }

    fn wall_ns(&self) -> u64 {
        self.wall_ns
    }

    fn namespace_ns(&self) -> i64 {
        self.namespace_ns
    }

    fn boot_id(&self) -> [u8; 36] {
        [self.boot; 36]
    }
}

/// The test clock at a number of seconds after the start of a test, which begins 1,000 s after the
/// machine's start.
fn at(seconds: u64) -> TestClock {
    let (since_boot_ns, wall_ns) = ((1_000 + seconds) * S, (2_000_000 + seconds) * S);
    TestClock { since_boot_ns, wall_ns, boot: 1, namespace_ns: 0 }
}

/// Creates a rate table key for the tests from a number; the upper half of the number stands for
/// the user's hash.
fn of(own: u128) -> Key {
    Key { own_hash: own, shared_hash: (own >> 64) as u64 }
}

/// A user, and the number of equal decisions about that user that the state file has counted but
/// that are not yet logged.
type PendingCount = (Vec<u8>, u64);

struct StateHome {
    folder: TempDir,
    home: Home,
    layout: Layout,
}

impl StateHome {
    fn new(layout: Layout) -> Result<Self, Box<dyn Error>> {
        let folder = TempDir::new()?;
        let home = Home::at(folder.path());
        Ok(StateHome { folder, home, layout })
    }

    fn with<T>(
        &self,
        clock: TestClock,
        act: impl FnOnce(&mut State, u64) -> T,
    ) -> Result<T, Box<dyn Error>> {
        let mut state = State::lock(&self.home, self.layout, &clock).map_err(|f| f.to_string())?;
        let now_ns = state.now_ns();
        let result = act(&mut state, now_ns);
        state.finish().map_err(|fault| fault.to_string())?;
        Ok(result)
    }

    fn keep(&self, clock: TestClock, key: u128, for_ns: u64) -> Outcome {
        let result =
            self.with(clock, |state, now_ns| state.keep(of(key), now_ns + for_ns, now_ns))?;
        Ok(result.map_err(|fault| fault.to_string())?)
    }

    /// Nanoseconds from the test clock's time to the time stored for a key in the state file; 0 if
    /// none is stored or the stored time has passed.
    fn stored_ns(
        &self,
        clock: TestClock,
        key: u128,
        horizon_ns: u64,
    ) -> Result<u64, Box<dyn Error>> {
        let result = self.with(clock, |state, now_ns| {
            state
                .stored_ns(of(key), horizon_ns, now_ns)
                .map(|stored_ns| stored_ns.saturating_sub(now_ns))
        })?;
        Ok(result.map_err(|fault| fault.to_string())?)
    }

    fn count(&self, counter: Counter) -> Result<u64, Box<dyn Error>> {
        let index = counter as usize;
        self.with(at(0), |state, _| state.counts().get(index).copied().unwrap_or(0))
    }

    fn note(&self, clock: TestClock, user: &[u8]) -> Result<LogTime, Box<dyn Error>> {
        self.note_from(clock, user, b"")
    }

    fn note_from(
        &self,
        clock: TestClock,
        user: &[u8],
        ip: &[u8],
    ) -> Result<LogTime, Box<dyn Error>> {
        let (verdict, rule) = ("refuse", "polling");
        let (enforced_verdict, is_unusual) = (None, false);
        let note = Note { event: "command", verdict, enforced_verdict, rule, is_unusual, user, ip };
        let result = self.with(clock, |state, _| state.note(&note))?;
        Ok(result.map_err(|fault| fault.to_string())?)
    }

    fn pending(&self, clock: TestClock) -> Result<Vec<PendingCount>, Box<dyn Error>> {
        let pending = self.pending_decisions(clock)?;
        Ok(pending.into_iter().map(|entry| (entry.user, entry.count)).collect())
    }

    fn pending_decisions(&self, clock: TestClock) -> Result<Vec<PendingDecisions>, Box<dyn Error>> {
        let pending = self.with(clock, |state, _| state.pending())?;
        Ok(pending.map_err(|fault| fault.to_string())?)
    }

    fn path(&self) -> std::path::PathBuf {
        self.folder.path().join(STATE)
    }
}
