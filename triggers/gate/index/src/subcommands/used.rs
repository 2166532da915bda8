use crate::base::fault::Fault;
use crate::base::options::Options;
use crate::estimate::form::used_document;
use crate::subcommands::json_lines::{Lines, open_index};
use crate::subcommands::span::{names, number, of_case, of_server};
use std::ffi::OsString;

/// `p4warden-index used`: as one JSON line, the directories in depot syntax that contain most of
/// the synced files of `--client`, then those of all clients of `--user`. With `--at-most N`,
/// directories with more than N files on the server are left out.
pub fn run(words: &[OsString]) -> Result<(), Fault> {
    let options = Options::read(words, &[], &["at-most", "case", "server-id", "user", "client"])?;
    let (file, _) = options.file_and_rest()?;
    let at_most = options.get("at-most").map(number).transpose()?;
    let index = of_server(open_index(file)?, options.get("server-id"), file)?;
    let index = of_case(index, options.get("case"), file)?;
    let directories = index.used_directories(names(&options), at_most);
    let directories = directories.map_err(|problem| Fault::File(format!("{file}: {problem}")))?;
    let mut lines = Lines::new();
    lines.line(&used_document(&directories));
    lines.finish()
}
