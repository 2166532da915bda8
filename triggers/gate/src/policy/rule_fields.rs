//! The fields of one rule in `policy.json`: those that rules of all kinds may have, and the settings
//! of its kind. A field that is neither is an error, never a missing limit.

use crate::base::json_text::Text;
use crate::policy::modes::ModeWord;
use crate::policy::selector::Selector;
use serde::Deserialize;
use serde::de::value::{BytesDeserializer, MapAccessDeserializer};
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

#[derive(Deserialize)]
pub struct RuleFields<'a> {
    #[serde(borrow)]
    pub name: Cow<'a, str>,
    #[serde(borrow, rename = "rule")]
    pub kind: Cow<'a, str>,
    pub mode: ModeWord,
    #[serde(borrow, default)]
    pub canary: Option<Vec<Selector<'a>>>,
    /// None for all events.
    #[serde(borrow, default, rename = "for")]
    pub selector: Option<Selector<'a>>,
    #[serde(default)]
    pub baseline: bool,
    /// Last day of the baseline, `YYYY-MM-DD`; None for one without end.
    #[serde(default)]
    pub baseline_until: Option<String>,
    /// One to three lines of the site's own.
    #[serde(default)]
    pub advice: Option<String>,
    /// Whether unusual commands are allowed although the rule is enforced.
    #[serde(default)]
    pub unusual: Option<Allow>,
    /// None only for a rule about forms.
    #[serde(borrow, default)]
    pub commands: Option<Vec<Text<'a>>>,
}

/// The only word.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Allow {
    Allow,
}

/// As in `RuleFields`.
const COMMON: [&str; 10] = [
    "name", "rule", "mode", "canary", "for", "baseline", "baseline_until", "advice", "unusual",
    "commands",
];

impl<'a> RuleFields<'a> {
    pub fn read(rule: &'a str) -> Result<Self, String> {
        serde_json::from_str(rule).map_err(|problem| match name_of(rule) {
            Some(name) => format!("rule {name}: {problem}"),
            None => format!("a rule: {problem}"),
        })
    }

    pub fn problem(&self, problem: &str) -> String {
        format!("rule {}: {problem}", self.name)
    }
}

#[derive(Deserialize)]
struct Named {
    name: Option<String>,
}

pub(super) fn name_of(rule: &str) -> Option<String> {
    let named: Named = serde_json::from_str(rule).ok()?;
    named.name
}

/// The fields of a rule that are not common to all kinds.
pub fn settings<'a, S: Deserialize<'a>>(rule: &'a str) -> Result<S, String> {
    let mut from = serde_json::Deserializer::from_str(rule);
    from.deserialize_map(SettingsVisitor(PhantomData)).map_err(|error| error.to_string())
}

struct SettingsVisitor<S>(PhantomData<S>);

impl<'de, S: Deserialize<'de>> Visitor<'de> for SettingsVisitor<S> {
    type Value = S;

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("a rule")
    }

    fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<S, M::Error> {
        S::deserialize(MapAccessDeserializer::new(OwnFields(map)))
    }
}

struct OwnFields<M>(M);

impl<'de, M: MapAccess<'de>> MapAccess<'de> for OwnFields<M> {
    type Error = M::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, M::Error> {
        while let Some(field) = self.0.next_key::<Text<'de>>()? {
            if !COMMON.iter().any(|common| common.as_bytes() == &*field) {
                return seed.deserialize(BytesDeserializer::new(&field)).map(Some);
            }
            self.0.next_value::<IgnoredAny>()?;
        }
        Ok(None)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, M::Error> {
        self.0.next_value_seed(seed)
    }
}
