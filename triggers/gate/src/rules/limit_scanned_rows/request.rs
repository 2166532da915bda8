//! What to send in place of a command that would read too many records.
//!
//! Whatever is proposed is judged as the user would send it, and is left out if a rule objects.

use crate::base::text::with_separators;
use crate::contract::finding::Fix;
use crate::contract::rule_result::Allows;
use crate::paths::argument_words::Words;
use crate::paths::depot_path::{path_and_revision, path_of};
use crate::proposals::choice::is_plain;
use crate::proposals::plain_arguments::plain_arguments;
use crate::proposals::program_words::{Remedy, words_of};
use crate::proposals::stream_clients;
use crate::rules::limit_scanned_rows::argument::Scan;
use crate::rules::limit_scanned_rows::narrower_command::narrower_command;
use crate::rules::limit_scanned_rows::smaller_part::Search;
use crate::rules::limit_scanned_rows::unit;

/// A command that exceeds a limit, in one reading of its arguments.
pub struct Request<'a> {
    pub scan: Scan<'a>,
    /// The words after the options.
    pub words: Words<'a>,
    /// The argument with the most records; None for the command as a whole.
    pub word: Option<&'a [u8]>,
    pub limit: u64,
}

/// A smaller part of an argument, with at most so many records.
struct SmallPart {
    path: String,
    /// Behind the path, as in the argument.
    revision: String,
    rows: u64,
}

impl<'a> Request<'a> {
    pub fn fix(&self, allows: Allows<'_>) -> Fix {
        let part = self.small_part(allows);
        let fix = Fix::Advice(self.advice(part.as_ref()));
        let event = self.scan.event;
        let menu = words_of(event.prog, Remedy::SyncLess);
        let menu = menu.filter(|_| event.name.main_name == b"sync").map(str::to_owned);
        let others = [narrower_command(self, allows), self.less_of_stream(part), menu];
        others.into_iter().flatten().fold(fix, Fix::and_then)
    }

    /// The arguments with another file argument in place of all.
    pub fn with_argument(&self, argument: &[u8]) -> Vec<u8> {
        [self.options(), argument].join(&b' ').trim_ascii().to_vec()
    }

    fn options(&self) -> &'a [u8] {
        self.words.text_before(self.scan.event.args.unwrap_or_default())
    }

    /// The command with another file argument, to be copied.
    pub fn shown(&self, argument: &str) -> Option<String> {
        self.shown_with(&self.with_argument(argument.as_bytes()))
    }

    /// The command with other arguments, to be copied; None if a shell or a refusal would change them.
    pub fn shown_with(&self, args: &[u8]) -> Option<String> {
        let event = self.scan.event;
        let args = plain_arguments(event, args)?;
        Some(format!("p4 {} {args}", event.excerpt(event.command)))
    }

    /// None without one, and for a path that a refusal would show escaped or cut, because it would
    /// name other files.
    fn small_part(&self, allows: Allows<'_>) -> Option<SmallPart> {
        let (path, revision) = path_and_revision(self.word.unwrap_or_default());
        let accepts = |path: &[u8]| {
            let argument = [path, revision].concat();
            self.scan.event.excerpt(&argument).as_bytes() == argument
                && allows(&self.with_argument(&argument))
        };
        let path = Some(path).filter(|path| !path.is_empty());
        let (part, rows) = Search::of(&self.scan, path, self.limit, &accepts)?.smaller_part()?;
        let [path, revision] = [part, revision.to_vec()].map(|text| String::from_utf8(text).ok());
        Some(SmallPart { path: path?, revision: revision?, rows })
    }

    /// For a client of a stream whose view decides what is read: how it maps less of the stream.
    fn less_of_stream(&self, part: Option<SmallPart>) -> Option<String> {
        let event = self.scan.event;
        let word = self.word.map_or(&b"//..."[..], path_of);
        let (client, _) = self.scan.through_view(word)?;
        let stream = event.stream().filter(|_| event.client == Some(client.name()))?;
        let path = part.map(|part| part.path);
        let path = path.filter(|path| is_plain(path) && path.starts_with("//"));
        stream_clients::less_of(&stream, path.as_deref(), event.limit_view, event.unicode)
    }

    /// To run the command for a smaller part of the files, with a command to copy or the path of such a
    /// part if one is found.
    fn advice(&self, part: Option<&SmallPart>) -> String {
        let Some(SmallPart { path, revision, rows }) = part else {
            return "Run it for the directories that you need, one after another.".to_owned();
        };
        let part = format!("{path}{revision}");
        let (rows, unit) = (with_separators(*rows), unit(&self.scan));
        let command = self.shown(&part).map(|command| format!(": {command}"));
        let example = command.unwrap_or_else(|| format!(" is {part}"));
        format!(
            "Run it for the part that you need, or for one part after another. \
             A part of at most {rows} {unit}{example}"
        )
    }
}
