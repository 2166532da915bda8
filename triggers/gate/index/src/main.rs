#![cfg_attr(
    not(test),
    warn(clippy::expect_used, clippy::indexing_slicing, clippy::panic, clippy::unwrap_used)
)]

use dlmalloc::GlobalDlmalloc;
use p4warden_index::base::fault::Fault;
use p4warden_index::base::usage::Usage;
use p4warden_index::subcommands::{build, count, leading_parts, lengths, records, show};
use std::ffi::OsString;
use std::process::ExitCode;

/// musl's allocator takes several times as long.
#[global_allocator]
static HEAP: GlobalDlmalloc = GlobalDlmalloc;

const VERSION: &str = concat!("p4warden-index ", env!("P4WARDEN_VERSION"), "\n");
const USAGE: Usage = Usage {
    program: "p4warden-index",
    text: "\
usage: p4warden-index build --output FILE [--journal JOURNAL]... [--server-id NAME]
                            [--progress | --tables NAME,...] [--case sensitive|folded]
                            [--files FILE --questions FILE [--since SECONDS]] CHECKPOINT...
           Build an index of a checkpoint and later journals; print the records of tables meanwhile.
           With --files, then find narrower views that keep the files of the clients named in the
           file of --questions, one JSON object a line.
       p4warden-index show FILE
           Print the source and the totals of an index.
       p4warden-index count FILE PATH...
           Count the files and revisions in depot paths; the path - reads them from standard input.
       p4warden-index estimate FILE --client NAME [PATH...]
           Estimate the files and revisions in a client's view, or in the paths of it.
       p4warden-index records --tables NAME,... [--journal JOURNAL]... [CHECKPOINT...]
           Print records of a checkpoint and of journals.
       p4warden-index clients FILE
           Print all clients with their numbers of files and their owners.
       p4warden-index places FILE
           Print the depots and their top-level directories with their numbers of files.
       p4warden-index lengths FILE
           Count the sampled files by the lengths of their paths.
       p4warden-index leading FILE
           Print the directories with most revisions, at all levels.
       p4warden-index --help | --version
",
};

fn main() -> ExitCode {
    let words: Vec<OsString> = std::env::args_os().skip(1).collect();
    let rest = words.get(1..).unwrap_or_default();
    let subcommand = words.first().and_then(|word| word.to_str()).unwrap_or_default();
    let result = match subcommand {
        "build" => build::run(rest),
        "show" => show::show(rest),
        "count" => count::count(rest),
        "estimate" => count::estimate(rest),
        "records" => records::run(rest),
        "clients" => show::clients(rest),
        "places" => show::places(rest),
        "lengths" => lengths::run(rest),
        "leading" => leading_parts::run(rest),
        "--version" => Usage::print_version(VERSION),
        "-h" | "--help" => Err(Fault::Help),
        _ => Err(Fault::Usage("the first word must be a subcommand".to_owned())),
    };
    result.map_or_else(|fault| USAGE.end(subcommand, &fault), |()| ExitCode::SUCCESS)
}
