#![cfg_attr(
    not(test),
    warn(clippy::expect_used, clippy::indexing_slicing, clippy::panic, clippy::unwrap_used)
)]

use p4warden_gate::base::alarm::end_process;
use p4warden_gate::base::heap::Heap;
use p4warden_index::base::fault::Fault;
use p4warden_index::base::usage::Usage;
use p4warden_log::subcommands::{count, load, read, replay};
use std::ffi::OsString;
use std::process::ExitCode;

#[global_allocator]
static HEAP: Heap = Heap::new(|| end_process(1));

const VERSION: &str = concat!("p4warden-log ", env!("P4WARDEN_VERSION"), "\n");
const USAGE: Usage = Usage {
    program: "p4warden-log",
    text: "\
usage: p4warden-log read [--follow] LOG...
           Print the commands and events of logs as JSON lines; - is the standard input.
       p4warden-log replay --policy FILE [--against FILE] [--facts FILE] [--groups FILE] [--index FILE]
                           [--estimated COMMAND,...] [--history] [--each FILE] [--progress]
                           [--server NAME] [--services SERVICES] LOG...
           Judge the commands of logs by a policy, and print a report as JSON.
       p4warden-log load --database FILE --roots PAGES [--progress] [--server NAME]
                         [--server NAME=LOG]... [--zone [NAME=]ZONE]... LOG...
           Write the content of logs into a database with empty tables (p4warden log load).
       p4warden-log count [--since SECONDS] [--until SECONDS] [--rows N] FIGURE...
           Count the lines of a decision log on the standard input, and print figures as JSON.
       p4warden-log --help | --version
",
};

fn main() -> ExitCode {
    let words: Vec<OsString> = std::env::args_os().skip(1).collect();
    let rest = words.get(1..).unwrap_or_default();
    let subcommand = words.first().and_then(|word| word.to_str()).unwrap_or_default();
    let result = match subcommand {
        "read" => read::run(rest),
        "replay" => replay::run(rest),
        "load" => load::run(rest),
        "count" => count::run(rest),
        "--version" => Usage::print_version(VERSION).map(|()| true),
        "-h" | "--help" => Err(Fault::Help),
        _ => Err(Fault::Usage("the first word must be a subcommand".to_owned())),
    };
    match result {
        Ok(all_good) => ExitCode::from(u8::from(!all_good)),
        Err(fault) => USAGE.end(subcommand, &fault),
    }
}
