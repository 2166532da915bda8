use crate::base::fault::Fault;
use crate::base::text::decoded;
use crate::file::index::Index;
use serde_json::Value;
use std::io::{self, Write, stdout};
use std::path::Path;

pub fn open_index(path: &str) -> Result<Index, Fault> {
    let index = Index::open(Path::new(path));
    index.map_err(|problem| Fault::File(format!("{path}: {problem}")))
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
        Self::new()
    }
}

impl Lines {
    pub fn new() -> Self {
        Lines { output: io::BufWriter::new(stdout().lock()), error: None }
    }

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
