//! The settings of one rule `block_client_program`, written and read in place.

use crate::base::bytes::{Corrupt, Reader, Writer};
use crate::policy::document;

/// The programs that a rule blocks.
#[derive(Clone, Copy, Debug)]
pub struct Programs<'a>(Reader<'a>);

/// One of them.
#[derive(Clone, Copy, Debug)]
pub struct Program<'a> {
    /// A pattern of program names.
    pub program: &'a [u8],
    /// The version from which on it is allowed; None where none is.
    pub below: Option<&'a [u8]>,
    /// The advice in the refusal.
    pub advice: Option<&'a [u8]>,
}

impl<'a> Programs<'a> {
    /// In policy order; the block's checksum vouches for them.
    pub fn iter(&self) -> impl Iterator<Item = Program<'a>> {
        let mut from = self.0;
        std::iter::from_fn(move || Program::read(&mut from).ok())
    }

    pub(super) fn read(from: Reader<'a>) -> Self {
        Programs(from)
    }
}

impl<'a> Program<'a> {
    fn read(from: &mut Reader<'a>) -> Result<Self, Corrupt> {
        let (program, below) = (from.bytes()?, from.optional_bytes()?);
        Ok(Program { program, below, advice: from.optional_bytes()? })
    }
}

pub(super) fn write(to: &mut Writer, programs: &[document::Program]) {
    for entry in programs {
        to.text(&entry.program).optional_text(entry.below.as_deref());
        to.optional_text(entry.advice.as_deref());
    }
}
