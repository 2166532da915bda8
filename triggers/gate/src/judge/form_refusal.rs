//! Text of a refused form or submit for the user: the problems with the refused items, proposed
//! lines, advice, the contact, and at the end a line for programs.
//!
//! Items chosen by users are cut and proposed lines limited, so that no form can draw on the screen
//! or push the remedy out of sight.

use crate::base::plural::{amount, verb};
use crate::base::text::{cut, decoded};
use crate::base::visible::{cut_to, visible_excerpt, visible_start, visible_text};
use crate::contract::form_finding::FormFinding;
use crate::contract::form_rule::Texts;
use crate::event::form_event::FormEvent;
use crate::event::unasked::LONGEST_S;
use crate::judge::command_outcome::Verdict;
use crate::judge::command_refusal::{
    MAX_TEXT_BYTES, contact_lines, ends_on, machine_line, shorten, size,
};
use crate::judge::form_decision::MAX_FINDINGS;
use crate::judge::form_outcome::{FormJudgement, FormOutcome, fix_lines};
use crate::policy::document::Policy;
use crate::proposals::choice::{Choice, Further, sentences};
use crate::proposals::program_words::{Remedy, words_of};
use crate::proposals::stream_clients::{self, StreamClient};

const MAX_PROBLEM_BYTES: usize = 300;
const MAX_FIX_BYTES: usize = 480;
const MAX_STREAM_CLIENTS: usize = 3;
/// Numbers of further findings and of proposed lines that a refusal shows, from most to fewest: the
/// first pair that fits is used.
const LINE_COUNTS: [(usize, usize); 4] = [(2, 5), (0, 5), (0, 2), (0, 0)];

/// None if the outcome is not a refusal.
pub fn text(
    policy: &Policy<'_>,
    event: &FormEvent<'_>,
    outcome: &FormOutcome<'_>,
    unicode: bool,
) -> Option<String> {
    let judgement = outcome.decisive().filter(|one| one.verdict == Verdict::Refuse)?;
    let refusal = Refusal {
        first: judgement.findings.first()?,
        judgement,
        event,
        texts: judgement.rule().rule.texts(event.form_type),
        unicode,
    };
    Some(refusal.text(policy))
}

