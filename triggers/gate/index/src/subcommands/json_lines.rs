//! Opens a checkpoint index and prints JSON lines, for the subcommands of `p4warden-index`.

use crate::base::text::decoded;
use crate::base::trouble::Trouble;
use crate::file::index::Index;
use serde_json::Value;
use std::io::{self, Write, stdout};
use std::path::Path;

/// Opens a checkpoint index, with the delta file beside it if that is usable. The error names the
/// file.
pub fn open_index(path: &str) -> Result<Index, Trouble> {
    let index = Index::open(Path::new(path));
    let index = index.map_err(|problem| Trouble::File(format!("{path}: {problem}")))?;
    Ok(index.with_delta_beside(Path::new(path)))
}

/// Converts a name or path to a JSON string; a byte that is not UTF-8 becomes the escape `\xNN`, as
/// in the decision log.
#[must_use]
pub fn text(bytes: &[u8]) -> Value {
    Value::String(decoded(bytes).into_owned())
}

/// Printer of JSON lines on standard output; after a failed write, further lines are discarded.
pub struct Lines {
    output: io::BufWriter<io::StdoutLock<'static>>,
    error: Option<io::Error>,
}

impl Default for Lines {
    fn default() -> Self {
        Self::new()
    }
}

impl Lines {
    /// Creates a printer of JSON lines for standard output.
    #[must_use]
    pub fn new() -> Self {
        Lines { output: io::BufWriter::new(stdout().lock()), error: None }
    }

    /// Prints a JSON value as one line, unless an earlier line could not be printed.
    pub fn line(&mut self, value: &Value) {
        if self.error.is_none() {
            self.error = writeln!(self.output, "{value}").err();
        }
    }

    /// Writes the buffered lines to standard output; returns false if a line could not be written.
    pub fn flush(&mut self) -> bool {
        if self.error.is_none() {
            self.error = self.output.flush().err();
        }
        self.error.is_none()
    }

    /// Ends the printing: writes the buffered lines to standard output, unless an earlier write
    /// failed. Returns the error of the first failed write; a closed pipe is no error.
    pub fn finish(mut self) -> Result<(), Trouble> {
        let failed = self.error.take().or_else(|| self.output.flush().err());
        match failed {
            Some(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                Err(Trouble::File(format!("the standard output: {error}")))
            }
            _ => Ok(()),
        }
    }
}
