//! Main program of `p4warden-log`, which reads the text and structured logs of Perforce servers,
//! proxies and brokers.

#![cfg_attr(
    not(test),
    warn(clippy::expect_used, clippy::indexing_slicing, clippy::panic, clippy::unwrap_used)
)]

use p4warden_gate::base::heap::Heap;
use p4warden_index::base::trouble::Trouble;
use p4warden_log::subcommands::{load, read, replay};
use std::ffi::OsString;
use std::process::ExitCode;

#[global_allocator]
static HEAP: Heap = Heap::new();

const USAGE: &str = "\
usage: p4warden-log read [--follow] LOG...     commands as JSON lines
       p4warden-log replay --policy FILE [--against FILE] [--facts FILE] [--groups FILE]
                           [--history] [--each FILE] [--progress] LOG...
       p4warden-log load --database FILE --roots PAGES [--progress] [--server NAME]
                         [--server NAME=LOG]... [--zone [NAME=]ZONE]... LOG...
       p4warden-log --version
";

fn main() -> ExitCode {
    HEAP.answer(1);
    let words: Vec<OsString> = std::env::args_os().skip(1).collect();
    let rest = words.get(1..).unwrap_or_default();
    let result = match words.first().and_then(|word| word.to_str()).unwrap_or_default() {
        "read" => read::run(rest),
        "replay" => replay::run(rest),
        "load" => load::run(rest),
        "--version" => {
            println!("p4warden-log {}", env!("CARGO_PKG_VERSION"));
            return ExitCode::SUCCESS;
        }
        _ => Err(Trouble::Usage("no such command".to_owned())),
    };
    match result {
        Ok(all_good) => ExitCode::from(u8::from(!all_good)),
        Err(Trouble::Usage(problem)) => {
            eprint!("p4warden-log: {problem}\n{USAGE}");
            ExitCode::from(2)
        }
        Err(Trouble::File(problem)) => {
            eprintln!("p4warden-log: {problem}");
            ExitCode::FAILURE
        }
    }
}
