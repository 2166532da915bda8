//! For whom one rule acts, written and read in place.

use super::exemptions::Patterns;
use crate::base::bytes::{Corrupt, Reader, Writer};
use crate::policy::document;

const OBSERVE: u8 = 0;
const ENFORCE: u8 = 1;
const CANARY: u8 = 2;

/// For whom a rule acts; everyone else it only observes.
#[derive(Clone, Copy, Debug)]
pub enum Mode<'a> {
    /// For no one.
    Observe,
    /// For everyone.
    Enforce,
    /// For these.
    Canary(Canary<'a>),
}

/// The users for whom a rule is enforced first; any of the patterns may fit.
#[derive(Clone, Copy, Debug)]
pub struct Canary<'a> {
    /// Of user names.
    pub users: Option<Patterns<'a>>,
    /// Of groups.
    pub groups: Option<Patterns<'a>>,
}

impl<'a> Mode<'a> {
    pub(super) fn read(from: &mut Reader<'a>) -> Result<Self, Corrupt> {
        match from.u8()? {
            OBSERVE => Ok(Mode::Observe),
            ENFORCE => Ok(Mode::Enforce),
            CANARY => {
                let (users, groups) = (Patterns::read(from)?, Patterns::read(from)?);
                Ok(Mode::Canary(Canary { users, groups }))
            }
            _ => Err(Corrupt),
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
