//! Storage of request rates in memory, for `judge` and replays of p4d's logs.

use crate::contract::keys::{Key, Secret};
use crate::contract::rate_store::RateStore;
use crate::rate::queue::{Arrival, Start};
use crate::rate::timetable::Timetable;
use crate::rate::waiting_slots::{SlotPool, SlotShortage, WaitingSlot, WaitingSlots};
use std::collections::HashMap;
use std::convert::Infallible;
use std::hash::{BuildHasherDefault, Hasher};

/// Minimum number of keys in memory at which expired keys are removed.
const FEW: usize = 1 << 16;
/// Tolerated disorder of the events to judge, in nanoseconds: events of several processes arrive
/// slightly out of order. An event that is further back means that the clock was set back.
const DISORDER_NS: u64 = 60_000_000_000;

/// Store in memory of the request rates and delayed requests of one stream of events that `judge`
/// or a replay judges. Unlike the state file it has space for any number of rates; expired rates
/// are removed.
#[derive(Debug)]
pub struct Memory {
    secret: Secret,
    times_ns: HashMap<u128, u64, BuildHasherDefault<IdentityHasher>>,
    waiting_slots: Option<Box<WaitingSlots>>,
    shadows: HashMap<u64, WaitingSlots>,
    /// By rule.
    timetables: HashMap<u64, Timetable>,
    clean_at: usize,
    latest_ns: u64,
}

impl Memory {
    /// Creates an empty store of request rates, with the secret for hashing its keys.
    pub fn new(secret: Secret) -> Self {
        let (times_ns, shadows, timetables) = Default::default();
        let (waiting_slots, clean_at, latest_ns) = (None, FEW, 0);
        Memory { secret, times_ns, waiting_slots, shadows, timetables, clean_at, latest_ns }
    }

    /// Takes note of the time of the next event. If it is more than a minute before the latest one,
    /// the clock was set back, and all request rates and delayed requests are discarded, as in the
    /// state file after a restart of the machine.
    pub fn note_time(&mut self, now_ns: u64) {
        if now_ns.saturating_add(DISORDER_NS) < self.latest_ns {
            *self = Memory::new(self.secret);
        }
        self.latest_ns = self.latest_ns.max(now_ns);
    }

    /// Removes expired keys from memory if there are at least `FEW` keys, and at least twice as
    /// many as the last removal left.
    fn clean(&mut self, now_ns: u64) {
        if self.times_ns.len() >= self.clean_at {
            self.times_ns.retain(|_, until_ns| *until_ns > now_ns);
            self.clean_at = FEW.max(self.times_ns.len().saturating_mul(2));
        }
    }
}

impl RateStore for Memory {
    type Fault = Infallible;

    fn secret(&self) -> Secret {
        self.secret
    }

    fn stored_ns(&mut self, key: Key, _horizon_ns: u64, _now_ns: u64) -> Result<u64, Infallible> {
        Ok(self.times_ns.get(&key.own_hash).copied().unwrap_or(0))
    }

    fn keep(&mut self, key: Key, until_ns: u64, now_ns: u64) -> Result<(), Infallible> {
        self.times_ns.insert(key.own_hash, until_ns);
        self.clean(now_ns);
        Ok(())
    }

    fn wait(
        &mut self,
        pool: SlotPool,
        slot: WaitingSlot,
        now_ns: u64,
    ) -> Result<Option<SlotShortage>, Infallible> {
        let waiting = match pool {
            SlotPool::Real => &mut **self.waiting_slots.get_or_insert_default(),
            SlotPool::Shadow(rule) => self.shadows.entry(rule).or_default(),
        };
        Ok(waiting.take(slot, now_ns))
    }

    fn start(&mut self, one: &Arrival, now_ns: u64) -> Result<Start, Infallible> {
        Ok(self.timetables.entry(one.rule).or_default().start(one, now_ns))
    }

    fn enter(&mut self, one: &Arrival, _runs: bool, now_ns: u64) -> Result<(), Infallible> {
        self.timetables.entry(one.rule).or_default().add(one, now_ns);
        Ok(())
    }
}

/// Hasher for the keys of request rates, which are already hashes: returns the upper half of a key.
#[derive(Debug, Default)]
pub struct IdentityHasher(u64);

impl Hasher for IdentityHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = bytes.iter().fold(self.0, |sum, byte| sum.rotate_left(8) ^ u64::from(*byte));
    }

    fn write_u128(&mut self, key: u128) {
        self.0 = (key >> 64) as u64;
    }
}
