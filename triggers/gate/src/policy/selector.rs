//! Selectors: for whom, where and when a rule, an exemption or a canary holds. A selector stays JSON
//! until an event is compared with it.

use crate::base::json_text::Text;
use crate::policy::by_name::ByName;
use crate::policy::hours::Hours;
use serde::Deserialize;
use serde::de::Deserializer;
use serde_json::value::RawValue;
use std::cell::OnceCell;

#[derive(Clone, Debug)]
pub struct Selector<'a> {
    json: &'a RawValue,
    fields: OnceCell<Option<Box<Fields>>>,
}

/// The policy's classes, in the order of its file; selectors have those that they name, so only
/// reports need these.
pub type Classes<'a> = ByName<Selector<'a>>;

/// All that are set must match, of each list one entry.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fields {
    /// Patterns of names, as in the next three.
    #[serde(default, deserialize_with = "bytes")]
    pub users: Option<Names>,
    #[serde(default, deserialize_with = "bytes")]
    pub groups: Option<Names>,
    #[serde(default, deserialize_with = "bytes")]
    pub clients: Option<Names>,
    #[serde(default, deserialize_with = "bytes")]
    pub programs: Option<Names>,
    /// Addresses, patterns of them, or networks such as `10.1.0.0/16`.
    #[serde(default, deserialize_with = "bytes")]
    pub ips: Option<Names>,
    /// Patterns of the server's identifier or of its services.
    #[serde(default, deserialize_with = "bytes")]
    pub servers: Option<Names>,
    #[serde(default)]
    pub hours: Option<Vec<Hours>>,
    /// With the selector that each name stands for.
    #[serde(default)]
    pub classes: Option<ByName<Fields>>,
    #[serde(default)]
    pub not: Option<Box<Fields>>,
}

pub type Names = Vec<Vec<u8>>;

fn bytes<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Names>, D::Error> {
    let texts: Option<Vec<Text<'de>>> = Deserialize::deserialize(from)?;
    Ok(texts.map(|texts| texts.iter().map(|text| text.to_vec()).collect()))
}

impl Selector<'_> {
    /// None if the JSON is no selector; `judge/policy_problems.rs` tells so.
    pub fn fields(&self) -> Option<&Fields> {
        self.fields.get_or_init(|| self.read().ok().map(Box::new)).as_deref()
    }

    pub fn problem(&self) -> Option<serde_json::Error> {
        self.read().err()
    }

    fn read(&self) -> Result<Fields, serde_json::Error> {
        serde_json::from_str(self.json.get())
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Selector<'a> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Ok(Selector { json: Deserialize::deserialize(from)?, fields: OnceCell::new() })
    }
}
