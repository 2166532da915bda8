//! `p4warden-gate`: the program that p4d starts for the events of p4warden's trigger lines; also
//! offers subcommands for administrators and for p4warden's own programs.

#![cfg_attr(
    not(test),
    warn(clippy::expect_used, clippy::indexing_slicing, clippy::panic, clippy::unwrap_used)
)]

use p4warden_gate::base::clock::SystemClock;
use p4warden_gate::base::fault::Fault;
use p4warden_gate::base::heap::Heap;
use p4warden_gate::event::arguments::{Arguments, of_this_process};
use p4warden_gate::offline::subcommands;
use p4warden_gate::trigger::answer::Answer;
use p4warden_gate::trigger::on_error::FailureHandling;
use p4warden_gate::trigger::watchdog::{LONGEST, Watchdog};
use p4warden_gate::trigger::{command, defect, old_lines, standard_input, supervisor};
use p4warden_index::base::trouble::Trouble;
use p4warden_index::base::usage::Usage;
use std::ffi::OsString;
use std::process::ExitCode;

#[global_allocator]
static HEAP: Heap = Heap::new();

const USAGE: Usage = Usage {
    program: "p4warden-gate",
    text: "\
usage: p4warden-gate EVENT [--home=DIR] [--on-error=allow|deny] ...
           Judge an event of a trigger; p4d runs this from a trigger line.
       p4warden-gate check [--policy FILE]
           Read a policy.json, by default from standard input, and print its problems.
       p4warden-gate judge --policy FILE [--facts FILE] [--baseline FILE] [--index FILE]
                           [--texts] [--rules]
           Judge events given as JSON lines on standard input; --texts adds the refusals, --rules
           the part of each rule and exemption.
       p4warden-gate remarks
           Read a policy's document as JSON from standard input, and print mistakes and doubts.
       p4warden-gate lines [--policy FILE]
           Print as JSON what the rules of a policy.json need of trigger lines.
       p4warden-gate tables
           Print this release's kinds of rules and lists of commands as JSON.
       p4warden-gate counts [--home DIR]
           Print the numbers of decisions of a home folder as JSON.
       p4warden-gate self-test [--home DIR]
           Check the policy, state file and log of a home folder, and that the worker's Python
           starts; print the result as JSON.
       p4warden-gate --help | --version
",
};

fn main() -> ExitCode {
    let words = of_this_process();
    let rest = words.get(1..).unwrap_or_default();
    let first = words.first().and_then(|word| word.to_str()).unwrap_or_default();
    match first {
        "check" => offline(subcommands::check, first, rest),
        "judge" => offline(subcommands::judge, first, rest),
        "remarks" => offline(subcommands::remarks, first, rest),
        "lines" => offline(subcommands::lines, first, rest),
        "tables" => offline(subcommands::tables, first, rest),
        "counts" => offline(subcommands::counts, first, rest),
        "self-test" => offline(subcommands::self_test, first, rest),
        "-h" | "--help" => USAGE.end(first, &Trouble::Help),
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
    let mut handling = FailureHandling::of_line(&arguments);
    HEAP.answer(handling.is_denial.into());
    // The line may have been written for the other setting of `triggers.io`.
    let triggers_io = standard_input::has_dictionary(&SystemClock);
    let triggers_io = triggers_io.unwrap_or_else(|| arguments.triggers_io());
    defect::answer_as_declared(&arguments, &handling, triggers_io);
    let answer = match arguments.event {
        event if !is_known(event) && arguments.get("on-error").is_none() => return not_an_event(),
        event if !is_known(event) => fail(UNKNOWN_EVENT, &arguments, &handling),
        _ if !arguments.has_known_form => fail(OTHER_FORM, &arguments, &handling),
        b"command" => {
            let watchdog = watchdog(&arguments, &handling, triggers_io);
            command::run(&arguments, &mut handling, &SystemClock, &watchdog)
        }
        _ => supervisor::run(words, &arguments, &mut handling, &SystemClock),
    };
    old_lines::note(&handling.home, &arguments, &SystemClock);
    if triggers_io {
        standard_input::drain(&SystemClock);
    }
    ExitCode::from(answer.deliver(triggers_io))
}

const UNKNOWN_EVENT: &str = "the trigger line is for an event that this release does not support";
const OTHER_FORM: &str = "the trigger line was not written by this release of p4warden; run p4warden \
    deploy plan and deploy apply, or install the release that wrote it";

fn is_known(event: &[u8]) -> bool {
    let forms = [&b"form-save"[..], b"form-in", b"form-out", b"form-commit", b"form-delete"];
    event == b"command" || event == b"change-submit" || forms.contains(&event)
}

/// Once started, the watchdog records the longest time for judging a command as a fault and ends the
/// process with the reply that the trigger line declares for faults.
fn watchdog(arguments: &Arguments<'_>, handling: &FailureHandling, triggers_io: bool) -> Watchdog {
    let (event, handling) = (arguments.event.to_vec(), handling.clone());
    Watchdog::new(LONGEST, move || {
        let cause = format!("the watchdog: judging took {} s", LONGEST.as_secs());
        let arguments = Arguments::of_event(&event);
        let answer = handling.fail(&arguments, &Fault::new(cause), &SystemClock);
        std::process::exit(answer.deliver(triggers_io).into());
    })
}

/// Records a fault of p4warden or of its trigger line, and returns the declared reply.
fn fail(cause: &str, arguments: &Arguments<'_>, handling: &FailureHandling) -> Answer {
    if handling.home.is_off(&SystemClock) {
        return Answer::GoOn;
    }
    handling.fail(arguments, &Fault::new(cause), &SystemClock)
}

fn offline(
    run: fn(&[OsString]) -> Result<bool, Trouble>,
    subcommand: &str,
    words: &[OsString],
) -> ExitCode {
    HEAP.answer(1);
    match run(words) {
        Ok(all_good) => ExitCode::from(u8::from(!all_good)),
        Err(trouble) => USAGE.end(subcommand, &trouble),
    }
}

fn not_an_event() -> ExitCode {
    let problem = "the first word must be the name of an event or a subcommand";
    USAGE.end("", &Trouble::Usage(problem.to_owned()))
}
