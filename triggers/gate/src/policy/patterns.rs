//! Lists of name patterns, which stay JSON until a name is compared with them.

use crate::base::json_text::Text;
use serde::Deserialize;
use serde::de::Deserializer;
use serde_json::value::RawValue;
use std::cell::OnceCell;

#[derive(Clone, Debug)]
pub struct Patterns<'a> {
    list: &'a RawValue,
    patterns: OnceCell<Vec<Vec<u8>>>,
}

impl Patterns<'_> {
    /// None if the text is no list of strings; `judge/policy_problems.rs` tells so.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        let patterns = self.patterns.get_or_init(|| self.read().unwrap_or_default());
        patterns.iter().map(Vec::as_slice)
    }

    pub(super) fn read(&self) -> Result<Vec<Vec<u8>>, serde_json::Error> {
        let texts: Vec<Text<'_>> = serde_json::from_str(self.list.get())?;
        Ok(texts.iter().map(|text| text.to_vec()).collect())
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Patterns<'a> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Ok(Patterns { list: Deserialize::deserialize(from)?, patterns: OnceCell::new() })
    }
}
