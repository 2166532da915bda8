//! Parser of the settings of a rule `limit_command_rate` in `policy.json`.

use super::MAX_ENTRIES;
use crate::policy::pressure::Level;
use crate::rate::gcra::Rate;
use crate::rate::limits;
use serde::Deserialize;
use serde_json::Value;

#[derive(Debug)]
pub struct Rates {
    /// A request must conform to all that apply at the server's load level.
    pub limits: Vec<Limit>,
    /// 0 if the rule refuses requests beyond a limit immediately.
    pub max_delay_ns: u64,
    /// The records that the limits count; None if they count commands.
    pub weight: Option<Weight>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Weight {
    pub unit: Unit,
    /// The number of records that a command without an estimate counts as.
    pub unknown_as: u64,
}

/// A command counts with the records that it reads, whichever of the two they are.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    Files,
    Revisions,
}

#[derive(Debug)]
pub struct Limit {
    pub per: Vec<Part>,
    /// Short notation, such as `50/s` also where the policy has `50 per 1s`.
    pub allow: String,
    /// Maximum number of requests in quick succession after a pause.
    pub burst: u64,
    pub rate: Rate,
    /// Lowest load level at which the limit applies.
    pub min_level: Level,
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Part {
    User,
    Client,
    Ip,
    Program,
    /// The question that the command asks, however it is spelled.
    Args,
    /// The command's name, the letters of its options, and the kinds of its paths.
    Shape,
}

#[derive(Deserialize)]
struct Document {
    limits: Vec<LimitDocument>,
    #[serde(default)]
    action: Action,
    #[serde(default)]
    max_delay: Option<String>,
    #[serde(default)]
    weight: Option<Unit>,
    #[serde(default)]
    unknown_as: Option<u64>,
}

#[derive(Deserialize)]
struct LimitDocument {
    per: Vec<Part>,
    allow: String,
    #[serde(default)]
    burst: Option<u64>,
    #[serde(default)]
    when_pressure: Option<Level>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Action {
    #[default]
    Refuse,
    Delay,
}

pub(super) fn read(settings: Value) -> Result<Rates, String> {
    let document: Document = serde_json::from_value(settings).map_err(|error| error.to_string())?;
    if document.limits.len() > MAX_ENTRIES {
        return Err(format!("it has over {MAX_ENTRIES} limits"));
    }
    let weight = weight(document.weight, document.unknown_as)?;
    let limit = |document| limit(document, weight.is_some());
    let limits = document.limits.into_iter().map(limit).collect::<Result<_, _>>()?;
    let max_delay_ns = max_delay_ns(&document.action, document.max_delay.as_deref())
        .ok_or("delay needs a max_delay such as 2s")?;
    Ok(Rates { limits, max_delay_ns, weight })
}

fn weight(unit: Option<Unit>, unknown_as: Option<u64>) -> Result<Option<Weight>, String> {
    match (unit, unknown_as) {
        (None, None) => Ok(None),
        (Some(unit), Some(unknown_as)) => Ok(Some(Weight { unit, unknown_as })),
        (Some(_), None) => Err("weight needs unknown_as, a number of records".to_owned()),
        (None, Some(_)) => Err("unknown_as needs a weight".to_owned()),
    }
}

fn max_delay_ns(action: &Action, max_delay: Option<&str>) -> Option<u64> {
    match action {
        Action::Refuse => Some(0),
        Action::Delay => max_delay.and_then(limits::duration_ns),
    }
}

fn limit(document: LimitDocument, is_of_records: bool) -> Result<Limit, String> {
    let allowed = || limits::count(&document.allow).filter(|_| is_of_records);
    let burst = document.burst.or_else(allowed).unwrap_or(1);
    let rate = limits::rate(&document.allow, burst)
        .ok_or_else(|| format!("{:?} with burst {burst} is not a rate", document.allow))?;
    Ok(Limit {
        per: document.per,
        allow: limits::notation(&document.allow),
        burst,
        rate,
        min_level: document.when_pressure.unwrap_or(Level::Low),
    })
}
