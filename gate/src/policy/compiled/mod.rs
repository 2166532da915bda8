//! The policy in the form the gate reads fastest, private to this crate (`gate.policy`).
//!
//! A front with what every event needs and an index of the commands; then, for each command, its
//! rules and the exemptions that concern them. A decision reads the front and its own command's
//! two blocks, so that a hundred rules for other commands cost nothing. Every part has a checksum
//! and the front knows the whole length: a file cut short is a fault, not a shorter policy.

mod depots;
mod encode;
mod exemptions;
mod index;
mod modes;
mod parts;
mod programs;
mod rates;
mod rules;
mod scanned;
mod scope;

pub use depots::Depots;
pub use encode::{Extras, encode};
pub use exemptions::{Exemption, Patterns};
pub use index::{Block, Command};
pub use modes::{Canary, Mode};
pub use parts::Parts;
pub use programs::{Program, Programs};
pub use rates::{Limit, Rates};
pub use rules::{Kind, Rule, Rules};
pub use scanned::Scanned;
pub use scope::Scope;

use crate::base::bytes::{Corrupt, Reader, checksum};
use crate::policy::pressure::Thresholds;

/// The last byte is the format. Once one is released, the next gets another file name as well: an
/// upgrade writes the new version's file while the old version runs by its own.
const MAGIC: [u8; 8] = *b"p4wgate\x07";
/// Magic, whole length, length of the front, checksum of the front.
pub const PREFIX_BYTES: usize = 8 + 8 + 4 + 8;
/// No policy comes near; a number beyond it is noise.
const MAX_FRONT_BYTES: u32 = 16 << 20;

/// How long the file and its front are, and what the front's checksum must be.
#[derive(Clone, Copy, Debug)]
pub struct Prefix {
    /// The file's length.
    pub whole_bytes: u64,
    /// The front's length, without the prefix.
    pub front_bytes: usize,
    check: u64,
}

impl Prefix {
    /// Reads the first bytes of the file.
    pub fn read(bytes: &[u8]) -> Result<Self, Corrupt> {
        let mut from = Reader::new(bytes);
        if from.array()? != MAGIC {
            return Err(Corrupt);
        }
        let (whole_bytes, front_bytes, check) = (from.u64()?, from.u32()?, from.u64()?);
        let front_bytes = (front_bytes <= MAX_FRONT_BYTES).then_some(front_bytes).ok_or(Corrupt)?;
        let front_bytes = usize::try_from(front_bytes).map_err(|_| Corrupt)?;
        Ok(Prefix { whole_bytes, front_bytes, check })
    }
}

/// The part of the policy that every event needs.
#[derive(Clone, Copy, Debug)]
pub struct Front<'a> {
    /// Whether a fault of our own refuses.
    pub deny_on_error: bool,
    /// Whether the server tells `A` from `a`.
    pub case_sensitive: bool,
    /// When the kernel's own measure counts as pressure.
    pub thresholds: Option<Thresholds>,
    /// How long a worker may take.
    pub deadline_ns: u64,
    /// SHA-256 of the policy's YAML, in hex.
    pub digest: &'a str,
    /// The contact that a refusal names for questions.
    pub contact: &'a str,
    /// A page about the policy.
    pub help_url: Option<&'a str>,
    /// The script that starts the worker, as a path from the folder of the gate.
    pub worker: Option<&'a str>,
    /// The server's `server.id`, where it is known.
    pub server_id: Option<&'a str>,
    /// Where the names of the server's depots are.
    pub depots: Block,
    index: Reader<'a>,
}

impl<'a> Front<'a> {
    /// Reads the front; `bytes` starts after the prefix.
    pub fn read(prefix: &Prefix, bytes: &'a [u8]) -> Result<Self, Corrupt> {
        let bytes = bytes.get(..prefix.front_bytes).ok_or(Corrupt)?;
        if checksum(bytes) != prefix.check {
            return Err(Corrupt);
        }
        let mut from = Reader::new(bytes);
        Ok(Front {
            deny_on_error: from.u8()? != 0,
            case_sensitive: from.u8()? != 0,
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

    /// The commands that rules are about, with their names.
    pub fn commands(&self) -> impl Iterator<Item = Result<(&'a [u8], Command), Corrupt>> + use<'a> {
        let mut index = self.index;
        std::iter::from_fn(move || (!index.is_at_end()).then(|| Command::read(&mut index)))
    }

    /// Finds a command, named without `user-`.
    pub fn command(&self, name: &[u8]) -> Result<Option<Command>, Corrupt> {
        for entry in self.commands() {
            let (known, command) = entry?;
            if known == name {
                return Ok(Some(command));
            }
        }
        Ok(None)
    }
}

fn thresholds(from: &mut Reader<'_>) -> Result<Option<Thresholds>, Corrupt> {
    let (known, medium, high) = (from.u8()?, from.u8()?, from.u8()?);
    Ok((known != 0).then_some(Thresholds { medium, high }))
}
