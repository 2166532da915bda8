//! The mode of one rule in `gate.policy`: the users for whom the rule is enforced.

use super::exemptions::Patterns;
use crate::base::bytes::{CorruptData, Reader, Writer};
use crate::policy::document;

const OBSERVE: u8 = 0;
const ENFORCE: u8 = 1;
const CANARY: u8 = 2;

#[derive(Clone, Copy, Debug)]
pub enum Mode<'a> {
    Observe,
    Enforce,
    Canary(Canary<'a>),
}

/// A user belongs to the canary by name or by a group.
#[derive(Clone, Copy, Debug)]
pub struct Canary<'a> {
    pub users: Option<Patterns<'a>>,
    pub groups: Option<Patterns<'a>>,
}

impl<'a> Mode<'a> {
    pub(super) fn read(from: &mut Reader<'a>) -> Result<Self, CorruptData> {
        match from.u8()? {
            OBSERVE => Ok(Mode::Observe),
            ENFORCE => Ok(Mode::Enforce),
            CANARY => {
                let (users, groups) = (Patterns::read(from)?, Patterns::read(from)?);
                Ok(Mode::Canary(Canary { users, groups }))
            }
            _ => Err(CorruptData),
        }
    }
}

pub(super) fn write(to: &mut Writer, mode: &document::Mode) {
    match mode {
        document::Mode::Observe => {
            to.u8(OBSERVE);
        }
        document::Mode::Enforce => {
            to.u8(ENFORCE);
        }
        document::Mode::Canary(canary) => {
            to.u8(CANARY);
            Patterns::write(to, canary.users.as_deref());
            Patterns::write(to, canary.groups.as_deref());
        }
    }
}
