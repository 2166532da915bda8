//! A refused command -> the text people read, in a terminal or in a graphical client's dialog.
//!
//! The same style as `refusal.py`: one line with what was refused and why, what to do, whom to ask,
//! and a last line for machines; printable ASCII, and what a user chose is cut.

use crate::event::Event;
use crate::flat::Front;
use crate::outcome::{Judgement, Outcome, Over, Verdict};
use crate::policy::Part;
use crate::pressure::Level;
use crate::text::{cut, printable, tenths};

/// What the rule objects to, the same words every time, so that logs group.
pub const SUMMARY: &str = "a command comes more often than the policy allows";

/// What the user reads of an outcome; None unless it is a refusal.
#[must_use]
pub fn text(front: &Front<'_>, event: &Event<'_>, outcome: &Outcome<'_>) -> Option<String> {
    let judgement = outcome.decisive().filter(|_| outcome.verdict == Verdict::Refuse)?;
    Some(refusal(front, event, judgement, &judgement.over?, outcome.wait_ns()))
}

/// What the user reads; `wait_ns` is how long until it would pass.
fn refusal(
    front: &Front<'_>,
    event: &Event<'_>,
    judgement: &Judgement<'_>,
    over: &Over<'_>,
    wait_ns: u64,
) -> String {
    let command = cut(event.command);
    let user = cut(event.user.unwrap_or(b"an unknown user"));
    let (rule, wait) = (judgement.rule, tenths(wait_ns));
    let what = detail(over);
    let mut lines = vec![
        format!("{command} of {user} is refused by {rule}: {what}. Try again in {wait} seconds."),
        advice(over).to_owned(),
        format!("Questions: {}", printable(front.contact.as_bytes())),
    ];
    lines.extend(front.help_url.map(|url| format!("The policy: {}", printable(url.as_bytes()))));
    let (limit, value) = (over.limit.short(), over.counted);
    lines.push(format!("p4warden: rule={rule} limit={limit} value={value} retry-after={wait}"));
    lines.join("\n") + "\n"
}

/// What the user reads when p4warden itself failed and the policy says deny.
#[must_use]
pub fn fault(contact: Option<&str>) -> String {
    let whom = printable(contact.unwrap_or("your Perforce administrators").as_bytes());
    format!(
        "p4warden could not judge this and is set to refuse then. Nothing is wrong with your\n\
         command. Please tell {whom}; the reason is in p4warden's log.\n"
    )
}

/// One line about a limit that was gone beyond.
#[must_use]
pub fn detail(over: &Over<'_>) -> String {
    let Over { limit, counted, .. } = over;
    let whom: Vec<_> = limit.parts().map(word).collect();
    let whom = if whom.is_empty() { "all together".to_owned() } else { per_each(&whom) };
    let pressure = match limit.when {
        Level::Low => String::new(),
        level => format!(" while the server is under {} pressure", level.word()),
    };
    let (burst, allow) = (limit.burst, limit.allow);
    format!("request {counted} where {burst} at once and then {allow} are allowed {whom}{pressure}")
}

/// What to do, by what the limit is kept by.
#[must_use]
pub fn advice(over: &Over<'_>) -> &'static str {
    let parts: Vec<_> = over.limit.parts().collect();
    if parts.contains(&Part::Args) {
        "The same question was asked again and again: keep the answer, or wait before asking again."
    } else if parts.contains(&Part::Shape) {
        "One question was cut into many: ask once, with a wider path or a list of files \
         (p4 -x FILE fstat)."
    } else {
        "Ask less often; in P4V, raise the refresh interval in its preferences."
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
