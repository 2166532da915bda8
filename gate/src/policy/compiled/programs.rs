//! The settings of one rule `block_client_program` in the compiled policy.

use crate::base::bytes::{Corrupt, Reader, Writer};
use crate::policy::document;

/// The programs that one rule `block_client_program` blocks, still encoded.
#[derive(Clone, Copy, Debug)]
pub struct Programs<'a>(Reader<'a>);

/// One program that a rule `block_client_program` blocks, entirely or below a version.
#[derive(Clone, Copy, Debug)]
pub struct Program<'a> {
    /// Pattern of the names of client programs that the entry blocks.
    pub program: &'a [u8],
    /// The lowest version that is allowed; None if every version is blocked.
    pub below: Option<&'a [u8]>,
    /// Advice for the user, shown in the refusal of this program; None if the policy gives none.
    pub advice: Option<&'a [u8]>,
}

impl<'a> Programs<'a> {
    /// Iterates over the entries in policy order; the block's checksum has already been verified.
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
