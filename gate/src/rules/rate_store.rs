//! Interface to the storage of rates: the state file, or memory in `judge`.

use crate::rate::waiting::{Full, Place, Room};
use crate::rules::keys::{Key, Secret};

/// Storage of the time until which each key has used up its rate, and of the waiting requests.
pub trait RateStore {
    /// Error type: why the rates cannot be read or written.
    type Fault;

    /// The secret for hashing keys.
    fn secret(&self) -> Secret;

    /// The time stored for a key in nanoseconds, 0 if none. A time beyond the horizon is invalid
    /// and ignored.
    fn stored_ns(&mut self, key: Key, horizon_ns: u64, now_ns: u64) -> Result<u64, Self::Fault>;

    /// Stores a time for a key.
    fn keep(&mut self, key: Key, until_ns: u64, now_ns: u64) -> Result<(), Self::Fault>;

    /// Reserves a waiting slot; returns the reason if there is none.
    fn wait(&mut self, room: Room, place: Place, now_ns: u64) -> Result<Option<Full>, Self::Fault>;
}
