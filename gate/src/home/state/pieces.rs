//! The pieces of the table that one decision reads: each is read once, and written once.

use super::layout::{PLACE_BYTES, Place};
use crate::base::fault::Fault;
use crate::home::folder::Opened;

/// Places that lie behind each other in the file.
#[derive(Debug)]
struct Piece {
    start: u64,
    places: Vec<Place>,
    /// The first place that changed and the last.
    changed: Option<(usize, usize)>,
}

/// A piece, and one of its places.
pub(super) type Spot = (usize, usize);

/// The pieces read, in the order in which they were asked for.
#[derive(Debug, Default)]
pub(super) struct Pieces(Vec<Piece>);

impl Pieces {
    /// Reads a piece unless it is read; says where it is among those that are.
    pub fn load(&mut self, opened: &Opened, start: u64, places: usize) -> Result<usize, Fault> {
        if let Some(at) = self.0.iter().position(|piece| piece.start == start) {
            return Ok(at);
        }
        let mut places = vec![Place::default(); places];
        opened.read(places.as_flattened_mut().as_flattened_mut(), start)?;
        self.0.push(Piece { start, places, changed: None });
        Ok(self.0.len() - 1)
    }

    /// A place.
    pub fn place(&self, (piece, index): Spot) -> Option<&Place> {
        self.0.get(piece)?.places.get(index)
    }

    /// The first such place of a piece in an order.
    pub fn first(
        &self,
        piece: usize,
        mut order: impl Iterator<Item = usize>,
        wanted: impl Fn(&Place) -> bool,
    ) -> Option<Spot> {
        let places = &self.0.get(piece)?.places;
        let index = order.find(|index| places.get(*index).is_some_and(&wanted));
        index.map(|index| (piece, index))
    }

    /// Changes a place.
    pub fn put(&mut self, (piece, index): Spot, place: Place) {
        let Some(piece) = self.0.get_mut(piece) else { return };
        let Some(known) = piece.places.get_mut(index) else { return };
        *known = place;
        let (first, last) = piece.changed.unwrap_or((index, index));
        piece.changed = Some((first.min(index), last.max(index)));
    }

    /// Writes what changed.
    pub fn write(&self, opened: &Opened) -> Result<(), Fault> {
        for piece in &self.0 {
            let Some((first, last)) = piece.changed else { continue };
            let places = piece.places.get(first..=last).unwrap_or_default();
            let start = piece.start + (first * PLACE_BYTES) as u64;
            opened.write(places.as_flattened().as_flattened(), start)?;
        }
        Ok(())
    }
}
