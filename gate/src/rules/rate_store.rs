//! Where rates are kept: in the state file, or in the memory of a judge.

use crate::rate::waiting::{Full, Place, Room};
use crate::rules::keys::{Key, Secret};

/// Store of the time until when each key has used up its rate, and of the waiting requests.
pub trait RateStore {
    /// Why they cannot be read or written.
    type Fault;

    /// The secret that the keys are hashed with.
    fn secret(&self) -> Secret;

    /// The time kept for a key, 0 if none; a time beyond the horizon cannot have been kept.
    fn kept_ns(&mut self, key: Key, horizon_ns: u64, now_ns: u64) -> Result<u64, Self::Fault>;

    /// Keeps a time.
    fn keep(&mut self, key: Key, until_ns: u64, now_ns: u64) -> Result<(), Self::Fault>;

    /// Takes a place to wait in; tells why there is none.
    fn wait(&mut self, room: Room, place: Place, now_ns: u64) -> Result<Option<Full>, Self::Fault>;
}
