//! Rates in memory, for a stream of events.

use crate::rate::waiting::Sleepers;
use crate::rules::keys::{Key, Secret};
use crate::rules::rate_store::RateStore;
use std::collections::HashMap;
use std::convert::Infallible;
use std::hash::{BuildHasherDefault, Hasher};

/// Below so many keys none is looked at for being over.
const FEW: usize = 1 << 16;

/// The rates of one stream. They are never full, and times may come in any order.
#[derive(Debug)]
pub struct Memory {
    secret: Secret,
    kept: HashMap<u128, u64, BuildHasherDefault<AlreadyHashed>>,
    sleepers: Sleepers,
    clean_at: usize,
}

impl Memory {
    /// Starts with nothing kept.
    #[must_use]
    pub fn new(secret: Secret) -> Self {
        let (kept, sleepers) = (HashMap::default(), Sleepers::default());
        Memory { secret, kept, sleepers, clean_at: FEW }
    }

    /// Drops the keys whose time is over, each time their number has doubled.
    fn clean(&mut self, now_ns: u64) {
        if self.kept.len() >= self.clean_at {
            self.kept.retain(|_, until_ns| *until_ns > now_ns);
            self.clean_at = FEW.max(self.kept.len().saturating_mul(2));
        }
    }
}

impl RateStore for Memory {
    type Fault = Infallible;

    fn secret(&self) -> Secret {
        self.secret
    }

    fn kept_ns(&mut self, key: Key, _horizon_ns: u64, _now_ns: u64) -> Result<u64, Infallible> {
        Ok(self.kept.get(&key.own).copied().unwrap_or(0))
    }

    fn keep(&mut self, key: Key, until_ns: u64, now_ns: u64) -> Result<(), Infallible> {
        self.kept.insert(key.own, until_ns);
        self.clean(now_ns);
        Ok(())
    }

    fn sleepers(&mut self) -> &mut Sleepers {
        &mut self.sleepers
    }
}

/// Keys are hashes already.
#[derive(Debug, Default)]
pub struct AlreadyHashed(u64);

impl Hasher for AlreadyHashed {
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
