//! The settings of one rule `block_client_program` as stored in `gate.policy`.

use crate::base::bytes::{CorruptData, Reader, Writer};
use crate::policy::document;

#[derive(Clone, Copy, Debug)]
pub struct Programs<'a>(Reader<'a>);

#[derive(Clone, Copy, Debug)]
pub struct Program<'a> {
    /// A pattern.
    pub program: &'a [u8],
    /// Lowest version that is allowed; None if every version is blocked.
    pub below: Option<&'a [u8]>,
    pub advice: Option<&'a [u8]>,
}

impl<'a> Programs<'a> {
    /// All can be decoded, because the checksum of the rule's block was verified before.
    pub fn iter(&self) -> impl Iterator<Item = Program<'a>> {
        let mut from = self.0;
        std::iter::from_fn(move || Program::read(&mut from).ok())
    }

    pub(super) fn read(from: Reader<'a>) -> Self {
        Programs(from)
    }
}

impl<'a> Program<'a> {
    fn read(from: &mut Reader<'a>) -> Result<Self, CorruptData> {
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
