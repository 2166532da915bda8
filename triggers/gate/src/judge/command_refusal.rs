//! Text of a refused command for the user, who reads it in a terminal or in a dialog of a graphical
//! client.
//!
//! Same style as `judge/form_refusal.rs`: one line with the refused item and the reason, then examples,
//! advice and the contact, and a last line for programs. User-chosen text is cut if it is long; it
//! is printable ASCII, or visible characters on a server in unicode mode.

use crate::base::text::{CUT, printable, tenths, wait_in_words};
use crate::base::visible::{cut_to, visible_text};
use crate::contract::finding::{Finding, Fix};
use crate::event::command_event::Event;
use crate::event::known_offender::known_offender;
use crate::event::selector::end_in_words;
use crate::judge::command_outcome::{Outcome, Verdict};
use crate::paths::client_version::bare_name;
use crate::policy::document::Policy;
use crate::policy::selector::Selector;
use crate::proposals::choice::sentences_for_arguments;

/// Maximum length of a refusal text in bytes. Examples are left out first, then advice is cut; the
/// sentence, the contact and the line for programs are never cut.
pub const MAX_TEXT_BYTES: usize = 2048;

const NOT_TYPED: &str = "If a program sent this for you, show this text to whoever set it up.";

/// The refusal text for the user; None if the outcome is not a refusal.
pub fn text(policy: &Policy<'_>, event: &Event<'_>, outcome: &Outcome<'_>) -> Option<String> {
    let judgement = outcome.decisive().filter(|_| outcome.verdict == Verdict::Refuse)?;
    let finding = judgement.finding(event)?;
    let (rule, own) = (judgement.rule, (judgement.advice, judgement.selector));
    Some(text_of(policy, event, rule, own, &finding, outcome.wait_ns()))
}

/// The refusal of one rule; `own` is the site's advice for the rule, and its selector. `wait_ns` is
/// the time in nanoseconds until the event would be allowed, None if it never would.
pub fn text_of(
    policy: &Policy<'_>,
    event: &Event<'_>,
    rule: &str,
    (own, selector): (Option<&str>, Option<&Selector<'_>>),
    finding: &Finding,
    wait_ns: Option<u64>,
) -> String {
    let again = wait_ns.map(|ns| format!(" Try again in {}.", wait_in_words(ns)));
    let again = again.unwrap_or_default();
    let first = vec![format!("{}.{again}", sentence(event, finding))];
    let (examples, mut advice) = remedy(&finding.fix);
    advice.extend(known_offender(event).map(|one| format!("{} {}", one.cause, one.remedy)));
    advice.extend(is_sent_by_a_program(event, finding).then(|| NOT_TYPED.to_owned()));
    // The site's advice for the rule is left out for a trigger line that a user-chosen value broke
    // apart, because it does not apply there.
    let own = own.filter(|_| !event.is_tampered).unwrap_or_default();
    advice.extend(own.lines().map(|line| visible_text(line.as_bytes(), event.unicode)));
    let end = selector.and_then(|selector| end_in_words(selector, &event.sender()));
    advice.extend(end.map(|end| ends_on(&end)));
    let mut last = contact_lines(&policy.contact, policy.help_url.as_deref(), event.unicode);
    let (limit, value) = (finding.limit.text(), finding.value.text());
    let id = event.refused().map(|refused| refused.id(rule));
    last.push(machine_line(rule, limit, value, wait_ns.map(tenths), id));
    let room_bytes = MAX_TEXT_BYTES.saturating_sub(size(&first) + size(&last));
    let fits = size(&examples) + size(&advice) <= room_bytes;
    let examples = if fits { examples } else { Vec::new() };
    shorten(&mut advice, room_bytes);
    [first, examples, advice, last].concat().join("\n") + "\n"
}

/// The last line, for programs, with the fields that have a value. `retry_after` is in seconds.
pub fn machine_line(
    rule: &str,
    limit: Option<String>,
    value: Option<String>,
    retry_after: Option<String>,
    id: Option<String>,
) -> String {
    let fields = [("limit", limit), ("value", value), ("retry-after", retry_after), ("id", id)];
    let fields = fields.into_iter().filter_map(|(name, value)| Some(format!(" {name}={}", value?)));
    format!("p4warden: rule={rule}{}", fields.collect::<String>())
}

/// `end` is when the rule ends for the sender, in words.
pub fn ends_on(end: &str) -> String {
    format!("This rule ends for you on {end}.")
}

/// Where to ask, and the policy's page.
pub fn contact_lines(contact: &str, help_url: Option<&str>, unicode: bool) -> Vec<String> {
    let mut lines = vec![format!("Questions: {}", visible_text(contact.as_bytes(), unicode))];
    lines.extend(help_url.map(|url| format!("The policy: {}", printable(url.as_bytes()))));
    lines
}

/// Cuts the longest lines of a refusal's advice, the last of equal ones first, until all of them
/// fit in `room_bytes` or none can be cut further.
pub fn shorten(advice: &mut [String], room_bytes: usize) {
    loop {
        let over = size(advice).saturating_sub(room_bytes);
        let longest = advice.iter_mut().max_by_key(|line| line.len());
        match longest.filter(|line| over > 0 && line.len() > CUT.len()) {
            Some(line) => cut_to(line, line.len().saturating_sub(over + CUT.len())),
            None => return,
        }
    }
}

pub fn size(lines: &[String]) -> usize {
    lines.iter().map(|line| line.len() + 1).sum()
}

/// The first sentence of a refusal: the finding about the user's command, client program or broken
/// trigger line.
fn sentence(event: &Event<'_>, finding: &Finding) -> String {
    let Finding { place, item, problem, detail, .. } = finding;
    match place.as_str() {
        _ if event.is_tampered => detail.clone(),
        "Program" => format!("Your program ({item}) {problem}"),
        place if place.starts_with("Argument ") => {
            format!(
                "{place} of your command p4 {} ({item}) {problem}",
                event.excerpt(event.command)
            )
        }
        _ => format!("Your command p4 {detail}"),
    }
}

/// Whether the user may not have written the command; the name of `p4` itself is `p4`.
fn is_sent_by_a_program(event: &Event<'_>, finding: &Finding) -> bool {
    let is_other = event.prog.is_some_and(|prog| bare_name(prog) != b"p4");
    !event.is_tampered && finding.place != "Program" && is_other
}

/// The example lines of a command's refusal (paths to use instead, and how to complete them) and
/// its advice lines, from the fix that a rule proposes.
fn remedy(fix: &Fix) -> (Vec<String>, Vec<String>) {
    match fix {
        Fix::Advice(text) => (Vec::new(), text.lines().map(str::to_owned).collect()),
        Fix::Paths(paths) => {
            let heading = "Name only the directories you work on, for example:".to_owned();
            let lines = paths.iter().map(|path| format!("  {path}"));
            let sentences = sentences_for_arguments(paths);
            ([heading].into_iter().chain(lines).chain(sentences).collect(), Vec::new())
        }
    }
}

/// The refusal text for the user when p4warden itself failed and the policy, or the trigger line
/// before the policy is read, declares `on_error: deny`.
pub fn fault(contact: Option<&str>) -> String {
    let contact_name = printable(contact.unwrap_or("your Perforce administrators").as_bytes());
    format!(
        "Your request was refused because p4warden, the program that checks requests to this server, has failed.\n\
         Your request was not checked; this is not your mistake. Please tell {contact_name}; the cause is in p4warden's log.\n"
    )
}
