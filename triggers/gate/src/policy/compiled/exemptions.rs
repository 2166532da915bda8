//! The exemptions in `gate.policy`, read without copying, and the encoding of lists of name
//! patterns.

use crate::base::bytes::{CorruptData, Reader, Writer};

/// One exemption of the policy from some or all rules; every condition that is set (user, group,
/// client, program, end date) must match the event.
#[derive(Clone, Copy, Debug)]
pub struct Exemption<'a> {
    /// Reason that the policy states for the exemption; `judge` shows it in its output.
    pub reason: &'a [u8],
    /// Person or team named in the policy as responsible for the exemption.
    pub owner: &'a [u8],
    /// Last day on which the exemption is valid, `YYYY-MM-DD`; None if it has no end.
    pub until: Option<&'a [u8]>,
    /// Patterns of user names of an exemption; one must match the event's user. None if the
    /// exemption does not depend on the user.
    pub users: Option<Patterns<'a>>,
    /// Patterns of group names of an exemption; one must match a group of the event's user. None if
    /// the exemption does not depend on groups.
    pub groups: Option<Patterns<'a>>,
    /// Patterns of client names of an exemption; one must match the event's client. None if the
    /// exemption does not depend on the client.
    pub clients: Option<Patterns<'a>>,
    /// Patterns of program names of an exemption; one must match the event's client program. None
    /// if the exemption does not depend on the program.
    pub programs: Option<Patterns<'a>>,
}

/// A list of name patterns in `gate.policy`, stored one after another.
#[derive(Clone, Copy, Debug)]
pub struct Patterns<'a>(Reader<'a>);

impl<'a> Patterns<'a> {
    /// Iterates over the name patterns in order. All of them can be decoded, because the checksum
    /// of their block in `gate.policy` was verified before.
    pub fn iter(self) -> impl Iterator<Item = &'a [u8]> {
        let mut from = self.0;
        std::iter::from_fn(move || from.bytes().ok())
    }

    pub(super) fn read(from: &mut Reader<'a>) -> Result<Option<Self>, CorruptData> {
        if from.u8()? == 0 {
            return Ok(None);
        }
        Ok(Some(Patterns(Reader::new(from.bytes()?))))
    }

    pub(super) fn write(to: &mut Writer, patterns: Option<&[String]>) {
        let Some(patterns) = patterns else {
            to.u8(0);
            return;
        };
        let mut all = Writer::default();
        patterns.iter().for_each(|pattern| {
            all.text(pattern);
        });
        to.u8(1).bytes(&all.0);
    }
}

impl<'a> Exemption<'a> {
    pub(super) fn read(from: &mut Reader<'a>) -> Result<Self, CorruptData> {
        Ok(Exemption {
            users: Patterns::read(from)?,
            groups: Patterns::read(from)?,
            clients: Patterns::read(from)?,
            programs: Patterns::read(from)?,
            until: from.optional_bytes()?,
            reason: from.bytes()?,
            owner: from.bytes()?,
        })
    }
}
