//! `p4warden-gate`: the program that p4d starts for the events of p4warden's trigger lines; also
//! offers subcommands for administrators and for p4warden's own programs.

#![cfg_attr(
    not(test),
    warn(clippy::expect_used, clippy::indexing_slicing, clippy::panic, clippy::unwrap_used)
)]

use p4warden_gate::ask::subcommands;
use p4warden_gate::base::heap::Heap;
use p4warden_gate::event::arguments::of_this_process;
use p4warden_gate::trigger::last_word;
use p4warden_gate::trigger::run::run;
use p4warden_index::base::fault::Fault;
use p4warden_index::base::usage::Usage;
use std::ffi::OsString;
use std::process::ExitCode;

#[global_allocator]
static HEAP: Heap = Heap::new(last_word::end_without_memory);

const VERSION: &str = concat!("p4warden-gate ", env!("P4WARDEN_VERSION"), "\n");
const USAGE: Usage = Usage {
    program: "p4warden-gate",
    text: "\
usage: p4warden-gate EVENT [--home=DIR] [--on-error=allow|deny] ...
           Judge an event of a trigger; p4d runs this from a trigger line.
       p4warden-gate check [--policy FILE]
           Read a policy.json, by default from standard input, and print its problems.
       p4warden-gate judge [--policy FILE] [--facts FILE] [--baseline FILE] [--index FILE]
                           [--texts] [--rules] [--marks] [--all]
           Judge events given as JSON lines on standard input; --texts adds the refusals, --rules
           the part of each rule and exemption, --marks the entries of a baseline, --all every
           finding about a form. Without a policy only questions about forms are answered.
       p4warden-gate remarks
           Read a policy's document as JSON from standard input, and print mistakes and doubts.
       p4warden-gate lines [--policy FILE]
           Print as JSON what the rules of a policy.json need of trigger lines.
       p4warden-gate monitor-file FILE
           Print the counters of a server's rt.monitorfile as JSON.
       p4warden-gate tables
           Print this release's kinds of rules and lists of commands as JSON.
       p4warden-gate counts [--home DIR]
           Print the numbers of decisions of a home folder as JSON.
       p4warden-gate self-test [--home DIR]
           Check the policy, state file and log of a home folder, and that the program that asks
           the server starts; print the result as JSON.
       p4warden-gate --help | --version
",
};

fn main() -> ExitCode {
    let words = of_this_process();
    let rest = words.get(1..).unwrap_or_default();
    let first = words.first().and_then(|word| word.to_str()).unwrap_or_default();
    match first {
        "check" => ask(subcommands::check, first, rest),
        "judge" => ask(subcommands::judge, first, rest),
        "remarks" => ask(subcommands::remarks, first, rest),
        "lines" => ask(subcommands::lines, first, rest),
        "monitor-file" => ask(subcommands::monitor_file, first, rest),
        "tables" => ask(subcommands::tables, first, rest),
        "counts" => ask(subcommands::counts, first, rest),
        "self-test" => ask(subcommands::self_test, first, rest),
        "-h" | "--help" => USAGE.end(first, &Fault::Help),
        "--version" => ask(|_| Usage::print_version(VERSION).map(|()| true), first, rest),
        _ => run(&words).map_or_else(not_an_event, ExitCode::from),
    }
}

fn ask(
    run: fn(&[OsString]) -> Result<bool, Fault>,
    subcommand: &str,
    words: &[OsString],
) -> ExitCode {
    match run(words) {
        Ok(all_good) => ExitCode::from(u8::from(!all_good)),
        Err(fault) => USAGE.end(subcommand, &fault),
    }
}

fn not_an_event() -> ExitCode {
    let problem = "the first word must be the name of an event or a subcommand";
    USAGE.end("", &Fault::Usage(problem.to_owned()))
}
