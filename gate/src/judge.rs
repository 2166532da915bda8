//! `p4warden-gate judge`: command events as JSON lines in, one verdict per line out.
//!
//! The same library that triggers run, with the events' own clock and the rates in memory.

use crate::arguments::command_name;
use crate::bytes::Corrupt;
use crate::clock;
use crate::decide::{Outcome, Verdict, decide};
use crate::event::{Event, is_rescue};
use crate::flat::{Front, PREFIX_BYTES, Prefix, Rules};
use crate::line::Line;
use crate::memory::Memory;
use crate::pressure::Level;
use crate::refusal::{SUMMARY, advice, detail};
use crate::text::{Object, cut, printable, quoted, seconds};
use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};

/// An event of a command has no form; a line beyond this is no event.
const MAX_LINE_BYTES: u64 = 4 << 20;

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
        Ok(Judge {
            front,
            policy,
            rules: HashMap::new(),
            rates,
            zone,
        })
    }

    /// Judges the event of one line; `now_ns` is its time if it has none of its own.
    pub fn line(&mut self, line: &[u8], now_ns: u64) -> Result<String, String> {
        let line = Line::parse(line)?;
        let now_ns = line.time_ns.unwrap_or(now_ns);
        let command = command_name(&line.command).to_vec();
        self.learn(&command)
            .map_err(|Corrupt| "the policy is damaged".to_owned())?;
        let none = Rules::default();
        let known = if is_rescue(&command) {
            None
        } else {
            self.rules.get(&command)
        };
        let rules = known.unwrap_or(&none);
        let zone = self.zone.as_ref();
        let day = if rules.need_the_day() {
            clock::day(now_ns, zone)
        } else {
            String::new()
        };
        let event = line.event(&command, &day, self.front.case_sensitive);
        let Ok(outcome) = decide(rules, &event, &mut self.rates, now_ns);
        Ok(answer(line.id, &event, &outcome))
    }

    fn learn(&mut self, command: &[u8]) -> Result<(), Corrupt> {
        if self.rules.contains_key(command) {
            return Ok(());
        }
        if let Some(place) = self.front.command(command)? {
            let rules = place.rules.within(self.policy)?;
            let exemptions = place.exemptions.within(self.policy)?;
            self.rules
                .insert(command.to_vec(), Rules::read(rules, exemptions)?);
        }
        Ok(())
    }
}

/// Judges all lines. A line that is no event is named in `errors`; the others are judged.
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
    let (mut line, mut number, mut all_good) = (Vec::new(), 0, true);
    while next_line(&mut input, &mut line)? {
        number += 1;
        match judge.line(&line, now_ns()) {
            Ok(answer) => writeln!(output, "{answer}")?,
            Err(_) if line.trim_ascii().is_empty() => {}
            Err(problem) => {
                all_good = false;
                let error = quoted(&printable(problem.as_bytes()));
                writeln!(errors, "{{\"line\": {number}, \"error\": {error}}}")?;
            }
        }
        // Whoever writes one event at a time waits for its verdict.
        if input.buffer().is_empty() {
            output.flush()?;
        }
    }
    output.flush()?;
    Ok(all_good)
}

/// Reads a line; of one that is too long the start is kept, which is no event.
fn next_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> std::io::Result<bool> {
    line.clear();
    input
        .by_ref()
        .take(MAX_LINE_BYTES)
        .read_until(b'\n', line)?;
    if line.len() as u64 == MAX_LINE_BYTES && line.last() != Some(&b'\n') {
        line.truncate(1);
        input.skip_until(b'\n')?;
    }
    Ok(!line.is_empty())
}

fn answer(id: Option<&str>, event: &Event<'_>, outcome: &Outcome<'_>) -> String {
    let over = outcome.decisive().and_then(|judgement| judgement.over);
    let text = |text: Option<String>| text.map_or("null".to_owned(), |text| quoted(&text));
    let rule = outcome
        .decisive()
        .map(|judgement| printable(judgement.rule.as_bytes()));
    let wait = |verdict| match outcome.verdict == verdict {
        true => seconds(outcome.wait_ns()),
        false => "null".to_owned(),
    };
    let mut object = Object::default();
    object
        .raw("id", id.unwrap_or("null"))
        .raw("verdict", &quoted(outcome.verdict.word()));
    object.raw("rule", &text(rule));
    object.raw("summary", &text(over.map(|_| SUMMARY.to_owned())));
    object.raw("detail", &text(over.map(|over| detail(&over))));
    object.raw("fix", &text(over.map(|over| advice(&over).to_owned())));
    object
        .raw("delay_s", &wait(Verdict::Delay))
        .raw("retry_after_s", &wait(Verdict::Refuse));
    object
        .raw("exemption", &text(exemption(outcome)))
        .raw("form", "null");
    object.raw("findings", &findings(event, outcome));
    object.finish()
}

/// What let the event pass, in the words of `engine.py`.
fn exemption(outcome: &Outcome<'_>) -> Option<String> {
    let exemption = outcome.exemption()?;
    let text = format!("{} (owner: {})", exemption.reason, exemption.owner);
    Some(printable(text.as_bytes()))
}

/// One entry for each rule that objects.
fn findings(event: &Event<'_>, outcome: &Outcome<'_>) -> String {
    let item = quoted(&cut(event.command));
    let objects = outcome.judgements.iter().filter_map(|judgement| {
        let over = judgement.over?;
        let mut object = Object::default();
        object
            .raw("item", &item)
            .text("rule", judgement.rule.as_bytes());
        object.text("verdict", judgement.verdict.word().as_bytes());
        object
            .raw("what", &quoted(&detail(&over)))
            .number("value", over.counted);
        object.text("limit", over.limit.short().as_bytes());
        Some(object.finish())
    });
    format!("[{}]", objects.collect::<Vec<_>>().join(", "))
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
