//! `p4warden-log count`: counts the decisions of the lines of a decision log on the standard input,
//! and prints figures as JSON.

mod completion;
mod costs;
mod decision;
mod figures;
mod groups;
mod lists;
mod names;
mod output;
mod record;
mod rows;
mod subjects;
mod sums;

use crate::source::lines::Lines;
use completion::Completion;
use decision::Decision;
use figures::Figures;
use lists::FIGURES;
use output::{Figure, Output};
use p4warden_index::base::fault::Fault;
use p4warden_index::base::options::Options;
use record::Record;
use std::ffi::OsString;
use std::io::{self, BufWriter, Read, stdin, stdout};
use std::ops::Range;
use std::str::FromStr;

pub fn run(words: &[OsString]) -> Result<bool, Fault> {
    let options = Options::read(words, &[], &["since", "until", "rows"])?;
    let listed: Vec<Figure> =
        options.words.iter().map(|name| figure(name)).collect::<Result<_, _>>()?;
    let from_s = number(&options, "since")?.unwrap_or(0.0);
    let span_s = from_s..number(&options, "until")?.unwrap_or(f64::INFINITY);
    let most_rows = number(&options, "rows")?;
    let counted = counted(stdin().lock(), &span_s);
    let (figures, bad_lines) = counted.map_err(|error| Fault::File(error.to_string()))?;
    let mut output = Output { to: &mut BufWriter::new(stdout().lock()), most_rows };
    match output.all(&figures, bad_lines, &listed) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(Fault::of_output(&error)),
        _ => Ok(true),
    }
}

fn figure(name: &str) -> Result<Figure, Fault> {
    let found = FIGURES.into_iter().find(|(other, _)| *other == name);
    found.map(|(_, figure)| figure).ok_or_else(|| Fault::Usage(format!("{name} is not a figure")))
}

fn number<T: FromStr>(options: &Options, name: &str) -> Result<Option<T>, Fault> {
    let number = options.get(name).map(|text| {
        text.parse().map_err(|_| Fault::Usage(format!("--{name}={text} is not a number")))
    });
    number.transpose()
}

/// The figures, and the number of lines that are no decision.
fn counted(log: impl Read, span_s: &Range<f64>) -> io::Result<(Figures, u64)> {
    let (mut figures, mut bad_lines) = (Figures::default(), 0);
    let (mut completion, mut lines) = (Completion::default(), Lines::new(log));
    let mut add = |line: &[u8]| {
        let record = Record::of(line);
        let one = record.and_then(|record| Decision::of(&record, &mut figures.names));
        // Lines before the span may have the program of decisions counted in it.
        match one.map(|one| (one, completion.completed(one))) {
            Some((one, completed)) if span_s.contains(&one.time_s) => {
                figures.add_total(&one);
                figures.add(&completed);
            }
            Some(_) => {}
            None => bad_lines += u64::from(!line.trim_ascii().is_empty()),
        }
    };
    while let Some(line) = lines.complete_line()? {
        add(line);
    }
    lines.last_line().map(&mut add);
    Ok((figures, bad_lines))
}
