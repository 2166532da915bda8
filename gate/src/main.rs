//! `p4warden-gate`: the program that p4d starts for every trigger line of p4warden; also offers
//! subcommands for administrators.

#![cfg_attr(
    not(test),
    warn(clippy::expect_used, clippy::indexing_slicing, clippy::panic, clippy::unwrap_used)
)]

use p4warden_gate::base::clock::System;
use p4warden_gate::base::fault::Fault;
use p4warden_gate::base::heap::Heap;
use p4warden_gate::event::arguments::{Arguments, LineForm, of_this_process};
use p4warden_gate::offline::subcommands::{self, Trouble};
use p4warden_gate::trigger::answer::Answer;
use p4warden_gate::trigger::on_error::Declared;
use p4warden_gate::trigger::{command, defect, old_lines, supervisor};
use std::ffi::OsString;
use std::process::ExitCode;

#[global_allocator]
static HEAP: Heap = Heap::new();

const USAGE: &str = "\
usage: p4warden-gate EVENT [--home=DIR] [--on-error=allow|deny] ...   (run by p4d from a trigger line)
       p4warden-gate compile --policy FILE [--facts FILE] [--worker FILE] [--deadline 5s]
       p4warden-gate judge --policy FILE [--facts FILE] [--texts] < EVENTS
       p4warden-gate counts [--home DIR]
       p4warden-gate self-test [--home DIR]
       p4warden-gate --version
";

fn main() -> ExitCode {
    let words = of_this_process();
    let rest = words.get(1..).unwrap_or_default();
    match words.first().and_then(|word| word.to_str()).unwrap_or_default() {
        "compile" => offline(subcommands::compile, rest),
        "judge" => offline(subcommands::judge, rest),
        "counts" => offline(subcommands::counts, rest),
        "self-test" => offline(subcommands::self_test, rest),
        "--version" => {
            println!("p4warden-gate {}", env!("CARGO_PKG_VERSION"));
            ExitCode::SUCCESS
        }
        _ => trigger(&words),
    }
}

/// Handles one trigger event and gives its verdict to p4d; `words` are the event's name and the
/// trigger line's options.
fn trigger(words: &[OsString]) -> ExitCode {
    let arguments = Arguments::parse(words);
    let mut declared = Declared::by(&arguments);
    HEAP.answer(declared.deny.into());
    defect::answer_as_declared(&arguments, &declared);
    let answer = match arguments.event {
        _ if arguments.line == LineForm::Later => later_form(&arguments, &declared),
        b"command" => command::run(&arguments, &mut declared, &System),
        b"form-save" | b"form-in" | b"form-out" | b"form-commit" | b"form-delete"
        | b"change-submit" => supervisor::run(words, &arguments, &mut declared, &System),
        _ if arguments.get("on-error").is_none() => return usage("no such event or command"),
        _ => unknown_event(&arguments, &declared),
    };
    old_lines::note(&declared.home, &arguments, &System);
    ExitCode::from(answer.deliver(arguments.triggers_io()))
}

/// Records the fault that a trigger line has a form written by a later release of p4warden, and
/// returns the reply declared for faults; allows the event if p4warden is switched off.
fn later_form(arguments: &Arguments<'_>, declared: &Declared) -> Answer {
    if declared.home.is_off(&System) {
        return Answer::GoOn;
    }
    let cause = "the trigger line is of a later form than this release knows; install that release";
    declared.fail(arguments, &Fault::new(cause), &System)
}

/// Records the fault that a trigger line names an event that this release of p4warden does not
/// know; returns the reply to p4d that is declared for faults.
fn unknown_event(arguments: &Arguments<'_>, declared: &Declared) -> Answer {
    declared.fail(
        arguments,
        &Fault::new("the trigger line names an event that this release does not know"),
        &System,
    )
}

fn offline(run: fn(&[OsString]) -> Result<bool, Trouble>, words: &[OsString]) -> ExitCode {
    HEAP.answer(1);
    match run(words) {
        Ok(all_good) => ExitCode::from(u8::from(!all_good)),
        Err(Trouble::Usage(problem)) => usage(&problem),
        Err(Trouble::File(problem)) => {
            eprintln!("p4warden-gate: {problem}");
            ExitCode::FAILURE
        }
    }
}

fn usage(problem: &str) -> ExitCode {
    eprint!("p4warden-gate: {problem}\n{USAGE}");
    ExitCode::from(2)
}
