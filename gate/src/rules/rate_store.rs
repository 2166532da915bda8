//! Interface to the storage of rates: the state file, or memory in `judge`.

use crate::rate::waiting::{Full, Place, Room};
use crate::rules::keys::{Key, Secret};

/// Storage of the time until which each key has used up its rate, and of the waiting requests.
pub trait RateStore {
    /// Error type: why the rates cannot be read or written.
    type Fault;

    /// The secret key of the hash that maps requests to the numbers of rates.
    fn secret(&self) -> Secret;

    /// The time until which a key's rate is used up, in nanoseconds; 0 if none is stored. A stored
    /// time later than `horizon_ns` is impossible and therefore ignored.
    fn stored_ns(&mut self, key: Key, horizon_ns: u64, now_ns: u64) -> Result<u64, Self::Fault>;

    /// Stores the time `until_ns` until which a key's rate is used up.
    fn keep(&mut self, key: Key, until_ns: u64, now_ns: u64) -> Result<(), Self::Fault>;

    /// Reserves a waiting slot; returns the reason if there is none.
    fn wait(&mut self, room: Room, place: Place, now_ns: u64) -> Result<Option<Full>, Self::Fault>;
}
