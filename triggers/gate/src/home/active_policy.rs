//! Reads only the parts of `gate.policy` that one event needs.

use crate::base::bytes::CorruptData;
use crate::base::fault::Fault;
use crate::home::folder::{Home, POLICY, TrustedFile};
use crate::policy::compiled::{Block, Command, Front, PREFIX_BYTES, Prefix};

/// Enough for the front of most policies.
const FIRST_BYTES: u64 = 4096;

#[derive(Debug)]
pub struct ActivePolicy {
    open_file: TrustedFile,
    prefix: Prefix,
    first: Vec<u8>,
}

#[derive(Debug)]
pub struct Blocks {
    pub rules: Vec<u8>,
    pub exemptions: Vec<u8>,
}

impl ActivePolicy {
    /// A fault if the file is missing, cannot be trusted, has another length than it states, or is
    /// damaged at its start.
    pub fn open(home: &Home) -> Result<Self, Fault> {
        let open_file = home.open(POLICY)?;
        let mut first = read(&open_file, 0, open_file.bytes.min(FIRST_BYTES))?;
        let prefix = Prefix::read(&first).map_err(|CorruptData| corrupt(&open_file))?;
        if prefix.whole_bytes != open_file.bytes {
            return Err(corrupt(&open_file));
        }
        let front_end = (PREFIX_BYTES + prefix.front_bytes) as u64;
        if front_end > first.len() as u64 {
            first = read(&open_file, 0, front_end.min(open_file.bytes))?;
        }
        Ok(ActivePolicy { open_file, prefix, first })
    }

    pub fn front(&self) -> Result<Front<'_>, Fault> {
        let after = self.first.get(PREFIX_BYTES..).unwrap_or_default();
        Front::read(&self.prefix, after).map_err(|CorruptData| corrupt(&self.open_file))
    }

    pub fn blocks(&self, command: &Command) -> Result<Blocks, Fault> {
        let (rules, exemptions) = (self.block(&command.rules)?, self.block(&command.exemptions)?);
        Ok(Blocks { rules, exemptions })
    }

    /// The bytes are those that `Depots::read` takes.
    pub fn depots(&self, front: &Front<'_>) -> Result<Vec<u8>, Fault> {
        self.block(&front.depots)
    }

    #[must_use]
    pub fn corrupt(&self) -> Fault {
        corrupt(&self.open_file)
    }

    fn block(&self, block: &Block) -> Result<Vec<u8>, Fault> {
        if u64::from(block.bytes) > self.open_file.bytes {
            return Err(self.corrupt());
        }
        let bytes = read(&self.open_file, block.offset, block.bytes.into())?;
        block.check(&bytes).map_err(|CorruptData| self.corrupt())?;
        Ok(bytes)
    }
}

fn read(open_file: &TrustedFile, offset: u64, length: u64) -> Result<Vec<u8>, Fault> {
    let mut bytes = vec![0; usize::try_from(length).unwrap_or(0)];
    open_file.read(&mut bytes, offset)?;
    Ok(bytes)
}

fn corrupt(open_file: &TrustedFile) -> Fault {
    let text = "is truncated, damaged or of another release; run p4warden activate";
    open_file.fault(&std::io::Error::other(text))
}
