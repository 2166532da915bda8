//! A command comes more often than the policy allows.

use super::{Attempt, Found, Objection};
use crate::event::Event;
use crate::finding::{Amount, Finding, Fix};
use crate::flat::{self, Limit};
use crate::policy::Part;
use crate::pressure::Level;
use crate::rate_store::RateStore;
use crate::text::cut;

const SUMMARY: &str = "a command comes more often than the policy allows";

/// Tries all the limits of a rule together.
pub fn find<'p, R: RateStore>(
    settings: &flat::Rates<'p>,
    event: &Event<'_>,
    attempt: &mut Attempt<'_>,
    rates: &mut R,
) -> Result<Found<'p>, R::Fault> {
    let (mut found, mut worst) = (Found::default(), None::<Over<'_>>);
    let now_ns = attempt.now_ns;
    for limit in settings.limits() {
        if event.pressure.is_some_and(|pressure| pressure < limit.when) {
            continue;
        }
        let known = event.pressure.is_some() || limit.when == Level::Low;
        let Some(key) = attempt.keys.under(&limit).filter(|_| known) else {
            found.unknown = true;
            continue;
        };
        let horizon_ns = limit.rate.horizon_ns(settings.max_delay_ns, now_ns);
        let kept_ns = rates.kept_ns(key, horizon_ns, now_ns)?;
        attempt.places.push((key, limit.rate.taken_ns(kept_ns, now_ns)));
        let wait_ns = limit.rate.wait_ns(kept_ns, now_ns);
        if wait_ns > worst.map_or(0, |worst| worst.wait_ns) {
            let counted = limit.rate.counted(kept_ns, now_ns);
            worst = Some(Over { limit, counted, wait_ns });
        }
    }
    found.objection = worst.map(Objection::Rate);
    Ok(found)
}

/// A limit that a request goes beyond.
#[derive(Clone, Copy, Debug)]
pub struct Over<'l> {
    limit: Limit<'l>,
    /// How many requests count, this one included.
    counted: u64,
    pub(super) wait_ns: u64,
}

impl Over<'_> {
    pub(super) fn finding(&self, event: &Event<'_>) -> Finding {
        let what = self.what();
        Finding {
            summary: SUMMARY,
            item: cut(event.command),
            place: "Command".to_owned(),
            detail: what.clone(),
            what,
            value: Amount::Number(self.counted),
            limit: Amount::Text(self.limit.short()),
            fix: Fix::Advice(self.advice().to_owned()),
            wait_ns: Some(self.wait_ns),
        }
    }

    fn what(&self) -> String {
        let Limit { burst, when, .. } = self.limit;
        let allow = self.limit.allow();
        let whom: Vec<_> = self.limit.parts.iter().map(word).collect();
        let whom = if whom.is_empty() { "all together".to_owned() } else { per_each(&whom) };
        let pressure = match when {
            Level::Low => String::new(),
            level => format!(" while the server is under {} pressure", level.word()),
        };
        let counted = self.counted;
        format!(
            "request {counted} where {burst} at once and then {allow} are allowed {whom}{pressure}"
        )
    }

    /// What to do, by what the limit is kept by.
    fn advice(&self) -> &'static str {
        let parts: Vec<_> = self.limit.parts.iter().collect();
        if parts.contains(&Part::Args) {
            "The same question was asked again and again: keep the answer, or wait; another \
             question is not held back by this."
        } else if parts.contains(&Part::Shape) {
            "One question was cut into many: ask once, with a wider path or a list of files \
             (p4 -x FILE fstat)."
        } else {
            "Ask less often; in P4V, raise the refresh interval in its preferences."
        }
    }
}

fn per_each(words: &[&str]) -> String {
    match words.split_last() {
        Some((last, [])) => format!("for each {last}"),
        Some((last, others)) => format!("for each {} and {last}", others.join(", ")),
        None => String::new(),
    }
}

fn word(part: Part) -> &'static str {
    match part {
        Part::User => "user",
        Part::Client => "client",
        Part::Ip => "address",
        Part::Program => "program",
        Part::Args => "argument text",
        Part::Shape => "kind of question",
    }
}
