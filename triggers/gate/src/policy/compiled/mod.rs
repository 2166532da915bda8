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
/// Length in bytes of the prefix of `gate.policy`: signature, length of the file, length of the
/// front (the data for every event), checksum of the front.
pub const PREFIX_BYTES: usize = 8 + 8 + 4 + 8;
/// Maximum length in bytes of the front of `gate.policy` (the data for every event); a larger
/// number means that the file is damaged.
const MAX_FRONT_BYTES: u32 = 16 << 20;

/// The prefix of `gate.policy`: the length of the file, the length of the front (the data for every
/// event), and the front's checksum.
#[derive(Clone, Copy, Debug)]
pub struct Prefix {
    /// Length in bytes of the whole file `gate.policy`.
    pub whole_bytes: u64,
    /// Length in bytes of the front of `gate.policy` (the data for every event), without the
    /// prefix.
    pub front_bytes: usize,
    check: u64,
}

impl Prefix {
    /// Parses the prefix of `gate.policy`; `CorruptData` if the file is too short, has another
    /// signature or format, or states a front longer than `MAX_FRONT_BYTES`.
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

/// The front of `gate.policy`: the settings that every event needs, and the index of the commands.
#[derive(Clone, Copy, Debug)]
pub struct Front<'a> {
    /// Whether an event is refused when p4warden itself fails.
    pub deny_on_error: bool,
    /// Whether the server distinguishes upper and lower case in names.
    pub case_sensitive: bool,
    /// Whether the server is known to be in unicode mode; false if the mode is unknown.
    pub unicode: bool,
    /// Thresholds for the kernel's pressure measure; None if the policy does not use this measure.
    pub thresholds: Option<Thresholds>,
    /// Maximum run time in nanoseconds of the worker that judges a form or a submit.
    pub deadline_ns: u64,
    /// SHA-256 of the YAML text from which the policy was compiled, in hexadecimal.
    pub digest: &'a str,
    /// The site's contact for questions about the policy, named in every refusal.
    pub contact: &'a str,
    /// Address of the site's page about the policy, shown in refusals; None if the policy names
    /// none.
    pub help_url: Option<&'a str>,
    /// Path of the script that starts the worker, relative to the folder of the gate's executable;
    /// None if forms and submits are not judged.
    pub worker: Option<&'a str>,
    /// The server's `server.id`; None if unknown.
    pub server_id: Option<&'a str>,
    /// Position in `gate.policy` of the server's depots with their first top directories.
    pub depots: Block,
    index: Reader<'a>,
}

impl<'a> Front<'a> {
    /// Parses the front of `gate.policy` and verifies its checksum; `bytes` are the file's bytes
    /// after the prefix.
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

    /// Iterates over the commands that the policy's rules cover: each command's main name and the
    /// positions of its rules and exemptions.
    pub fn commands(
        &self,
    ) -> impl Iterator<Item = Result<(&'a [u8], Command), CorruptData>> + use<'a> {
        let mut index = self.index;
        std::iter::from_fn(move || (!index.is_at_end()).then(|| Command::read(&mut index)))
    }

    /// Looks up a command, given by its main name, in the index of `gate.policy`; None if no rule
    /// covers it.
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
