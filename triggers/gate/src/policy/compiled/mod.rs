//! `gate.policy`: the policy in a format that the gate reads quickly.
//!
//! The file consists of a prefix, a front with the data for every event and the index of the
//! commands, and blocks: the server's depots, and each command's rules and exemptions. A decision
//! reads only the blocks that its command needs, so rules for other commands cost nothing. The
//! front and each block have a checksum, and the prefix contains the length of the whole file; a
//! truncated file is therefore a fault, not a shorter policy.

mod depots;
mod encode;
mod exemptions;
mod index;
mod modes;
mod parts;
mod programs;
mod rates;
mod rules;
mod scan_limits;
mod scope;

pub use depots::{Depots, MAX_DIRECTORIES};
pub use encode::{Extras, encode};
pub use exemptions::{Exemption, Patterns};
pub use index::{Block, Command};
pub use modes::{Canary, Mode};
pub use parts::Parts;
pub use programs::{Program, Programs};
pub use rates::{Limit, Rates};
pub use rules::{Kind, Rule, Rules};
pub use scan_limits::ScanLimits;
pub use scope::Scope;

use crate::base::bytes::{CorruptData, Reader, checksum};
use crate::policy::pressure::Thresholds;

/// File signature of `gate.policy`; the last byte is the format number. Once a format is released,
/// the next one also gets another file name, because an upgrade writes the new version's file while
/// the old version still runs with its own.
const MAGIC: [u8; 8] = *b"p4wgate\x0b";
/// Signature, length of the file, length of the front, checksum of the front.
pub const PREFIX_BYTES: usize = 8 + 8 + 4 + 8;
/// A larger number means that the file is damaged.
const MAX_FRONT_BYTES: u32 = 16 << 20;

#[derive(Clone, Copy, Debug)]
pub struct Prefix {
    pub whole_bytes: u64,
    /// Without the prefix.
    pub front_bytes: usize,
    check: u64,
}

impl Prefix {
    /// `CorruptData` also for another format, or a front longer than `MAX_FRONT_BYTES`.
    pub fn read(bytes: &[u8]) -> Result<Self, CorruptData> {
        let mut from = Reader::new(bytes);
        if from.array()? != MAGIC {
            return Err(CorruptData);
        }
        let (whole_bytes, front_bytes, check) = (from.u64()?, from.u32()?, from.u64()?);
        let front_bytes =
            (front_bytes <= MAX_FRONT_BYTES).then_some(front_bytes).ok_or(CorruptData)?;
        let front_bytes = usize::try_from(front_bytes).map_err(|_| CorruptData)?;
        Ok(Prefix { whole_bytes, front_bytes, check })
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Front<'a> {
    pub deny_on_error: bool,
    pub case_sensitive: bool,
    /// False if the mode is unknown.
    pub unicode: bool,
    /// None if the policy does not use the kernel's pressure measure.
    pub thresholds: Option<Thresholds>,
    /// Maximum run time of the worker that judges a form or a submit.
    pub deadline_ns: u64,
    /// SHA-256 of the YAML text from which the policy was compiled, in hexadecimal.
    pub digest: &'a str,
    pub contact: &'a str,
    pub help_url: Option<&'a str>,
    /// Relative to the folder of the gate's executable; None if forms and submits are not judged.
    pub worker: Option<&'a str>,
    pub server_id: Option<&'a str>,
    pub depots: Block,
    index: Reader<'a>,
}

impl<'a> Front<'a> {
    /// `bytes` are the file's bytes after the prefix.
    pub fn read(prefix: &Prefix, bytes: &'a [u8]) -> Result<Self, CorruptData> {
        let bytes = bytes.get(..prefix.front_bytes).ok_or(CorruptData)?;
        if checksum(bytes) != prefix.check {
            return Err(CorruptData);
        }
        let mut from = Reader::new(bytes);
        Ok(Front {
            deny_on_error: from.u8()? != 0,
            case_sensitive: from.u8()? != 0,
            unicode: from.u8()? != 0,
            thresholds: thresholds(&mut from)?,
            deadline_ns: from.u64()?,
            digest: from.text()?,
            contact: from.text()?,
            help_url: from.optional_text()?,
            worker: from.optional_text()?,
            server_id: from.optional_text()?,
            depots: Block::read(&mut from)?,
            index: from,
        })
    }

    pub fn commands(
        &self,
    ) -> impl Iterator<Item = Result<(&'a [u8], Command), CorruptData>> + use<'a> {
        let mut index = self.index;
        std::iter::from_fn(move || (!index.is_at_end()).then(|| Command::read(&mut index)))
    }

    /// By its main name; None if no rule covers it.
    pub fn command(&self, name: &[u8]) -> Result<Option<Command>, CorruptData> {
        for entry in self.commands() {
            let (command_name, command) = entry?;
            if command_name == name {
                return Ok(Some(command));
            }
        }
        Ok(None)
    }
}

fn thresholds(from: &mut Reader<'_>) -> Result<Option<Thresholds>, CorruptData> {
    let (is_set, medium, high) = (from.u8()?, from.u8()?, from.u8()?);
    Ok((is_set != 0).then_some(Thresholds { medium, high }))
}
