//! The parts that tell requests apart, as one number.

use crate::policy::document::Part;

/// In the order of their bits.
const ALL: [Part; 6] = [Part::User, Part::Client, Part::Ip, Part::Program, Part::Args, Part::Shape];

/// Some parts of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parts(u8);

impl Parts {
    /// These parts.
    #[must_use]
    pub fn of(parts: &[Part]) -> Self {
        let bits = (0..).zip(ALL).filter(|(_, part)| parts.contains(part)).map(|(bit, _)| 1 << bit);
        Parts(bits.sum())
    }

    /// The parts, always in the same order.
    pub fn iter(self) -> impl Iterator<Item = Part> {
        let chosen = move |(bit, part): (u32, Part)| (self.0 >> bit & 1 == 1).then_some(part);
        (0..).zip(ALL).filter_map(chosen)
    }

    /// The first of them alone.
    #[must_use]
    pub fn first(self) -> Self {
        Parts(self.0 & self.0.wrapping_neg())
    }

    pub(super) fn number(self) -> u8 {
        self.0
    }

    pub(super) fn from_number(number: u8) -> Self {
        Parts(number)
    }
}