/// The sentences below all lines that findings propose: what to write in place of placeholders, and
/// how many others there are.
pub fn choice_sentences(findings: &[FormFinding<'_>], lines: &[&str]) -> Vec<String> {
    let refused = refused_lines(findings);
    let choice = Choice {
        shown: lines,
        further: further(findings, further_count(findings)),
        refused: &refused,
        short_bytes: short_bytes(findings),
        ..Choice::default()
    };
    [sentences(&choice), stream_clients::sentences(&clients_of_streams(findings), None)].concat()
}

/// Those that findings propose, one for each depot.
fn clients_of_streams(findings: &[FormFinding<'_>]) -> Vec<StreamClient> {
    let all = findings.iter().flat_map(|finding| finding.stream_clients.iter().cloned());
    let mut clients = stream_clients::one_of_each_depot(all);
    clients.truncate(MAX_STREAM_CLIENTS);
    clients
}

fn further_count(findings: &[FormFinding<'_>]) -> usize {
    findings.iter().map(|finding| finding.further.len()).sum()
}

fn further(findings: &[FormFinding<'_>], number: usize) -> Further {
    match findings.iter().any(|finding| finding.is_full) {
        true => Further::Instead(number),
        false => Further::Number(number),
    }
}

fn refused_lines<'f>(findings: &'f [FormFinding<'_>]) -> Vec<&'f [u8]> {
    findings.iter().map(|finding| &*finding.item).collect()
}

fn short_bytes(findings: &[FormFinding<'_>]) -> Vec<usize> {
    findings.iter().filter_map(|finding| finding.short_bytes).collect()
}

/// One line about a finding, for the decision log and lists: place, item, problem.
pub fn detail(finding: &FormFinding<'_>) -> String {
    let FormFinding { place, item, problem, .. } = finding;
    let item = if item.is_empty() { String::new() } else { format!(" ({})", cut(item)) };
    let mut problem = problem.clone();
    cut_to(&mut problem, MAX_PROBLEM_BYTES);
    format!("{place}{item} {problem}")
}

struct Refusal<'r, 'e> {
    judgement: &'r FormJudgement<'e>,
    first: &'r FormFinding<'e>,
    event: &'r FormEvent<'r>,
    texts: Texts,
    unicode: bool,
}

impl Refusal<'_, '_> {
    fn text(&self, policy: &Policy<'_>) -> String {
        let mut last = contact_lines(&policy.contact, policy.help_url.as_deref(), self.unicode);
        last.push(self.machine_line());
        let mut advice = self.advice();
        let (mut first, mut room_bytes) = (Vec::new(), 0);
        for (more_findings, lines_to_copy) in LINE_COUNTS {
            first = [self.problems(more_findings), self.fix(lines_to_copy)].concat();
            first = first.iter().map(|line| self.visible(line)).collect();
            room_bytes = MAX_TEXT_BYTES.saturating_sub(size(&first) + size(&last));
            if size(&advice) <= room_bytes {
                break;
            }
        }
        shorten(&mut advice, room_bytes);
        [first, advice, last].concat().join("\n") + "\n"
    }

    fn visible(&self, line: &str) -> String {
        visible_text(line.as_bytes(), self.unicode)
    }

    fn problems(&self, most: usize) -> Vec<String> {
        let others = self.judgement.findings.get(1..).unwrap_or_default();
        let mut lines = vec![format!("{}.", self.sentence())];
        lines.extend(others.iter().take(most).map(|other| format!("Also: {}.", self.also(other))));
        if others.len() > most {
            // A rule stops searching after `MAX_FINDINGS` findings.
            let is_stopped = self.judgement.findings.len() >= MAX_FINDINGS;
            let least = if is_stopped { "at least " } else { "" };
            let rest = amount(others.len() - most, "more problem");
            let verb = verb((others.len() - most) as u64);
            lines.push(format!("There {verb} {least}{rest} of this kind."));
        }
        lines
    }

    fn also(&self, finding: &FormFinding<'_>) -> String {
        let item = match finding.item.as_slice() {
            b"" => String::new(),
            item => format!(" ({})", visible_excerpt(item, self.unicode)),
        };
        format!("{}{item} {}", place_words(&finding.place), self.problem(finding))
    }

    fn problem(&self, finding: &FormFinding<'_>) -> String {
        visible_start(finding.problem.as_bytes(), self.unicode, MAX_PROBLEM_BYTES)
    }

    /// The first sentence, about the first finding, without the period.
    fn sentence(&self) -> String {
        let (event, first) = (self.event, self.first);
        let name = event.name.or(event.change).unwrap_or_default();
        let name = visible_excerpt(name, self.unicode);
        let form_type = event.form_type.map(decoded);
        let kind = form_type.as_deref().unwrap_or("change");
        let own = format!("{kind} {name}");
        let own = own.trim_end();
        let (problem, item) = (self.problem(first), visible_excerpt(&first.item, self.unicode));
        let in_brackets = |item: &str| format!(" ({item})");
        if event.is_tampered {
            let item = if item.is_empty() { item } else { in_brackets(&item) };
            return format!("{}{item} {problem}", first.place);
        }
        let is_named = item.is_empty() || item == name || first.place == "The view";
        let item = if is_named { String::new() } else { in_brackets(&item) };
        let place = first.place.strip_prefix("The ").unwrap_or(&first.place);
        if Some(place) == form_type.as_deref() {
            return format!("Your {own}{item} {problem}");
        }
        format!("{} of your {own}{item} {problem}", place_words(&first.place))
    }

    /// The rule's reason, and the administrators' own text. Neither applies to a trigger line that a
    /// name broke apart; that finding has its own advice.
    fn advice(&self) -> Vec<String> {
        if self.event.is_tampered {
            return self.first.fix.iter().map(|line| self.visible(line)).collect();
        }
        let reason = Some(self.texts.reason);
        let reason = reason.filter(|it| !it.is_empty() && self.event.unasked.is_none());
        let own = self.judgement.rule().advice.as_deref();
        let own = own.into_iter().flat_map(|advice| advice.split('\n'));
        let end = self.judgement.end.as_deref().map(ends_on);
        let lines = reason.into_iter().chain(own).map(|line| self.visible(line));
        lines.chain(end).collect()
    }

    /// Proposed lines, up to `MAX_FIX_BYTES`, with heading and ending: only whole lines that are
    /// shown unchanged, so that each can be copied.
    fn fix(&self, most: usize) -> Vec<String> {
        if self.event.is_tampered {
            return Vec::new();
        }
        let lines = fix_lines(&self.judgement.findings);
        let showable = lines.iter().copied().filter(|line| self.visible(line) == **line);
        let (mut shown, mut bytes) = (Vec::new(), 0);
        for line in showable.clone().take(most) {
            let with_indentation = line.len() + 3;
            if bytes + line.len() < MAX_FIX_BYTES {
                bytes += with_indentation;
                shown.push(line);
            }
        }
        let clients = clients_of_streams(&self.judgement.findings);
        let streams = stream_clients::sentences(&clients, self.event.prog);
        if shown.is_empty() {
            return streams;
        }
        let more = lines.len() - shown.len() + further_count(&self.judgement.findings);
        let omitted: Vec<&str> = showable.filter(|line| !shown.contains(line)).collect();
        let choice = self.choice(&shown, &omitted, more);
        shown.sort_unstable();
        let heading = self.heading(&shown, &clients);
        let shown = shown.iter().map(|line| format!("  {line}"));
        let ending = self.texts.fix_ending.replace("CHANGE", self.event.change_number());
        let heading = streams.into_iter().chain(heading.lines().map(str::to_owned));
        let ending = ending.lines().chain(self.menu()).map(str::to_owned);
        heading.chain(shown).chain(choice).chain(ending).collect()
    }

    /// Before the proposed lines, of which those of stream depots only let a client read files.
    fn heading(&self, shown: &[&str], clients: &[StreamClient]) -> &'static str {
        let is_to_read = |line: &&str| clients.iter().any(|client| client.is_of(line));
        match shown.iter().filter(|line| is_to_read(line)).count() {
            0 => self.texts.fix_heading,
            count if count == shown.len() => {
                "Only to read them, name the directories you need, for example:"
            }
            _ => {
                "In the other depots, and only to read files of stream depots, name the directories \
                  you need, for example:"
            }
        }
    }

    /// Where the user's program lets them edit a view.
    fn menu(&self) -> Option<&'static str> {
        let is_client = self.event.form_type == Some(b"client");
        words_of(self.event.prog, Remedy::EditView).filter(|_| is_client)
    }

    fn choice(&self, shown: &[&str], omitted: &[&str], more: usize) -> Vec<String> {
        let findings = &self.judgement.findings;
        // For a submit all proposed lines are needed, so there is nothing to choose.
        let is_submit = self.event.form_type.is_none();
        let further = match is_submit {
            true => Further::Nothing,
            false => further(findings, more),
        };
        let (refused, short_bytes) = (&*refused_lines(findings), short_bytes(findings));
        let mut choice = sentences(&Choice { shown, further, omitted, refused, short_bytes });
        if is_submit && findings.iter().any(|finding| finding.fix.is_empty()) {
            choice.push("Correct the others, too, before you submit.".to_owned());
        } else if is_submit && more > 0 {
            choice.push("Do the same for the others.".to_owned());
        }
        choice
    }

    fn machine_line(&self) -> String {
        let number = |number: Option<i64>| number.map(|number| number.to_string());
        let (limit, value) = (number(self.first.limit), number(self.first.value));
        let rule = &self.judgement.rule().name;
        let id = self.event.refused().map(|refused| refused.id(rule));
        let retry_after = self.event.unasked.map(|_| LONGEST_S.to_string());
        machine_line(rule, limit, value, retry_after, id)
    }
}

/// `The options`, or `The left side of view line 1`.
fn place_words(place: &str) -> String {
    match place.split_once(", ") {
        Some((line, side)) => {
            let start = line.get(..1).unwrap_or_default().to_ascii_lowercase();
            format!("The {side} of {start}{}", line.get(1..).unwrap_or_default())
        }
        None if place == "Options" => "The options".to_owned(),
        None => place.to_owned(),
    }
}
