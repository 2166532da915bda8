//! Interface to the storage of request rates: the state file in triggers, memory in `judge` and
//! replays.

use crate::contract::keys::{Key, Secret};
use crate::rate::queue::{Arrival, Start};
use crate::rate::waiting_slots::{SlotPool, SlotShortage, WaitingSlot};

/// Storage of request rates, as the time until which earlier requests of each key count against its
/// limit, and of the delayed requests.
pub trait RateStore {
    /// Error of the rate store: why the rates cannot be read or written.
    type Fault;

    /// The secret key of the hashes under which request rates are stored.
    fn secret(&self) -> Secret;

    /// The time, in nanoseconds, until which earlier requests of a key count against its limit; 0
    /// if none is stored. The state file ignores a stored time later than `horizon_ns`, the latest
    /// time that the limit can produce.
    fn stored_ns(&mut self, key: Key, horizon_ns: u64, now_ns: u64) -> Result<u64, Self::Fault>;

    /// Stores the time `until_ns`, in nanoseconds, until which requests of a key count against its
    /// limit.
    fn keep(&mut self, key: Key, until_ns: u64, now_ns: u64) -> Result<(), Self::Fault>;

    /// Reserves a waiting slot for a delayed request; returns None, or the reason if no slot is
    /// free for its user.
    fn wait(
        &mut self,
        pool: SlotPool,
        slot: WaitingSlot,
        now_ns: u64,
    ) -> Result<Option<SlotShortage>, Self::Fault>;

    /// When a command may run, by those that one rule counts at once.
    fn start(&mut self, one: &Arrival, now_ns: u64) -> Result<Start, Self::Fault>;

    /// Counts it from then on, as one that runs or waits.
    fn enter(&mut self, one: &Arrival, runs: bool, now_ns: u64) -> Result<(), Self::Fault>;
}
