//! The allowances in `allowances.json`: for a while an administrator lets one user do an act that a
//! rule refused. `home/allowances.py` writes the file.

use crate::base::json_text::Text;
use crate::policy::exemptions::Exemption;
use serde::Deserialize;

const FORMAT: u64 = 1;

/// The refused act, in the words of the decision log.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Allowance<'a> {
    /// Of the refusal.
    pub id: String,
    /// Seconds since the Unix epoch.
    pub until_s: u64,
    #[serde(borrow)]
    pub user: Text<'a>,
    /// None where nobody can forge the user's name.
    #[serde(borrow, default)]
    pub ip: Option<Text<'a>>,
    /// Of a form.
    #[serde(borrow, default, rename = "type")]
    pub form_type: Option<Text<'a>>,
    #[serde(borrow, default)]
    pub name: Option<Text<'a>>,
    /// Of a submit.
    #[serde(borrow, default)]
    pub change: Option<Text<'a>>,
    #[serde(borrow, default)]
    pub command: Option<Text<'a>>,
    /// From the rule alone.
    #[serde(borrow)]
    pub exemption: Exemption<'a>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document<'a> {
    format: u64,
    #[serde(borrow)]
    allowances: Vec<Allowance<'a>>,
}

/// None for a document of another format, and for one with a damaged allowance. An exemption that
/// depends on more than the rule could apply to no event that the allowance is for.
pub fn allowances(content: &[u8]) -> Option<Vec<Allowance<'_>>> {
    let Document { format, allowances } = serde_json::from_slice(content).ok()?;
    let is_sound = |Allowance { exemption, .. }: &Allowance<'_>| {
        exemption.rules.is_some()
            && exemption.selector.is_none()
            && exemption.until.is_none()
            && exemption.problem().is_none()
    };
    (format == FORMAT && allowances.iter().all(is_sound)).then_some(allowances)
}
