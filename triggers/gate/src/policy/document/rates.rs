//! Parser of the settings of a rule `limit_command_rate` in `policy.json`.

use super::MAX_ENTRIES;
use crate::policy::pressure::Level;
use crate::rate::gcra::Rate;
use crate::rate::limits;
use serde::Deserialize;
use serde_json::Value;

/// The rate limits and the delay of one rule `limit_command_rate`.
#[derive(Debug)]
pub struct Rates {
    /// The limits of one rule `limit_command_rate`; a request must conform to all that apply at the
    /// server's load level.
    pub limits: Vec<Limit>,
    /// Maximum time in nanoseconds by which the rule delays a request that exceeds a limit; 0 if
    /// the rule refuses such requests immediately.
    pub max_delay_ns: u64,
    /// The records that the limits count; None if they count commands.
    pub weight: Option<Weight>,
}

/// The records that a command uses up of a limit, in place of counting as one command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Weight {
    /// The policy's name of the records.
    pub unit: Unit,
    /// The number of records that a command without an estimate counts as.
    pub unknown_as: u64,
}

/// The policy's name of the records that a budget counts. A command counts with the records that it
/// reads, whichever of the two they are.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    /// Files.
    Files,
    /// Revisions.
    Revisions,
}

/// One limit of a rule `limit_command_rate`: a rate and the parts of a request that it counts by.
#[derive(Debug)]
pub struct Limit {
    /// The parts of a request, such as user and client, by which the limit counts separately.
    pub per: Vec<Part>,
    /// The rate of the limit in short notation, such as `50/s` also where the policy has `50 per
    /// 1s`.
    pub allow: String,
    /// Maximum number of requests in quick succession that a rate limit allows after a pause.
    pub burst: u64,
    /// The interval between requests and the tolerance for bursts, in nanoseconds, computed from
    /// the policy's `allow` and `burst`.
    pub rate: Rate,
    /// Lowest load level of the server at which the rate limit applies; `Low` if it always applies.
    pub min_level: Level,
}

/// A part of a request by which a rate limit can count separately.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Part {
    /// The user who sends the request; a limit with this part counts separately for each user.
    User,
    /// The client that the request uses; a limit with this part counts separately for each client.
    Client,
    /// The IP address that the request comes from; a limit with this part counts separately for
    /// each address.
    Ip,
    /// The client program that sends the request; a limit with this part counts separately for each
    /// program.
    Program,
    /// The question that the command asks, however it is spelled; a limit with this part counts
    /// separately for each question.
    Args,
    /// The shape of the command (its name, the letters of its options, and the kinds of its paths);
    /// a limit with this part counts separately for each shape.
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

/// Parses the settings of a rule `limit_command_rate` in `policy.json`; the error describes the
/// invalid setting.
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
