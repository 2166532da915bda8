//! The exemptions of one command, read in place.

use crate::base::bytes::{Corrupt, Reader, Writer};

/// Who may pass some rules.
#[derive(Clone, Copy, Debug)]
pub struct Exemption<'a> {
    /// Why.
    pub reason: &'a [u8],
    /// Who answers for it.
    pub owner: &'a [u8],
    /// The last day it holds.
    pub until: Option<&'a [u8]>,
    /// Of user names.
    pub users: Option<Patterns<'a>>,
    /// Of groups.
    pub groups: Option<Patterns<'a>>,
    /// Of client names.
    pub clients: Option<Patterns<'a>>,
    /// Of program names.
    pub programs: Option<Patterns<'a>>,
}

/// Some patterns, one behind the other.
#[derive(Clone, Copy, Debug)]
pub struct Patterns<'a>(Reader<'a>);

impl<'a> Patterns<'a> {
    /// The patterns in order; the block's checksum vouches for them.
    pub fn iter(self) -> impl Iterator<Item = &'a [u8]> {
        let mut from = self.0;
        std::iter::from_fn(move || from.bytes().ok())
    }

    pub(super) fn read(from: &mut Reader<'a>) -> Result<Option<Self>, Corrupt> {
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
    pub(super) fn read(from: &mut Reader<'a>) -> Result<Self, Corrupt> {
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
