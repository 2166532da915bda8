//! Where request rates are stored, as the time until which earlier requests of each key count against
//! its limit: the state file in triggers, memory in `judge` and replays.

use crate::contract::keys::{Key, Secret};
use crate::rate::queue::{Arrival, Start};
use crate::rate::waiting_slots::{SlotPool, SlotShortage, WaitingSlot};

pub trait RateStore {
    type Fault;

    fn secret(&self) -> Secret;

    /// 0 if none is stored. The state file ignores a time later than `horizon_ns`, the latest that the
    /// limit can produce.
    fn stored_ns(&mut self, key: Key, horizon_ns: u64, now_ns: u64) -> Result<u64, Self::Fault>;

    fn keep(&mut self, key: Key, until_ns: u64, now_ns: u64) -> Result<(), Self::Fault>;

    /// Returns why no slot is free for the user of a delayed request, otherwise None.
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
