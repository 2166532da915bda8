//! Answers to the form worker's questions to the gate: how many files the view of a form spans, from
//! which directories the form's client or user has files, and whether the server has the client.
//!
//! The worker asks through a socket, so that no further process is started for an answer. A
//! question is a line `span AT_MOST LINES`, `used AT_MOST LINES` or `exists - 0`, followed by LINES
//! lines with depot paths. AT_MOST is a number of files, `-` for no limit: a view that spans more is answered
//! with its widest lines, and a directory with more is left out. An answer is a line of JSON
//! (`worker/gate_index.py`). Client and user are those of the trigger line, so the worker passes
//! none.

use crate::base::fault::Fault;
use crate::event::arguments::Arguments;
use crate::home::checkpoint_index;
use crate::home::facts_file::FactsFile;
use crate::home::folder::{Home, SAVED};
use p4warden_index::estimate::form::{Names, used_document};
use p4warden_index::file::index::Index;
use p4warden_index::file::saved_forms::SavedForms;
use serde_json::{Value, json};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::thread;

/// Maximum length in bytes of all questions of one worker together; a form has at most 4 MiB.
const MAX_QUESTIONS_BYTES: u64 = 16 << 20;

/// The facts by which the gate answers a worker's questions: home folder, the event's user, and the
/// client whose form the event is about (None for other forms).
struct Asker {
    home: Home,
    client: Option<Vec<u8>>,
    user: Option<Vec<u8>>,
}

/// Starts a thread that answers the worker's questions from a socket; without a separate thread a
/// long form could keep this process from ending the worker at its deadline. If the thread cannot
/// be started, the socket is closed, and the worker continues without answers.
pub fn answer(stream: UnixStream, home: &Home, arguments: &Arguments<'_>) {
    let is_client = arguments.get("type") == Some(b"client");
    let asker = Asker {
        home: home.clone(),
        client: arguments.get("name").filter(|_| is_client).map(<[u8]>::to_vec),
        user: arguments.get("user").map(<[u8]>::to_vec),
    };
    // An error means that the worker has ended and needs no further answers, so it is ignored.
    let answering = move || asker.serve(&stream).unwrap_or_default();
    let _ = thread::Builder::new().spawn(answering);
}

impl Asker {
    fn serve(&self, stream: &UnixStream) -> io::Result<()> {
        let index = self.index();
        let mut input = BufReader::new(stream.take(MAX_QUESTIONS_BYTES));
        while let Some(question) = Question::read(&mut input)? {
            let answer = match &index {
                Ok(None) => json!({}),
                Ok(Some(index)) => self.answer(index, &question),
                Err(fault) => json!({"problem": fault.to_string()}),
            };
            let mut output = stream;
            output.write_all(format!("{answer}\n").as_bytes())?;
        }
        Ok(())
    }

    fn index(&self) -> Result<Option<Index>, Fault> {
        let facts = FactsFile::open(&self.home)?;
        let server_id = facts.server_id.as_deref();
        checkpoint_index::open(&self.home, !facts.case_sensitive, server_id)
    }

    fn answer(&self, index: &Index, question: &Question) -> Value {
        let names = Names { client: self.client.as_deref(), user: self.user.as_deref() };
        let document = match question.subject {
            Subject::Span => {
                let at_most = question.max_files.unwrap_or(u64::MAX);
                index.span(&question.paths, at_most, names).map(|span| span.document())
            }
            Subject::Used => {
                let directories = index.used_directories(names, question.max_files);
                directories.map(|directories| used_document(&directories))
            }
            Subject::Exists => {
                let saved_forms = self.home.open_if_there(SAVED);
                let saved_forms = saved_forms.map(|notes| SavedForms::of_file(notes.file));
                let index = index.clone().with_saved(saved_forms);
                let exists = index.has_client(names.client.unwrap_or_default());
                exists.map(|exists| json!({"exists": exists}))
            }
        };
        document.unwrap_or_else(|damaged| json!({"problem": damaged.to_string()}))
    }
}

/// The subject of a question: the files that depot paths span, the directories from which the
/// client and the user have files, or whether the server has the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Subject {
    Span,
    Used,
    Exists,
}

/// A question of the form worker about the checkpoint index.
#[derive(Debug, PartialEq, Eq)]
struct Question {
    subject: Subject,
    max_files: Option<u64>,
    paths: Vec<Vec<u8>>,
}

impl Question {
    /// Reads the worker's next question; None at the end, or if the text is not a question.
    fn read(input: &mut impl BufRead) -> io::Result<Option<Self>> {
        let Some((subject, max_files, lines)) = line(input)?.and_then(|line| front(&line)) else {
            return Ok(None);
        };
        let mut paths = Vec::new();
        for _ in 0..lines {
            let Some(path) = line(input)? else { return Ok(None) };
            paths.push(path);
        }
        Ok(Some(Question { subject, max_files, paths }))
    }
}

/// Parses the first line of a worker's question: its subject, the limit on the number of files (None
/// for no limit), and the number of paths that follow. None if the line is damaged.
fn front(line: &[u8]) -> Option<(Subject, Option<u64>, u64)> {
    let mut words = str::from_utf8(line).ok()?.split(' ');
    let subject = match words.next()? {
        "span" => Subject::Span,
        "used" => Subject::Used,
        "exists" => Subject::Exists,
        _ => return None,
    };
    let at_most = match words.next()? {
        "-" => None,
        digits => Some(digits.parse().ok()?),
    };
    Some((subject, at_most, words.next()?.parse().ok()?))
}

/// Reads the next line of a worker's question, without the line end; None at the end of the input,
/// or if the line is cut off.
fn line(input: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    input.read_until(b'\n', &mut line)?;
    Ok((line.pop() == Some(b'\n')).then_some(line))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(mut text: &[u8]) -> Option<Question> {
        Question::read(&mut text).unwrap()
    }

    #[test]
    fn questions_are_read_with_paths_of_any_bytes() {
        let question = read(b"span 20 3\n//depot/a\xff/...\n\nused - 0\nused 1 0\n");
        let paths = [&b"//depot/a\xff/..."[..], b"", b"used - 0"].map(<[u8]>::to_vec).to_vec();
        assert_eq!(question, Some(Question { subject: Subject::Span, max_files: Some(20), paths }));
        let question = Question { subject: Subject::Used, max_files: None, paths: Vec::new() };
        assert_eq!(read(b"used - 0\n"), Some(question));
    }

    #[test]
    fn a_truncated_or_unknown_question_is_none() {
        for text in ["", "span 20 1", "span 20 1\n", "span 20 2\n//a\n//b", "spun 1 0\n", "used\n"]
        {
            assert_eq!(read(text.as_bytes()), None, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn reading_a_question_from_arbitrary_bytes_does_not_panic(bytes: Vec<u8>) {
            let _ = read(&bytes);
        }
    }
}
