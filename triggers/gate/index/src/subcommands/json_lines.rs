use crate::base::fault::Fault;
use crate::base::text::decoded;
use crate::file::index::Index;
use crate::file::trees::IndexError;
use serde_json::Value;
use std::io::{self, Write, stdout};
use std::path::Path;

pub fn open_index(path: &str) -> Result<Index, Fault> {
    Index::open(Path::new(path)).map_err(|problem| of_index(path, &problem))
}

pub fn of_index(path: &str, problem: &IndexError) -> Fault {
    Fault::File(format!("{path}: {problem}"))
}

pub fn text(bytes: &[u8]) -> Value {
    Value::String(decoded(bytes).into_owned())
}

/// After a failed write, further lines are discarded.
pub struct Lines {
    output: io::BufWriter<io::StdoutLock<'static>>,
    error: Option<io::Error>,
}

impl Default for Lines {
    fn default() -> Self {
        Lines { output: io::BufWriter::new(stdout().lock()), error: None }
    }
}

impl Lines {
    pub fn line(&mut self, value: &Value) {
        if self.error.is_none() {
            self.error = writeln!(self.output, "{value}").err();
        }
    }

    /// False if a line could not be written.
    pub fn flush(&mut self) -> bool {
        if self.error.is_none() {
            self.error = self.output.flush().err();
        }
        self.error.is_none()
    }

    /// A closed pipe is no error.
    pub fn finish(mut self) -> Result<(), Fault> {
        let failed = self.error.take().or_else(|| self.output.flush().err());
        match failed {
            Some(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                Err(Fault::of_output(&error))
            }
            _ => Ok(()),
        }
    }
}
