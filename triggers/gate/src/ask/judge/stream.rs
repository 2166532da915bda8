//! The loop of `p4warden-gate judge` over the lines of its input, one event per line.

use super::Judge;
use crate::base::json::Object;
use std::io::{BufRead, BufReader, Read, Write};

/// With its line end. A form of 4 MiB, written with escapes, is shorter.
pub const MAX_LINE_BYTES: u64 = 32 << 20;
/// Above this, results are written although more input is buffered.
const MAX_ANSWERS_BYTES: usize = 1 << 16;

/// Writes one result for each line that is not blank; for an invalid line the error, also to
/// `errors`. Returns false if a line was invalid.
pub fn stream(
    judge: &mut Judge<'_>,
    input: impl Read,
    mut output: impl Write,
    mut errors: impl Write,
    now_ns: impl Fn() -> u64,
) -> std::io::Result<bool> {
    let mut input = BufReader::with_capacity(1 << 16, input);
    let (mut line, mut number, mut all_good, mut answers) = (Vec::new(), 0, true, String::new());
    while let Some(length) = next_line(&mut input, &mut line)? {
        number += 1;
        let blank = length == Length::Whole && line.trim_ascii().is_empty();
        let result = match length {
            _ if blank => Ok(()),
            Length::Whole => judge.line(&line, &now_ns, &mut answers),
            Length::TooLong => Err(format!("it is longer than {MAX_LINE_BYTES} bytes")),
        };
        if let Err(problem) = result {
            all_good = false;
            complain(&mut answers, &mut errors, number, &problem)?;
        }
        // The results are written as soon as no further input is buffered, because a program that
        // sends one event at a time waits for the result before it sends the next.
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

/// Discards the rest of a line that is too long; None at the end of the input.
fn next_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> std::io::Result<Option<Length>> {
    line.clear();
    input.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', line)?;
    if line.len() as u64 == MAX_LINE_BYTES && line.last() != Some(&b'\n') {
        input.skip_until(b'\n')?;
        return Ok(Some(Length::TooLong));
    }
    Ok((!line.is_empty()).then_some(Length::Whole))
}
