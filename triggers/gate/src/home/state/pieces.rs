//! The parts of the state file's rate table that one decision uses: each part is read once and, if
//! changed, written once.

use super::header::LockedState;
use super::layout::RateSlot;
use super::rate_slot::{is_seal, seal};
use crate::base::fault::Fault;

/// A page or a group of slots.
#[derive(Debug)]
struct Piece {
    start: u64,
    slots: Vec<RateSlot>,
    /// Since it was read.
    last_changed: Option<usize>,
}

/// Address of a slot: the index of its part among those read, and its own index within the part.
pub(super) type Spot = (usize, usize);

/// In the order in which they were read.
#[derive(Debug, Default)]
pub(super) struct Pieces(Vec<Piece>);

impl Pieces {
    /// Reads a part unless it was read before; returns its index among those read. A fault if its
    /// first slot is no seal of the others.
    pub fn load(
        &mut self,
        state: LockedState<'_>,
        start: u64,
        slots: usize,
    ) -> Result<usize, Fault> {
        if let Some(at) = self.0.iter().position(|piece| piece.start == start) {
            return Ok(at);
        }
        let mut slots = vec![RateSlot::default(); slots];
        state.open_file.read(slots.as_flattened_mut().as_flattened_mut(), start)?;
        let is_new = || slots.iter().flatten().flatten().all(|byte| *byte == 0);
        if !is_seal(&slots, state.header) && !is_new() {
            return Err(state.damage());
        }
        self.0.push(Piece { start, slots, last_changed: None });
        Ok(self.0.len() - 1)
    }

    pub fn slot(&self, (piece, index): Spot) -> Option<&RateSlot> {
        self.0.get(piece)?.slots.get(index)
    }

    /// The first slot of a part, in this order, that satisfies a condition.
    pub fn first(
        &self,
        piece: usize,
        mut order: impl Iterator<Item = usize>,
        is_match: impl Fn(&RateSlot) -> bool,
    ) -> Option<Spot> {
        let slots = &self.0.get(piece)?.slots;
        let index = order.find(|index| slots.get(*index).is_some_and(&is_match));
        index.map(|index| (piece, index))
    }

    /// Replaces a slot in memory; `write` stores it.
    pub fn put(&mut self, (piece, index): Spot, new: RateSlot) {
        let Some(piece) = self.0.get_mut(piece) else { return };
        let Some(slot) = piece.slots.get_mut(index) else { return };
        *slot = new;
        piece.last_changed = piece.last_changed.max(Some(index));
    }

    /// Seals the changed parts, and writes them up to the last slot that changed.
    pub fn write(&mut self, state: LockedState<'_>) -> Result<(), Fault> {
        for piece in &mut self.0 {
            let Some(last) = piece.last_changed else { continue };
            seal(&mut piece.slots, state.header);
            let slots = piece.slots.get(..=last).unwrap_or_default();
            state.open_file.write(slots.as_flattened().as_flattened(), piece.start)?;
        }
        Ok(())
    }
}
