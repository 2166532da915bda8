//! The settings of `limit_command_rate`.

use super::MAX_ENTRIES;
use crate::policy::pressure::Level;
use crate::rate::gcra::Rate;
use crate::rate::limits;
use serde::Deserialize;
use serde_json::Value;

/// Settings of a rule `limit_command_rate`.
#[derive(Debug)]
pub struct Rates {
    /// The limits that must all conform.
    pub limits: Vec<Limit>,
    /// For how long a request may be made to wait; 0 where it is refused at once.
    pub max_delay_ns: u64,
}

/// One of the limits of a rule.
#[derive(Debug)]
pub struct Limit {
    /// The parts that tell requests apart.
    pub per: Vec<Part>,
    /// The rate in words: `50/s`.
    pub allow: String,
    /// How many may come at once after a pause.
    pub burst: u64,
    /// The rate that `allow` and the burst mean.
    pub rate: Rate,
    /// From which pressure on it is a limit at all.
    pub when: Level,
}

/// A part of a request that a limit may be kept by.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Part {
    /// The user's name.
    User,
    /// The client's name.
    Client,
    /// The address the command comes from.
    Ip,
    /// The program's name.
    Program,
    /// The text of the command's arguments.
    Args,
    /// The command and its words without the files' names.
    Shape,
}

#[derive(Deserialize)]
struct Document {
    limits: Vec<LimitDocument>,
    #[serde(default)]
    action: Action,
    #[serde(default)]
    max_delay: Option<String>,
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

/// Reads the settings; the error names their fault.
pub(super) fn read(settings: Value) -> Result<Rates, String> {
    let document: Document = serde_json::from_value(settings).map_err(|error| error.to_string())?;
    if document.limits.len() > MAX_ENTRIES {
        return Err(format!("it has over {MAX_ENTRIES} limits"));
    }
    let limits = document.limits.into_iter().map(limit).collect::<Result<_, _>>()?;
    let max_delay_ns = max_delay_ns(&document.action, document.max_delay.as_deref())
        .ok_or("delay needs a max_delay such as 2s")?;
    Ok(Rates { limits, max_delay_ns })
}

fn max_delay_ns(action: &Action, max_delay: Option<&str>) -> Option<u64> {
    match action {
        Action::Refuse => Some(0),
        Action::Delay => max_delay.and_then(limits::duration_ns),
    }
}

fn limit(document: LimitDocument) -> Result<Limit, String> {
    let burst = document.burst.unwrap_or(1);
    let rate = limits::rate(&document.allow, burst)
        .ok_or_else(|| format!("{:?} with burst {burst} is no rate", document.allow))?;
    Ok(Limit {
        per: document.per,
        allow: limits::notation(&document.allow),
        burst,
        rate,
        when: document.when_pressure.unwrap_or(Level::Low),
    })
}
