//! The mode of one rule in `gate.policy`: the users for whom the rule is enforced.

use super::exemptions::Patterns;
use crate::base::bytes::{CorruptData, Reader, Writer};
use crate::policy::document;

const OBSERVE: u8 = 0;
const ENFORCE: u8 = 1;
const CANARY: u8 = 2;

/// The mode of a rule in `gate.policy`: the users for whom the rule is enforced. The rule only
/// observes all other users.
#[derive(Clone, Copy, Debug)]
pub enum Mode<'a> {
    /// Mode of a rule that only observes: it stops no events, and the decision log has its
    /// objections.
    Observe,
    /// Mode of a rule that is enforced for all users.
    Enforce,
    /// Mode of a rule that is enforced for its canary users and groups, and observes everyone else.
    Canary(Canary<'a>),
}

/// The canary of a rule: the users for whom the rule is enforced while it only observes everyone
/// else. A user belongs to the canary if a pattern in `users` matches the user's name, or one in
/// `groups` matches a group of the user.
#[derive(Clone, Copy, Debug)]
pub struct Canary<'a> {
    /// Patterns of the names of users for whom the rule is enforced; None if the canary names no
    /// users.
    pub users: Option<Patterns<'a>>,
    /// Patterns of the groups for whose members the rule is enforced; None if the canary names no
    /// groups.
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
