//! Where in the file the parts are that only some events need.

use crate::base::bytes::{Corrupt, Reader, checksum};

/// Where a part of the file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// From the start of the file.
    pub offset: u64,
    /// How long it is.
    pub bytes: u32,
    check: u64,
}

impl Block {
    /// The block's bytes, if they are unchanged since they were written.
    pub fn checked<'a>(&self, bytes: &'a [u8]) -> Result<&'a [u8], Corrupt> {
        let whole = bytes.len() as u64 == u64::from(self.bytes);
        if whole && checksum(bytes) == self.check { Ok(bytes) } else { Err(Corrupt) }
    }

    /// Finds the block in a policy that is in memory as a whole.
    pub fn within<'a>(&self, policy: &'a [u8]) -> Result<&'a [u8], Corrupt> {
        let start = usize::try_from(self.offset).map_err(|_| Corrupt)?;
        let length = usize::try_from(self.bytes).map_err(|_| Corrupt)?;
        let end = start.checked_add(length).ok_or(Corrupt)?;
        self.checked(policy.get(start..end).ok_or(Corrupt)?)
    }

    pub(super) fn read(from: &mut Reader<'_>) -> Result<Self, Corrupt> {
        Ok(Block { offset: from.u64()?, bytes: from.u32()?, check: from.u64()? })
    }
}

/// Where the rules of a command are, and the exemptions that concern them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Command {
    /// Its rules.
    pub rules: Block,
    /// Their exemptions.
    pub exemptions: Block,
}

impl Command {
    /// Reads an entry of the index.
    pub(super) fn read<'a>(index: &mut Reader<'a>) -> Result<(&'a [u8], Self), Corrupt> {
        let (name, rules) = (index.bytes()?, Block::read(index)?);
        Ok((name, Command { rules, exemptions: Block::read(index)? }))
    }
}
