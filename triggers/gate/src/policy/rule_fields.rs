//! The fields of one rule in `policy.json`: those that all rules may have, and the settings of its
//! kind. A field that is neither is an error, never a missing limit.

use crate::base::json_text::Text;
use crate::policy::modes::Canary;
use serde::Deserialize;
use serde::de::value::{BytesDeserializer, MapAccessDeserializer};
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, Visitor};
use std::fmt;
use std::marker::PhantomData;

pub(super) struct RuleFields<'a, S> {
    pub common: Common<'a>,
    pub settings: S,
}

#[derive(Default)]
pub(super) struct Common<'a> {
    /// An error if the rule has none.
    pub mode: Option<ModeWord>,
    pub canary: Option<Canary<'a>>,
    pub advice: Option<String>,
    /// None only for a rule about forms.
    pub commands: Option<Vec<Text<'a>>>,
}

#[derive(Clone, Copy, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(super) enum ModeWord {
    Off,
    Observe,
    Enforce,
}

impl<'de, S: Deserialize<'de>> Deserialize<'de> for RuleFields<'de, S> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_map(RuleVisitor(PhantomData))
    }
}

struct RuleVisitor<S>(PhantomData<S>);

impl<'de, S: Deserialize<'de>> Visitor<'de> for RuleVisitor<S> {
    type Value = RuleFields<'de, S>;

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("a rule")
    }

    fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<Self::Value, M::Error> {
        let mut common = Common::default();
        let settings = OfSettings { map, common: &mut common };
        let settings = S::deserialize(MapAccessDeserializer::new(settings))?;
        if common.mode.is_none() {
            return Err(Error::missing_field("mode"));
        }
        Ok(RuleFields { common, settings })
    }
}

/// Passes only the settings on; the other fields go to `common`.
struct OfSettings<'c, 'de, M> {
    map: M,
    common: &'c mut Common<'de>,
}

impl<'de, M: MapAccess<'de>> OfSettings<'_, 'de, M> {
    /// False if the field is none that all rules may have.
    fn takes(&mut self, field: &[u8]) -> Result<bool, M::Error> {
        match field {
            b"name" | b"rule" | b"baseline" | b"baseline_until" => {
                self.map.next_value::<IgnoredAny>().map(drop)?;
            }
            b"mode" => self.common.mode = Some(self.map.next_value()?),
            b"canary" => self.common.canary = self.map.next_value()?,
            b"advice" => self.common.advice = self.map.next_value()?,
            b"commands" => self.common.commands = Some(self.map.next_value()?),
            _ => return Ok(false),
        }
        Ok(true)
    }
}

impl<'de, M: MapAccess<'de>> MapAccess<'de> for OfSettings<'_, 'de, M> {
    type Error = M::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, M::Error> {
        while let Some(field) = self.map.next_key::<Text<'de>>()? {
            if !self.takes(&field)? {
                return seed.deserialize(BytesDeserializer::new(&field)).map(Some);
            }
        }
        Ok(None)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, M::Error> {
        self.map.next_value_seed(seed)
    }
}
