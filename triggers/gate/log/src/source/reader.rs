use crate::parse::structured::{Assembly, StructuredLog};
use crate::parse::text::{Detail, TextLog};
use crate::record::counts::Counts;
use crate::record::sink::{File, Sink};
use crate::source::lines::Lines;
use crate::source::log_files::{Form, Log, OpenLog};
use crate::source::log_merge::LogMerge;
use p4warden_index::base::fault::reason;

/// Of log text, between two reports of the progress.
const STEP_BYTES: u64 = 1 << 20;

/// Whether more data may be appended to the log; asked at the end of its data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MoreData {
    No,
    Perhaps,
    /// Commands that have ended are passed to the sink, and reading continues.
    NotSoon,
}

/// Reads the oldest log first; a command may begin in one file and end in the next.
#[derive(Debug)]
pub struct Reader {
    text: TextLog,
    structured_log: StructuredLog,
    /// Of text, after decompression.
    pub bytes: u64,
    long_lines: u64,
    files: u32,
}

impl Reader {
    pub fn new(zone: tz::TimeZone, detail: Detail) -> Self {
        let (text, structured_log) = (TextLog::new(zone, detail), StructuredLog::default());
        Reader { text, structured_log, bytes: 0, long_lines: 0, files: 0 }
    }

    pub fn files_from(&mut self, number: u32) {
        self.files = number;
    }

    /// At the end of the data `more` is asked whether to wait; its second argument is true if data
    /// came since the previous call. `progress` gets the number of bytes of the stored file read so
    /// far, and returns whether to continue. Records passed on before an error are valid.
    pub fn read<S: Sink>(
        &mut self,
        log: &Log,
        sink: &mut S,
        mut more: impl FnMut(&mut S, bool) -> MoreData,
        progress: impl FnMut(u64) -> bool,
    ) -> Result<(), String> {
        self.text.begin_file(self.files);
        self.files += 1;
        let (before, first_bytes) = (self.lines(), self.bytes);
        let log_file = loop {
            match log.open() {
                Ok(None) if more(sink, false) != MoreData::No => {}
                log_file => break log_file,
            }
        };
        let form = log_file.as_ref().ok().and_then(|log_file| Some(log_file.as_ref()?.form.word()));
        let result = match log_file {
            Ok(Some(log_file)) => {
                let result = self.text_of(log_file, sink, more, progress);
                result.map_err(|error| format!("{}: {}", log.path, reason(&error)))
            }
            Ok(None) => Ok(()),
            Err(problem) => Err(problem),
        };
        let (lines, unknown) = self.lines_since(before);
        sink.file(&File {
            number: self.files - 1,
            path: &log.path,
            form,
            bytes: self.bytes - first_bytes,
            lines: [lines, unknown],
            problem: result.as_ref().err().map(String::as_str),
        });
        result
    }

    /// In the order of the records' times, because the records of one command are spread over
    /// several files (`commands.csv`, `track.csv`). Returns one-line errors.
    pub fn read_together(
        &mut self,
        logs: &[Log],
        sink: &mut impl Sink,
        mut progress: impl FnMut(u64),
    ) -> Vec<String> {
        let mut log_merge = LogMerge::new(logs, self.files);
        self.files += u32::try_from(logs.len()).unwrap_or(u32::MAX);
        let mut next = STEP_BYTES;
        while let Some(source) = log_merge.earliest(sink) {
            let (before, lines) = (self.lines(), source.new_lines());
            self.structured_log.count_lines(lines);
            self.structured_log.record(source.file, &source.records, sink);
            source.unknown_records += self.lines_since(before).1;
            let is_at_end = source.advance();
            if log_merge.bytes() >= next {
                next = log_merge.bytes() + STEP_BYTES;
                progress(log_merge.stored_bytes());
            }
            if is_at_end {
                log_merge.end(sink);
            }
        }
        self.bytes += log_merge.bytes();
        self.long_lines += log_merge.long_lines;
        progress(log_merge.stored_bytes());
        log_merge.problems
    }

    fn lines_since(&self, before: [u64; 2]) -> (u64, u64) {
        let ([lines, unknown], [lines_before, unknown_before]) = (self.lines(), before);
        (lines - lines_before, unknown - unknown_before)
    }

    fn text_of<S: Sink>(
        &mut self,
        log_file: OpenLog,
        sink: &mut S,
        mut more: impl FnMut(&mut S, bool) -> MoreData,
        mut progress: impl FnMut(u64) -> bool,
    ) -> std::io::Result<()> {
        let OpenLog { form, text, read_bytes } = log_file;
        let (mut lines, mut next, mut bytes_before) = (Lines::new(text), STEP_BYTES, 0);
        let mut records = Assembly::default();
        let result = loop {
            match lines.complete_line() {
                Ok(Some(line)) => self.line(form, &mut records, line, sink),
                Ok(None) => {
                    let some = std::mem::replace(&mut bytes_before, lines.bytes()) < lines.bytes();
                    match more(sink, some) {
                        MoreData::No => break Ok(()),
                        MoreData::Perhaps => {}
                        MoreData::NotSoon => self.pause(form, sink),
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
        if let Some(rest) = lines.last_line() {
            self.line(form, &mut records, rest, sink);
        }
        self.structured_log.end(self.files - 1, &mut records, sink);
        self.bytes += lines.bytes();
        self.long_lines += lines.cut_lines;
        progress(read_bytes.get());
        result
    }

    fn lines(&self) -> [u64; 2] {
        let ([text, text_unknown], [structured, unknown]) =
            (self.text.lines(), self.structured_log.lines());
        [text + structured, text_unknown + unknown]
    }

    pub fn finish(&mut self, sink: &mut impl Sink) {
        self.text.finish(sink);
        self.structured_log.finish(sink);
    }

    /// Counts since the previous call.
    pub fn counts(&mut self) -> Counts {
        let mut counts = self.text.counts();
        counts.add(self.structured_log.counts());
        counts.long_lines += std::mem::take(&mut self.long_lines);
        counts
    }

    fn line(&mut self, form: Form, records: &mut Assembly, line: &[u8], sink: &mut impl Sink) {
        match form {
            Form::Text => self.text.line(line, sink),
            Form::Structured => self.structured_log.line(self.files - 1, records, line, sink),
        }
    }

    fn pause(&mut self, form: Form, sink: &mut impl Sink) {
        match form {
            Form::Text => self.text.pause(sink),
            Form::Structured => self.structured_log.pause(sink),
        }
    }
}
