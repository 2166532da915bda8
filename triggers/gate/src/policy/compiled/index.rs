//! The index of `gate.policy`: positions of the parts of the file that only some events need.

use crate::base::bytes::{CorruptData, Reader, checksum};

/// Position, length and checksum of one part of the file `gate.policy`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// Offset in bytes of this part of `gate.policy` from the start of the file.
    pub offset: u64,
    /// Length in bytes of this part of `gate.policy`, as the front of the file states it.
    pub bytes: u32,
    check: u64,
}

impl Block {
    /// Returns the given bytes, read from this part of `gate.policy`, if their length and checksum
    /// are correct, otherwise `CorruptData`.
    pub fn check<'a>(&self, bytes: &'a [u8]) -> Result<&'a [u8], CorruptData> {
        let is_whole = bytes.len() as u64 == u64::from(self.bytes);
        if is_whole && checksum(bytes) == self.check { Ok(bytes) } else { Err(CorruptData) }
    }

    /// Returns this part of a file `gate.policy` whose bytes are all in memory (`policy`);
    /// `CorruptData` if the part lies beyond their end or its checksum is wrong.
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

/// Positions in `gate.policy` of a command's rules and of the exemptions that concern these rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Command {
    /// Position in `gate.policy` of the rules that cover the command.
    pub rules: Block,
    /// Position in `gate.policy` of the exemptions that concern the command's rules.
    pub exemptions: Block,
}

impl Command {
    /// Reads one entry of the index of `gate.policy`: a command's name, and the positions of its
    /// rules and exemptions.
    pub(super) fn read<'a>(index: &mut Reader<'a>) -> Result<(&'a [u8], Self), CorruptData> {
        let (name, rules) = (index.bytes()?, Block::read(index)?);
        Ok((name, Command { rules, exemptions: Block::read(index)? }))
    }
}
