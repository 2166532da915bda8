//! Converts a refused command into the text that the user reads in a terminal or in a dialog of a
//! graphical client.
//!
//! Same style as `judge/refusal.py`: one line with the refused item and the reason, the advice, the
//! contact, and a last line for programs. Printable ASCII; user-chosen text is cut.

use crate::base::text::{printable, tenths};
use crate::base::visible::shown;
use crate::event::command_event::Event;
use crate::event::finding::{Finding, Fix};
use crate::policy::compiled::Front;
use crate::rules::narrower_path::how_to_choose;
use crate::rules::outcome::{Judgement, Outcome, Verdict};

/// The refusal text for the user; None for any other outcome.
#[must_use]
pub fn text(front: &Front<'_>, event: &Event<'_>, outcome: &Outcome<'_>) -> Option<String> {
    let judgement = outcome.decisive().filter(|_| outcome.verdict == Verdict::Refuse)?;
    let finding = judgement.finding(event)?;
    Some(refusal(front, event, judgement, &finding, outcome.wait_ns()))
}

/// The refusal text; `wait_ns` is the time until the event would pass, None if it never would.
fn refusal(
    front: &Front<'_>,
    event: &Event<'_>,
    judgement: &Judgement<'_>,
    finding: &Finding,
    wait_ns: Option<u64>,
) -> String {
    let wait = wait_ns.map(tenths);
    let again = wait.as_ref().map(|wait| format!(" Try again in {wait} seconds."));
    let again = again.unwrap_or_default();
    let mut lines = vec![format!("{}.{again}", sentence(event, finding))];
    lines.extend(instead(&finding.fix));
    // The rule's own advice does not apply to a trigger line that broke apart.
    let own = judgement.advice.filter(|_| !event.tampered);
    lines.extend(
        own.iter().flat_map(|text| text.lines()).map(|line| shown(line.as_bytes(), event.unicode)),
    );
    lines.push(format!("Questions: {}", printable(front.contact.as_bytes())));
    lines.extend(front.help_url.map(|url| format!("The policy: {}", printable(url.as_bytes()))));
    let (limit, value, wait) = (&finding.limit, &finding.value, wait.as_deref().unwrap_or("none"));
    let rule = judgement.rule;
    lines.push(format!("p4warden: rule={rule} limit={limit} value={value} retry-after={wait}"));
    lines.join("\n") + "\n"
}

/// The finding as a sentence about the user's own command.
fn sentence(event: &Event<'_>, finding: &Finding) -> String {
    let Finding { place, item, problem, detail, .. } = finding;
    match place.as_str() {
        "There" => detail.clone(),
        "Program" => format!("Your program ({item}) {problem}"),
        place if place.starts_with("Argument ") => {
            format!("{place} of your command {} ({item}) {problem}", event.shown(event.command))
        }
        _ => format!("Your command {detail}"),
    }
}

fn instead(fix: &Fix) -> Vec<String> {
    match fix {
        Fix::Advice(text) => vec![text.clone()],
        Fix::Path(path) => {
            let instead = "Name only the directories you work on, for example:".to_owned();
            [instead, format!("  {path}")].into_iter().chain(how_to_choose(path)).collect()
        }
    }
}

/// The refusal text for the user when p4warden itself failed and the policy sets `on_error: deny`.
#[must_use]
pub fn fault(contact: Option<&str>) -> String {
    let whom = printable(contact.unwrap_or("your Perforce administrators").as_bytes());
    format!(
        "This was refused because p4warden, which checks requests to this server, has failed.\n\
         Nothing is wrong with your request. Please tell {whom}; the cause is in p4warden's log.\n"
    )
}
