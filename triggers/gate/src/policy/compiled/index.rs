//! The index of `gate.policy`: positions of the parts of the file that only some events need.

use crate::base::bytes::{CorruptData, Reader, checksum};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// In bytes from the start of the file.
    pub offset: u64,
    pub bytes: u32,
    check: u64,
}

impl Block {
    pub fn check<'a>(&self, bytes: &'a [u8]) -> Result<&'a [u8], CorruptData> {
        let is_whole = bytes.len() as u64 == u64::from(self.bytes);
        if is_whole && checksum(bytes) == self.check { Ok(bytes) } else { Err(CorruptData) }
    }

    pub fn part_of<'a>(&self, policy: &'a [u8]) -> Result<&'a [u8], CorruptData> {
        let start = usize::try_from(self.offset).map_err(|_| CorruptData)?;
        let length = usize::try_from(self.bytes).map_err(|_| CorruptData)?;
        let end = start.checked_add(length).ok_or(CorruptData)?;
        self.check(policy.get(start..end).ok_or(CorruptData)?)
    }

    pub(super) fn read(from: &mut Reader<'_>) -> Result<Self, CorruptData> {
        Ok(Block { offset: from.u64()?, bytes: from.u32()?, check: from.u64()? })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Command {
    pub rules: Block,
    pub exemptions: Block,
}

impl Command {
    pub(super) fn read<'a>(index: &mut Reader<'a>) -> Result<(&'a [u8], Self), CorruptData> {
        let (name, rules) = (index.bytes()?, Block::read(index)?);
        Ok((name, Command { rules, exemptions: Block::read(index)? }))
    }
}
