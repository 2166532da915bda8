//! The running policy, `policy.json`.

use crate::base::fault::Fault;
use crate::home::folder::{Home, POLICY, TrustedFile};
use crate::policy::document::Policy;

#[derive(Debug)]
pub struct PolicyFile {
    open_file: TrustedFile,
    content: Vec<u8>,
}

impl PolicyFile {
    /// A fault if the file is missing or cannot be trusted.
    pub fn open(home: &Home) -> Result<Self, Fault> {
        let open_file = home.open(POLICY)?;
        let content = open_file.content()?;
        Ok(PolicyFile { open_file, content })
    }

    /// A fault if the file is truncated, damaged or of another release.
    pub fn policy(&self) -> Result<Policy<'_>, Fault> {
        Policy::read(&self.content).map_err(|problem| self.fault(&problem))
    }

    #[must_use]
    pub fn fault(&self, problem: &str) -> Fault {
        self.open_file.fault(&format!("it cannot be read: {problem}; run p4warden activate"))
    }
}
