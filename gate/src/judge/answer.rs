//! An outcome as one line of JSON.

use crate::event::Event;
use crate::json::Object;
use crate::outcome::{Outcome, Verdict};
use crate::refusal::{SUMMARY, advice, detail};
use crate::text::seconds;
use std::borrow::Cow;

/// Adds the answer to an event; `id` is the event's own name, as JSON, and `text` what the user
/// reads, if that is asked for.
pub(super) fn answer(
    to: &mut String,
    id: Option<&str>,
    event: &Event<'_>,
    outcome: &Outcome<'_>,
    text: Option<Option<&str>>,
) {
    let decisive = outcome.decisive();
    let over = decisive.and_then(|judgement| judgement.over);
    let wait = |verdict| (outcome.verdict == verdict).then(|| seconds(outcome.wait_ns()));
    let wait = |verdict| wait(verdict).map_or(Cow::Borrowed("null"), Cow::Owned);
    let mut object = Object::new(to);
    object.raw("id", id.unwrap_or("null")).text("verdict", outcome.verdict.word());
    object.maybe("rule", decisive.map(|judgement| judgement.rule));
    object.maybe("summary", over.map(|_| SUMMARY));
    object.maybe("detail", over.map(|over| detail(&over)).as_deref());
    object.maybe("fix", over.map(|over| advice(&over)));
    object.raw("delay_s", &wait(Verdict::Delay)).raw("retry_after_s", &wait(Verdict::Refuse));
    object.maybe("exemption", exemption(outcome).as_deref()).raw("form", "null");
    let objecting =
        outcome.judgements.iter().filter_map(|judgement| Some((judgement, judgement.over?)));
    object.list("findings", objecting, |object, (judgement, over)| {
        object.text("rule", judgement.rule).text("verdict", judgement.verdict.word());
        object.chosen("item", Some(event.command)).text("place", "Command");
        object.text("what", &detail(&over)).number("value", over.counted);
        object.text("limit", &over.limit.short()).texts("fix", &[advice(&over)]);
    });
    if let Some(text) = text {
        object.maybe("text", text);
    }
    object.finish();
}

/// What let the event pass, in the words of `engine.py`.
fn exemption(outcome: &Outcome<'_>) -> Option<String> {
    let exemption = outcome.exemption()?;
    let [reason, owner] = [exemption.reason, exemption.owner].map(String::from_utf8_lossy);
    Some(format!("{reason} (owner: {owner})"))
}
