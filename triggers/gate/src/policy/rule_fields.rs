//! The fields of one rule in `policy.json`: those that all rules may have, and the settings of its
//! kind. A field that is neither is an error, never a missing limit.

use crate::base::json_text::Text;
use crate::policy::modes::{Canary, ModeWord};
use crate::policy::programs::Programs;
use crate::policy::rates;
use crate::policy::scan_limits::ScanLimits;
use crate::policy::scope::Scope;
use serde::Deserialize;
use serde::de::value::{BytesDeserializer, MapAccessDeserializer};
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, Visitor};
use std::borrow::Cow;
use std::fmt;

/// Kinds of rules about forms and submits.
pub const ABOUT_FORMS: [&str; 7] = [
    "limit_depot_count",
    "limit_path_length",
    "limit_top_directories",
    "limit_view_scope",
    "require_client_options",
    "suggest_client_options",
    "suggest_client_view",
];

pub(super) struct RuleFields<'a> {
    pub name: Cow<'a, str>,
    pub mode: ModeWord,
    pub canary: Option<Canary<'a>>,
    pub advice: Option<String>,
    /// None only for a rule about forms.
    pub commands: Option<Vec<Text<'a>>>,
    pub settings: Settings<'a>,
}

/// Not yet checked.
pub(super) enum Settings<'a> {
    Rate(rates::Document<'a>),
    Scope(Scope<'a>),
    ScanLimits(ScanLimits),
    Program(Programs<'a>),
    OfForms,
}

impl<'a> RuleFields<'a> {
    pub fn read(text: &'a str) -> Result<Self, String> {
        let mut from = serde_json::Deserializer::from_str(text);
        let fields = from.deserialize_map(RuleVisitor(text)).map_err(|error| error.to_string());
        fields.map_err(|problem| format!("{}: {problem}", in_words(text)))
    }
}

/// `rule NAME`, or `a rule` if it has no name.
fn in_words(text: &str) -> String {
    match serde_json::from_str(text) {
        Ok(Named { name: Some(name) }) => format!("rule {name}"),
        _ => "a rule".to_owned(),
    }
}

#[derive(Deserialize)]
struct Named {
    name: Option<String>,
}

#[derive(Deserialize)]
struct OfKind {
    rule: String,
}

/// With the text of the rule.
struct RuleVisitor<'a>(&'a str);

impl<'de> Visitor<'de> for RuleVisitor<'de> {
    type Value = RuleFields<'de>;

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("a rule")
    }

    fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<Self::Value, M::Error> {
        let mut fields = Fields { map, common: Common::default(), setting: None };
        fields.setting = fields.next_setting()?;
        let kind = match fields.common.kind.take() {
            Some(Borrowed(kind)) => kind,
            None => {
                let of_kind: OfKind = serde_json::from_str(self.0).map_err(Error::custom)?;
                of_kind.rule.into()
            }
        };
        let settings = settings(&kind, &mut fields)?;
        let Common { name, mode, canary, advice, commands, .. } = fields.common;
        let name = name.ok_or_else(|| Error::missing_field("name"))?.0;
        let mode = mode.ok_or_else(|| Error::missing_field("mode"))?;
        Ok(RuleFields { name, mode, canary, advice, commands, settings })
    }
}

fn settings<'de, M: MapAccess<'de>>(
    kind: &str,
    fields: &mut Fields<'de, M>,
) -> Result<Settings<'de>, M::Error> {
    let from = MapAccessDeserializer::new(fields);
    match kind {
        "block_client_program" => Programs::deserialize(from).map(Settings::Program),
        "limit_command_rate" => rates::Document::deserialize(from).map(Settings::Rate),
        "limit_command_scope" => Scope::deserialize(from).map(Settings::Scope),
        "limit_scanned_rows" => ScanLimits::deserialize(from).map(Settings::ScanLimits),
        kind if ABOUT_FORMS.contains(&kind) => {
            IgnoredAny::deserialize(from).map(|_| Settings::OfForms)
        }
        kind => {
            let problem = format!("{kind:?} is no kind of rule that this release knows");
            Err(Error::custom(problem))
        }
    }
}

#[derive(Default)]
struct Common<'a> {
    name: Option<Borrowed<'a>>,
    kind: Option<Borrowed<'a>>,
    mode: Option<ModeWord>,
    canary: Option<Canary<'a>>,
    advice: Option<String>,
    commands: Option<Vec<Text<'a>>>,
}

#[derive(Deserialize)]
struct Borrowed<'a>(#[serde(borrow)] Cow<'a, str>);

/// Passes only the settings on; the other fields go to `common`.
struct Fields<'de, M> {
    map: M,
    common: Common<'de>,
    /// Read ahead.
    setting: Option<Text<'de>>,
}

impl<'de, M: MapAccess<'de>> Fields<'de, M> {
    fn next_setting(&mut self) -> Result<Option<Text<'de>>, M::Error> {
        while let Some(field) = self.map.next_key::<Text<'de>>()? {
            if !self.takes(&field)? {
                return Ok(Some(field));
            }
        }
        Ok(None)
    }

    /// False if the field is none that all rules may have.
    fn takes(&mut self, field: &[u8]) -> Result<bool, M::Error> {
        match field {
            b"baseline" | b"baseline_until" => self.map.next_value::<IgnoredAny>().map(drop)?,
            b"name" => self.common.name = Some(self.map.next_value()?),
            b"rule" => self.common.kind = Some(self.map.next_value()?),
            b"mode" => self.common.mode = Some(self.map.next_value()?),
            b"canary" => self.common.canary = self.map.next_value()?,
            b"advice" => self.common.advice = self.map.next_value()?,
            b"commands" => self.common.commands = Some(self.map.next_value()?),
            _ => return Ok(false),
        }
        Ok(true)
    }
}

impl<'de, M: MapAccess<'de>> MapAccess<'de> for &mut Fields<'de, M> {
    type Error = M::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, M::Error> {
        let setting = match self.setting.take() {
            Some(setting) => Some(setting),
            None => self.next_setting()?,
        };
        setting.map(|field| seed.deserialize(BytesDeserializer::new(&field))).transpose()
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, M::Error> {
        self.map.next_value_seed(seed)
    }
}
