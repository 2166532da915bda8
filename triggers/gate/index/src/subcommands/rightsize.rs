//! `p4warden-index build --files FILE --questions FILE`, after the index is complete: prints `null`,
//! then answers the questions in the file of `--questions`, one JSON object per line, ended by `null`
//! or the end of that file.
//! Fields of a question: `client`; optional limits `max_files` and
//! `min_directories`; and optionally `synced`, the paths that the client synced according to a log.
//! Each answer is one JSON line on standard output. After an answer with a proposal, the program
//! reads one more line: an array of directories that no view line may name, after which it
//! answers about the same client again; it is empty if the proposal is accepted.
//!
//! The files that the clients have synced or opened are written to FILE, which is new: client name,
//! depot path, client path, and `1` for a needed file or an empty text for another, each followed by
//! NUL. With `--since SECONDS` a client needs only files that are open, that were synced or submitted
//! since that time (in seconds since the Unix epoch), or that `synced` contains.

use crate::assemble::index_writer::IndexContents;
use crate::base::fault::Fault;
use crate::base::order::folded_key;
use crate::base::text::encoded;
use crate::estimate::client_view::ClientView;
use crate::file::view_line::ViewLine;
use crate::rightsize::choice::{Choice, choice};
use crate::rightsize::proposals::{ClientData, MeasuredClient, gather};
use crate::subcommands::json_lines::{Lines, text};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Write};

pub fn run(contents: IndexContents, files: &str, questions: &str) -> Result<(), Fault> {
    let fault = |path, error: io::Error| Fault::File(format!("{path}: {error}"));
    let input = File::open(questions).map_err(|error| fault(questions, error))?;
    let (mut lines, mut input) = (Lines::default(), BufReader::new(input));
    lines.line(&Value::Null);
    lines.flush();
    let folds = contents.case.folds();
    let questions = Question::read_all(&mut input)?.into_iter();
    let mut questions: BTreeMap<Vec<u8>, Question> =
        questions.map(|one| (folded_key(&one.client, folds), one)).collect();
    let synced_paths = |(name, one): (&Vec<u8>, &mut Question)| {
        (name.clone(), std::mem::take(&mut one.synced_paths))
    };
    let selection = questions.iter_mut().map(synced_paths).collect();
    let client_files =
        gather(contents, &selection).map_err(|error| Fault::of_temporary_file(&error))?;
    write_files(&client_files, files).map_err(|error| fault(files, error))?;
    client_files.each(|client_tree| {
        let question = questions.get(&folded_key(&client_tree.client.name, folds));
        question.map_or(Ok(()), |question| question.answer(client_tree, &mut input, &mut lines))
    })?;
    lines.finish()
}

fn write_files(client_files: &ClientData, path: &str) -> io::Result<()> {
    let mut to = BufWriter::new(File::create_new(path)?);
    client_files.each_file(|client, file, is_needed| {
        let mark: &[u8] = if is_needed { b"1" } else { b"" };
        [client, file.depot, file.client_path, mark]
            .iter()
            .try_for_each(|text| to.write_all(text).and_then(|()| to.write_all(b"\0")))
    })?;
    to.flush()
}

/// Limits of the proposed view, and the paths that the client synced according to a log.
#[derive(Debug)]
struct Question {
    client: Vec<u8>,
    max_files: Option<u64>,
    /// Below the depot, in every view line of the proposal.
    min_directories: usize,
    synced_paths: Vec<Vec<u8>>,
}

impl Question {
    /// Up to `null` or the end of the input.
    fn read_all(input: &mut BufReader<File>) -> Result<Vec<Question>, Fault> {
        let mut questions = Vec::new();
        loop {
            let question = match next_line(input)? {
                Value::Null => return Ok(questions),
                question => question,
            };
            let name = question
                .get("client")
                .and_then(Value::as_str)
                .ok_or_else(|| unreadable("no client"))?;
            let number = |key: &str| question.get(key).and_then(Value::as_u64);
            let synced_paths =
                question.get("synced").and_then(Value::as_array).into_iter().flatten();
            let synced_paths = synced_paths.filter_map(Value::as_str).map(encoded);
            questions.push(Question {
                client: encoded(name),
                max_files: number("max_files"),
                min_directories: number("min_directories").unwrap_or(0) as usize,
                synced_paths: synced_paths.collect(),
            });
        }
    }

    fn answer(
        &self,
        mut client_tree: MeasuredClient,
        input: &mut BufReader<File>,
        lines: &mut Lines,
    ) -> Result<(), Fault> {
        for directory in &mut client_tree.tree.directories {
            let depth = directory.path.iter().filter(|byte| **byte == b'/').count();
            directory.is_allowed &= directory.is_file() || depth >= 3 + self.min_directories;
        }
        loop {
            let choice = choice(&client_tree.tree, self.max_files);
            lines.line(&answer(&client_tree, choice.as_ref()));
            if choice.is_none() || !lines.flush() {
                return Ok(());
            }
            let refused_paths = match next_line(input)? {
                Value::Array(refused_paths) if !refused_paths.is_empty() => refused_paths,
                _ => return Ok(()),
            };
            forbid(&mut client_tree, &refused_paths);
        }
    }
}

fn forbid(client_tree: &mut MeasuredClient, refused_paths: &[Value]) {
    let folds = client_tree.client.view.folds;
    let paths = refused_paths.iter().filter_map(Value::as_str);
    let refused_paths: BTreeSet<Vec<u8>> =
        paths.map(|path| folded_key(&encoded(path), folds)).collect();
    for directory in &mut client_tree.tree.directories {
        directory.is_allowed &= !refused_paths.contains(&folded_key(&directory.path, folds));
    }
}

fn answer(client_tree: &MeasuredClient, choice: Option<&Choice>) -> Value {
    let client = &client_tree.client;
    json!({
        "client": text(&client.name),
        "needed": client.needed_count,
        "unused": client.unused_count,
        "moved": client.moved_count,
        "outside": client.outside_count,
        "has_own_have": client.is_elsewhere(),
        "files": client_tree.files,
        "least_files": client_tree.tree.least_files(),
        "unmappable": client_tree
            .tree
            .unmappable_directory()
            .map(|directory| text(directory_of(&directory.path))),
        "proposal": choice.map(|choice| {
            let directories = client_tree.tree.paths(&choice.places);
            let rows = client.view.narrowed_to(&directories, &client.used_rows);
            json!({
                "files": choice.files,
                "directories": directories.iter().map(|path| text(path)).collect::<Vec<_>>(),
                "view": rows.iter().map(row).collect::<Vec<_>>(),
            })
        }),
        "view": rows_of(&client.view),
    })
}

fn directory_of(path: &[u8]) -> &[u8] {
    let end = path.iter().rposition(|byte| *byte == b'/');
    end.and_then(|end| path.get(..=end)).unwrap_or(path)
}

fn rows_of(view: &ClientView) -> Vec<Value> {
    view.rows().iter().filter(|row| !row.is_of_server()).map(row).collect()
}

fn row(row: &ViewLine) -> Value {
    json!([row.mark(), text(&row.depot), text(&row.client)])
}

/// Null at the end of the input.
fn next_line(input: &mut BufReader<File>) -> Result<Value, Fault> {
    let mut line = String::new();
    input.read_line(&mut line).map_err(|error| unreadable(&error.to_string()))?;
    if line.trim().is_empty() {
        return Ok(Value::Null);
    }
    serde_json::from_str(&line).map_err(|error| unreadable(&error.to_string()))
}

fn unreadable(problem: &str) -> Fault {
    Fault::Usage(format!("the questions: {problem}"))
}
