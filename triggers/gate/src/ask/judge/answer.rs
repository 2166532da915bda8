//! Formatter of the result of `p4warden-gate judge` for a command.

use crate::base::json::Object;
use crate::base::text::seconds;
use crate::event::command_event::Event;
use crate::home::decision_log;
use crate::judge::command_outcome::{Outcome, Verdict};
use crate::policy::exemptions::Exemption;
use crate::rules::limit_scanned_rows::argument::NO_INDEX;

/// `id` is JSON. `text` is None unless texts were requested, Some(None) for an event not refused.
/// `is_of_another` tells whether the only index is that of another server.
pub(super) fn add_answer(
    object: &mut Object<'_>,
    id: Option<&str>,
    event: &Event<'_>,
    outcome: &Outcome<'_>,
    text: Option<Option<&str>>,
    is_of_another: bool,
) {
    let finding = outcome.decisive_finding(event);
    let finding = finding.as_deref();
    let wait = |verdict| seconds_or_null(outcome.wait_ns().filter(|_| outcome.verdict == verdict));
    let would = outcome.judgements.iter();
    let would = would.filter_map(|judgement| Some((judgement, judgement.observes()?)));
    object.raw("id", id.unwrap_or("null")).text("verdict", outcome.verdict.word());
    object.maybe("rule", outcome.decisive().map(|judgement| judgement.rule));
    object.maybe_number("value", outcome.estimates.first().map(|(_, value)| *value));
    object.maybe("summary", finding.map(|finding| finding.summary));
    object.maybe("detail", finding.map(|finding| finding.detail.as_str()));
    object.maybe("fix", finding.map(|finding| finding.fix.lines().join("\n")).as_deref());
    object.raw("delay_s", &wait(Verdict::Delay)).raw("retry_after_s", &wait(Verdict::Refuse));
    object.maybe("exemption", outcome.exemption.map(Exemption::used_as).as_deref());
    object.raw("form", "null");
    let objecting = outcome.judgements.iter();
    let objecting = objecting.filter_map(|judgement| Some((judgement, judgement.finding(event)?)));
    object.list("findings", objecting, |object, (judgement, finding)| {
        object.text("rule", judgement.rule).text("verdict", judgement.verdict.word());
        object.text("item", &finding.item).text("place", &finding.place);
        object.text("problem", &finding.problem);
        finding.value.add_to(object, "value");
        finding.limit.add_to(object, "limit");
        object.texts("fix", finding.fix.lines());
        decision_log::add_unusual(object, finding.is_unusual);
    });
    object.list("would", would, |object, (judgement, would)| {
        let wait = |verdict| seconds_or_null(judgement.wait_ns().filter(|_| would == verdict));
        object.text("rule", judgement.rule).text("verdict", would.word());
        object.raw("delay_s", &wait(Verdict::Delay)).raw("retry_after_s", &wait(Verdict::Refuse));
    });
    let unknown = outcome.judgements.iter().filter_map(|one| Some((one.rule, one.unknown?)));
    add_unknown(object, unknown, is_of_another);
    if let Some(text) = text {
        // Except line ends, the refusal text in an output line of `judge` contains only displayable
        // characters, so the JSON escapes of `serde_json` suffice.
        let json_text = text.and_then(|text| serde_json::to_string(text).ok());
        object.raw("text", json_text.as_deref().unwrap_or("null"));
    }
}

fn seconds_or_null(ns: Option<u64>) -> String {
    ns.map_or("null".to_owned(), seconds)
}

/// Lists the rules that cannot decide, each with the reason.
pub(super) fn add_unknown<'r>(
    to: &mut Object<'_>,
    rules: impl Iterator<Item = (&'r str, &'static str)>,
    is_of_another: bool,
) {
    to.list("unknown", rules, |object, (rule, why)| {
        let why = if is_of_another && why == NO_INDEX { "index-of-another-server" } else { why };
        object.text("rule", rule).text("why", why);
    });
}
