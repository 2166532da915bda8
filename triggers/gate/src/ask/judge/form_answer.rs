//! Formatter of the result of `p4warden-gate judge` for a form or a submit.

use super::answer::add_unknown;
use crate::base::json::{Object, quote_bytes};
use crate::contract::form_finding::FormFinding;
use crate::judge::form_outcome::{FormJudgement, FormOutcome, fix_lines};
use crate::judge::form_refusal::detail;
use crate::policy::exemptions::Exemption;

/// `id` is JSON. `value` is the number of files that the form's view spans, if a rule limits it.
/// `text` is None unless texts were requested, Some(None) for an event not refused.
/// `is_of_another` as in `add_answer`.
pub(super) fn add_form_answer(
    object: &mut Object<'_>,
    id: Option<&str>,
    outcome: &FormOutcome<'_>,
    value: Option<u64>,
    text: Option<Option<&str>>,
    is_of_another: bool,
) {
    let decisive = outcome.decisive();
    let findings = decisive.map(|judgement| judgement.findings.as_slice()).unwrap_or_default();
    let fix = fix_lines(findings).join("\n");
    object.raw("id", id.unwrap_or("null")).text("verdict", outcome.verdict.word());
    object.maybe("rule", decisive.map(|judgement| judgement.rule().name.as_str()));
    object.maybe_number("value", value);
    object.maybe("summary", decisive.map(|judgement| judgement.summary));
    object.maybe("detail", findings.first().map(detail).as_deref());
    object.maybe("fix", Some(fix.as_str()).filter(|fix| !fix.is_empty()));
    object.raw("delay_s", "null").raw("retry_after_s", "null");
    object.maybe("exemption", outcome.exemption().map(Exemption::used_as).as_deref());
    object.raw("form", &outcome.form().map_or("null".to_owned(), quoted));
    add_judgements(object, &outcome.judgements);
    let unknown = outcome.judgements.iter();
    let unknown = unknown.filter_map(|one| Some((one.rule().name.as_str(), one.unknown?)));
    add_unknown(object, unknown, is_of_another);
    if let Some(text) = text {
        object.maybe("text", text);
    }
}

fn add_judgements(object: &mut Object<'_>, judgements: &[FormJudgement<'_>]) {
    let findings = judgements.iter().flat_map(|one| one.findings.iter().map(move |it| (one, it)));
    object.list("findings", findings, |object, (judgement, finding)| {
        object.text("rule", &judgement.rule().name).text("verdict", judgement.verdict.word());
        add_finding(object, finding);
    });
    let would = judgements.iter().filter(|judgement| judgement.would_refuse());
    object.list("would", would, |object, judgement| {
        object.text("rule", &judgement.rule().name).text("verdict", "refuse");
        object.raw("delay_s", "null").raw("retry_after_s", "null");
    });
}

fn add_finding(object: &mut Object<'_>, finding: &FormFinding<'_>) {
    let number = |number: Option<i64>| number.map_or("null".to_owned(), |n| n.to_string());
    object.raw("item", &quoted(&finding.item)).text("place", &finding.place);
    object.text("problem", &finding.problem).raw("value", &number(finding.value));
    object.raw("limit", &number(finding.limit)).texts("fix", &finding.fix);
    object.number("more", finding.further.len() as u64);
}

fn quoted(text: &[u8]) -> String {
    let mut json = String::new();
    quote_bytes(&mut json, text);
    json
}
