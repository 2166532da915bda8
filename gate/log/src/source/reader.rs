//! Logs -> commands and events, file after file.

use crate::parse::structured::StructuredLog;
use crate::parse::text::{Detail, TextLog};
use crate::record::counts::Counts;
use crate::record::sink::{File, Sink};
use crate::source::lines::Lines;
use crate::source::log_files::{Form, Log, Opened};
use crate::source::storage::reason;

/// How often progress is told, in bytes of text.
const STEP_BYTES: u64 = 1 << 20;

/// Whether a log that was read to its end goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum More {
    /// It does not.
    No,
    /// It may.
    Perhaps,
    /// It may, but it has been silent for a while: complete commands are told.
    NotSoon,
}

/// Reads logs of one server, the oldest first; a command may begin in one and end in the next.
#[derive(Debug)]
pub struct Reader {
    text: TextLog,
    structured: StructuredLog,
    /// How many bytes of text were read.
    pub bytes: u64,
    too_long: u64,
    files: u32,
}

impl Reader {
    /// Reads logs whose times are of a zone.
    #[must_use]
    pub fn new(zone: tz::TimeZone, detail: Detail) -> Self {
        let (text, structured) = (TextLog::new(zone, detail), StructuredLog::default());
        Reader { text, structured, bytes: 0, too_long: 0, files: 0 }
    }

    /// Lets the files be counted from a number on.
    pub fn files_from(&mut self, number: u32) {
        self.files = number;
    }

    /// Reads a log to its end. When there is nothing more to read `more` is asked whether there
    /// may be more later; it is told whether there was something since it was asked last.
    /// `progress` is told how many bytes of the stored file were read, and answers whether to go on.
    ///
    /// The error is one line; records read before it are good.
    pub fn read<S: Sink>(
        &mut self,
        log: &Log,
        sink: &mut S,
        mut more: impl FnMut(&mut S, bool) -> More,
        progress: impl FnMut(u64) -> bool,
    ) -> Result<(), String> {
        self.text.begin_file(self.files);
        self.structured.begin_file(self.files, sink);
        self.files += 1;
        let (before, first_bytes) = (self.lines(), self.bytes);
        let opened = loop {
            match log.open() {
                Ok(None) if more(sink, false) != More::No => {}
                opened => break opened,
            }
        };
        let form = opened.as_ref().ok().and_then(|opened| Some(opened.as_ref()?.form.word()));
        let result = match opened {
            Ok(Some(opened)) => {
                let result = self.text_of(opened, sink, more, progress);
                result.map_err(|error| format!("{}: {}", log.path, reason(&error)))
            }
            Ok(None) => Ok(()),
            Err(problem) => Err(problem),
        };
        let ([all, unknown], [all_before, unknown_before]) = (self.lines(), before);
        sink.file(&File {
            number: self.files - 1,
            path: &log.path,
            form,
            bytes: self.bytes - first_bytes,
            lines: [all - all_before, unknown - unknown_before],
            problem: result.as_ref().err().map(String::as_str),
        });
        result
    }

    fn text_of<S: Sink>(
        &mut self,
        opened: Opened,
        sink: &mut S,
        mut more: impl FnMut(&mut S, bool) -> More,
        mut progress: impl FnMut(u64) -> bool,
    ) -> std::io::Result<()> {
        let Opened { form, text, read_bytes } = opened;
        let (mut lines, mut next, mut asked) = (Lines::new(text), STEP_BYTES, 0);
        let result = loop {
            match lines.whole() {
                Ok(Some(line)) => self.line(form, line, sink),
                Ok(None) => {
                    let some = std::mem::replace(&mut asked, lines.bytes()) < lines.bytes();
                    match more(sink, some) {
                        More::No => break Ok(()),
                        More::Perhaps => {}
                        More::NotSoon => self.pause(form, sink),
                    }
                }
                Err(error) => break Err(error),
            }
            if lines.bytes() >= next {
                next = lines.bytes() + STEP_BYTES;
                if !progress(read_bytes.get()) {
                    break Ok(());
                }
            }
        };
        if let Some(rest) = lines.rest() {
            self.line(form, rest, sink);
        }
        self.bytes += lines.bytes();
        self.too_long += lines.cut;
        progress(read_bytes.get());
        result
    }

    fn lines(&self) -> [u64; 2] {
        let ([text, text_unknown], [structured, unknown]) =
            (self.text.lines(), self.structured.lines());
        [text + structured, text_unknown + unknown]
    }

    /// Tells all that is still open.
    pub fn finish(&mut self, sink: &mut impl Sink) {
        self.text.finish(sink);
        self.structured.finish(sink);
    }

    /// Counts of the lines read, and of the lines not understood.
    pub fn counts(&mut self) -> Counts {
        let mut counts = self.text.counts();
        counts.add(self.structured.counts());
        counts.too_long += std::mem::take(&mut self.too_long);
        counts
    }

    fn line(&mut self, form: Form, line: &[u8], sink: &mut impl Sink) {
        match form {
            Form::Text => self.text.line(line, sink),
            Form::Structured => self.structured.line(line, sink),
        }
    }

    fn pause(&mut self, form: Form, sink: &mut impl Sink) {
        match form {
            Form::Text => self.text.pause(sink),
            Form::Structured => self.structured.pause(sink),
        }
    }
}
