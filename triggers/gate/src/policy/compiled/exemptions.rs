//! The exemptions in `gate.policy` and lists of name patterns, read without copying.

use crate::base::bytes::{CorruptData, Reader, Writer};

/// Every condition that is set must match the event.
#[derive(Clone, Copy, Debug)]
pub struct Exemption<'a> {
    pub reason: &'a [u8],
    pub owner: &'a [u8],
    /// Last day on which it is valid, `YYYY-MM-DD`; None if it has no end.
    pub until: Option<&'a [u8]>,
    /// None if the exemption does not depend on the user; the others likewise.
    pub users: Option<Patterns<'a>>,
    pub groups: Option<Patterns<'a>>,
    pub clients: Option<Patterns<'a>>,
    pub programs: Option<Patterns<'a>>,
}

#[derive(Clone, Copy, Debug)]
pub struct Patterns<'a>(Reader<'a>);

impl<'a> Patterns<'a> {
    /// All can be decoded, because the checksum of their block was verified before.
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
