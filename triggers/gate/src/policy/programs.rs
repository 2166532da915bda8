//! The settings of one rule `block_client_program`.

use crate::base::json_text::Text;
use crate::base::text::printable;
use crate::paths::client_version::Version;
use serde::Deserialize;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Programs<'a> {
    #[serde(borrow)]
    pub programs: Vec<Program<'a>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Program<'a> {
    /// A pattern.
    #[serde(borrow)]
    pub program: Text<'a>,
    /// Lowest version that is allowed; None if every version is blocked.
    #[serde(borrow, default)]
    pub below: Option<Text<'a>>,
    #[serde(borrow, default)]
    pub advice: Option<Text<'a>>,
}

impl Programs<'_> {
    pub fn checked(self) -> Result<Self, String> {
        let versions = self.programs.iter().filter_map(|entry| entry.below.as_ref());
        match versions.into_iter().find(|below| Version::parse(below).is_none()) {
            Some(below) => Err(format!("\"{}\" is not a version", printable(below))),
            None => Ok(self),
        }
    }
}
