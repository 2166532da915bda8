//! `p4warden-gate judge`: command events as JSON lines in, one verdict per line out.
//!
//! The same library that triggers run, with the events' own clock and the rates in memory.

use crate::arguments::command_name;
use crate::bytes::Corrupt;
use crate::clock;
use crate::decide::{Outcome, Verdict, decide, exempt};
use crate::event::{Event, is_rescue};
use crate::flat::{Front, PREFIX_BYTES, Prefix, Rules};
use crate::line::Line;
use crate::memory::Memory;
use crate::pressure::Level;
use crate::refusal::{SUMMARY, advice, detail};
use crate::text::{Object, seconds};
use std::borrow::Cow;
use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};

/// An event of a command has no form; a line beyond this is no event.
const MAX_LINE_BYTES: u64 = 4 << 20;
/// So many answers are written at once.
const MAX_ANSWERS_BYTES: usize = 1 << 16;

/// Judges a stream of events by one policy.
pub struct Judge<'p> {
    front: Front<'p>,
    policy: &'p [u8],
    rules: HashMap<Vec<u8>, Rules<'p>>,
    rates: Memory,
    zone: tz::TimeZone,
}

impl<'p> Judge<'p> {
    /// Starts with no rates, and a policy in the flat form.
    pub fn new(policy: &'p [u8], zone: tz::TimeZone) -> Result<Self, Corrupt> {
        let prefix = Prefix::read(policy)?;
        let front = Front::read(&prefix, policy.get(PREFIX_BYTES..).ok_or(Corrupt)?)?;
        let rates = Memory::new([0; 16]);
        Ok(Judge { front, policy, rules: HashMap::new(), rates, zone })
    }

    /// Judges the event of one line and adds the answer, another line, to a text; `now_ns` is the
    /// event's time if it has none of its own.
    pub fn line(
        &mut self,
        line: &[u8],
        now_ns: impl Fn() -> u64,
        to: &mut String,
    ) -> Result<(), String> {
        let line = Line::parse(line)?;
        let now_ns = line.time_ns.unwrap_or_else(now_ns);
        let command = command_name(&line.command);
        self.learn(command).map_err(|Corrupt| "the policy is damaged".to_owned())?;
        let none = Rules::default();
        let known = if is_rescue(command) { None } else { self.rules.get(command) };
        let rules = known.unwrap_or(&none);
        let day = || clock::day(now_ns, self.zone.as_ref());
        let event = line.event(command, &day, self.front.case_sensitive);
        let Ok(outcome) = decide(rules, &exempt(rules, &event), &event, &mut self.rates, now_ns);
        answer(to, line.id, &event, &outcome);
        to.push('\n');
        Ok(())
    }

    fn learn(&mut self, command: &[u8]) -> Result<(), Corrupt> {
        if self.rules.contains_key(command) {
            return Ok(());
        }
        if let Some(place) = self.front.command(command)? {
            let rules = place.rules.within(self.policy)?;
            let exemptions = place.exemptions.within(self.policy)?;
            self.rules.insert(command.to_vec(), Rules::read(rules, exemptions)?);
        }
        Ok(())
    }
}

/// Judges all lines, one answer for each that is not blank. What is wrong with a line that is no
/// event is the answer to it, and is told in `errors` as well.
///
/// Returns whether all lines were events.
pub fn stream(
    judge: &mut Judge<'_>,
    input: impl Read,
    mut output: impl Write,
    mut errors: impl Write,
    now_ns: impl Fn() -> u64,
) -> std::io::Result<bool> {
    let mut input = BufReader::with_capacity(1 << 16, input);
    let (mut line, mut number, mut all_good, mut answers) = (Vec::new(), 0, true, String::new());
    while let Some(read) = next_line(&mut input, &mut line)? {
        number += 1;
        let blank = read == Length::Whole && line.trim_ascii().is_empty();
        let answered = match read {
            _ if blank => Ok(()),
            Length::Whole => judge.line(&line, &now_ns, &mut answers),
            Length::TooLong => Err(format!("it is longer than {MAX_LINE_BYTES} bytes")),
        };
        if let Err(problem) = answered {
            all_good = false;
            complain(&mut answers, &mut errors, number, &problem)?;
        }
        // Whoever writes one event at a time waits for its answer.
        if input.buffer().is_empty() || answers.len() > MAX_ANSWERS_BYTES {
            output.write_all(answers.as_bytes())?;
            output.flush()?;
            answers.clear();
        }
    }
    output.write_all(answers.as_bytes())?;
    output.flush()?;
    Ok(all_good)
}

fn complain(
    answers: &mut String,
    errors: &mut impl Write,
    number: u64,
    problem: &str,
) -> std::io::Result<()> {
    let start = answers.len();
    Object::new(answers).number("line", number).text("error", problem).finish();
    answers.push('\n');
    errors.write_all(answers.get(start..).unwrap_or_default().as_bytes())
}

#[derive(PartialEq)]
enum Length {
    Whole,
    TooLong,
}

/// Reads a line, but not all of one that is too long; None at the end.
fn next_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> std::io::Result<Option<Length>> {
    line.clear();
    input.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', line)?;
    if line.len() as u64 == MAX_LINE_BYTES && line.last() != Some(&b'\n') {
        input.skip_until(b'\n')?;
        return Ok(Some(Length::TooLong));
    }
    Ok((!line.is_empty()).then_some(Length::Whole))
}

fn answer(to: &mut String, id: Option<&str>, event: &Event<'_>, outcome: &Outcome<'_>) {
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
    object.finish();
}

/// What let the event pass, in the words of `engine.py`.
fn exemption(outcome: &Outcome<'_>) -> Option<String> {
    let exemption = outcome.exemption()?;
    Some(format!("{} (owner: {})", exemption.reason, exemption.owner))
}

/// The pressure of an event; `unknown` for one that is not known, as in a server's log.
pub(crate) fn pressure(text: Option<&[u8]>) -> Result<Option<Level>, String> {
    match text {
        None => Ok(Some(Level::Low)),
        Some(b"unknown") => Ok(None),
        Some(text) => match Level::parse(text) {
            Some(level) => Ok(Some(level)),
            None => Err("pressure is low, medium, high or unknown".to_owned()),
        },
    }
}
