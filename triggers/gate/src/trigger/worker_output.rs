//! The output of a Python worker, which judges forms and submits, read from pipes without blocking.

use crate::base::fault::Fault;
use std::io::{ErrorKind, PipeReader, PipeWriter, Read};

/// One output pipe of a worker process, with the bytes read from it.
pub struct Output {
    /// The reading end of the worker's pipe; None once the pipe is closed or no longer read.
    pub pipe: Option<PipeReader>,
    /// The bytes read so far from the worker's pipe.
    pub bytes: Vec<u8>,
    most_bytes: usize,
}

impl Output {
    /// Creates a pipe for a worker's output that is read up to `most_bytes`; also returns the
    /// writing end for the worker.
    pub fn new(most_bytes: usize) -> Result<(Self, PipeWriter), std::io::Error> {
        let (pipe, end) = std::io::pipe()?;
        rustix::io::ioctl_fionbio(&pipe, true)?;
        Ok((Output { pipe: Some(pipe), bytes: Vec::new(), most_bytes }, end))
    }

    /// Reads the bytes now available in the worker's pipe; closes the pipe at its end. A fault if
    /// the pipe cannot be read or the worker has written too much.
    pub fn read(&mut self) -> Result<(), Fault> {
        let mut chunk = [0; 4096];
        while let Some(pipe) = &mut self.pipe {
            match pipe.read(&mut chunk) {
                Ok(0) => self.pipe = None,
                Ok(bytes) => self.bytes.extend_from_slice(chunk.get(..bytes).unwrap_or_default()),
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(Fault::new(format!("the worker's output: {error}"))),
            }
            if self.bytes.len() > self.most_bytes {
                let most_bytes = self.most_bytes;
                return Err(Fault::new(format!("the worker wrote over {most_bytes} bytes")));
            }
        }
        Ok(())
    }

    /// Reads the bytes now available in the worker's pipe; if the pipe cannot be read or has too
    /// many bytes, closes it and drops all its bytes, which is no fault.
    pub fn read_if_sound(&mut self) {
        if self.read().is_err() {
            self.pipe = None;
            self.bytes.clear();
        }
    }
}
