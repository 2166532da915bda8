//! The program `p4warden-index`: counts a Perforce server's files and revisions from its
//! checkpoints and journals.

#![cfg_attr(
    not(test),
    warn(clippy::expect_used, clippy::indexing_slicing, clippy::panic, clippy::unwrap_used)
)]

use dlmalloc::GlobalDlmalloc;
use p4warden_index::base::trouble::Trouble;
use p4warden_index::subcommands::{
    build, count, longest, records, rightsize, show, span, update, used,
};
use std::ffi::OsString;
use std::process::ExitCode;

/// The program's memory allocator: dlmalloc, because musl's allocator takes several times as long.
#[global_allocator]
static HEAP: GlobalDlmalloc = GlobalDlmalloc;

const USAGE: &str = "\
usage: p4warden-index build --output FILE [--journal JOURNAL]... [--server-id NAME] [--progress] CHECKPOINT...
       p4warden-index update FILE --journal JOURNAL [--rotated PREFIX]   add later changes from journals
       p4warden-index show FILE                   source and totals of an index
       p4warden-index count FILE PATH...          files and revisions in depot paths
       p4warden-index estimate FILE --client NAME [PATH...]   files and revisions in a client's view
       p4warden-index span FILE [--at-most N] [--case CASE]   files in a view read from standard input
       p4warden-index used FILE [--client NAME] [--user NAME]   directories that they have files from
       p4warden-index records FILE --tables NAME,... [--growing]   records of a checkpoint or journal
       p4warden-index clients FILE                all clients with their counts
       p4warden-index places FILE                 depots and their top-level directories
       p4warden-index rightsize [--journal JOURNAL]... [--files FILE] [--since SECONDS] CHECKPOINT...   narrowest sufficient view of clients
       p4warden-index longest FILE...             longest file paths
       p4warden-index --version
";

fn main() -> ExitCode {
    let words: Vec<OsString> = std::env::args_os().skip(1).collect();
    let rest = words.get(1..).unwrap_or_default();
    let result = match words.first().and_then(|word| word.to_str()).unwrap_or_default() {
        "build" => build::run(rest),
        "update" => update::run(rest),
        "show" => show::show(rest),
        "count" => count::count(rest),
        "estimate" => count::estimate(rest),
        "span" => span::run(rest),
        "used" => used::run(rest),
        "records" => records::run(rest),
        "clients" => show::clients(rest),
        "places" => show::places(rest),
        "rightsize" => rightsize::run(rest),
        "longest" => longest::run(rest),
        "--version" => {
            println!("p4warden-index {}", env!("CARGO_PKG_VERSION"));
            Ok(())
        }
        _ => Err(Trouble::Usage("no such command".to_owned())),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(Trouble::Usage(problem)) => {
            eprint!("p4warden-index: {problem}\n{USAGE}");
            ExitCode::from(2)
        }
        Err(Trouble::File(problem)) => {
            eprintln!("p4warden-index: {problem}");
            ExitCode::FAILURE
        }
    }
}
