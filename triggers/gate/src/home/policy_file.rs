//! The running policy, `policy.json`.

use crate::base::fault::Fault;
use crate::base::sums::without_sums;
use crate::home::folder::{Home, POLICY, TrustedFile};
use crate::policy::document::Policy;

#[derive(Debug)]
pub struct PolicyFile {
    open_file: TrustedFile,
    content: Result<Vec<u8>, String>,
}

impl PolicyFile {
    /// A fault if the file is missing or cannot be trusted.
    pub fn open(home: &Home) -> Result<Self, Fault> {
        let open_file = home.open(POLICY)?;
        let content = without_sums(open_file.content()?);
        Ok(PolicyFile { open_file, content })
    }

    /// A fault if the file is truncated, damaged or of another release.
    pub fn policy(&self) -> Result<Policy<'_>, Fault> {
        let content = self.content.as_ref().map_err(|problem| self.fault(problem))?;
        Policy::read(content).map_err(|problem| self.fault(&problem))
    }

    pub fn fault(&self, problem: &str) -> Fault {
        self.open_file.fault(&format!("it cannot be read: {problem}; run p4warden activate"))
    }
}
