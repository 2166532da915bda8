//! The parts of the state file's rate table that one decision uses: each part is read once and, if
//! changed, written once.

use super::layout::{RATE_SLOT_BYTES, RateSlot};
use crate::base::fault::Fault;
use crate::home::folder::TrustedFile;

/// A part of the state file's rate table that was read: a run of consecutive slots.
#[derive(Debug)]
struct Piece {
    start: u64,
    slots: Vec<RateSlot>,
    /// Indexes of the first and the last slot that changed since the part of the rate table was
    /// read; `write` stores the slots from one to the other. None if no slot changed.
    changed_slots: Option<(usize, usize)>,
}

/// Address of a slot of the rate table: the index of its part (a page or a group of slots) in the
/// list of parts read, and the slot's index within that part.
pub(super) type Spot = (usize, usize);

/// The parts of the state file's rate table read so far, in the order of reading.
#[derive(Debug, Default)]
pub(super) struct Pieces(Vec<Piece>);

impl Pieces {
    /// Reads a part of the rate table (a page or a group of slots) from the state file unless it
    /// was read before; returns the part's index in the list of parts read.
    pub fn load(
        &mut self,
        open_file: &TrustedFile,
        start: u64,
        slots: usize,
    ) -> Result<usize, Fault> {
        if let Some(at) = self.0.iter().position(|piece| piece.start == start) {
            return Ok(at);
        }
        let mut slots = vec![RateSlot::default(); slots];
        open_file.read(slots.as_flattened_mut().as_flattened_mut(), start)?;
        self.0.push(Piece { start, slots, changed_slots: None });
        Ok(self.0.len() - 1)
    }

    /// Returns the slot of the rate table at an address (index of the part, index within it); None
    /// if no part that was read contains it.
    pub fn slot(&self, (piece, index): Spot) -> Option<&RateSlot> {
        self.0.get(piece)?.slots.get(index)
    }

    /// Address (index of the part, index within it) of the first slot, in a given order within one
    /// part of the rate table, that satisfies a condition; None if no slot does.
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

    /// Replaces a slot of the rate table in memory, given its address (index of the part, index
    /// within it); `write` stores it in the state file.
    pub fn put(&mut self, (piece, index): Spot, new: RateSlot) {
        let Some(piece) = self.0.get_mut(piece) else { return };
        let Some(slot) = piece.slots.get_mut(index) else { return };
        *slot = new;
        let (first, last) = piece.changed_slots.unwrap_or((index, index));
        piece.changed_slots = Some((first.min(index), last.max(index)));
    }

    /// Writes the changed slots of the rate table to the state file.
    pub fn write(&self, open_file: &TrustedFile) -> Result<(), Fault> {
        for piece in &self.0 {
            let Some((first, last)) = piece.changed_slots else { continue };
            let slots = piece.slots.get(first..=last).unwrap_or_default();
            let start = piece.start + (first * RATE_SLOT_BYTES) as u64;
            open_file.write(slots.as_flattened().as_flattened(), start)?;
        }
        Ok(())
    }
}
