//! The watchdog behind the bounds on the work for a command: it answers p4d if judging takes longer
//! all the same, for example because a disk does not answer. p4d itself waits without end.

use std::cell::Cell;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::thread;
use std::time::Duration;

/// Longest time for judging one command. Waiting for the lock of the state file, at most a second,
/// is part of it.
pub const LONGEST: Duration = Duration::from_secs(5);
/// Arguments of more bytes are watched; a thread costs a tenth of a plain decision.
pub const LONG_ARGUMENTS_BYTES: usize = 8 * 1024;
const STACK_BYTES: usize = 256 * 1024;
const OPEN: u8 = 0;
const BY_PROCESS: u8 = 1;
const BY_WATCHDOG: u8 = 2;

/// A watchdog on the judging of one command, which sleeps until `start`.
pub struct Watchdog {
    time: Duration,
    answer: Cell<Option<Box<dyn FnOnce() + Send>>>,
    /// Who answers p4d: nobody yet, the process in its usual way, or the watchdog.
    answered: Arc<AtomicU8>,
}

impl fmt::Debug for Watchdog {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Watchdog").field("answered", &self.answered).finish_non_exhaustive()
    }
}

impl Watchdog {
    #[must_use]
    pub fn new(time: Duration, answer: impl FnOnce() + Send + 'static) -> Self {
        let answer: Box<dyn FnOnce() + Send> = Box::new(answer);
        Watchdog { time, answer: Cell::new(Some(answer)), answered: Arc::new(AtomicU8::new(OPEN)) }
    }

    /// Starts to watch, once; `answer` is called in a thread of its own if the time passes before
    /// `stop`. If no thread can be started, nothing is watched.
    pub fn start(&self) {
        let Some(answer) = self.answer.take() else {
            return;
        };
        let (time, watched) = (self.time, Arc::clone(&self.answered));
        let watch = move || {
            thread::sleep(time);
            if is_taken(&watched, BY_WATCHDOG) {
                answer();
            }
        };
        let _ = thread::Builder::new().stack_size(STACK_BYTES).spawn(watch);
    }

    /// Ends the watch, because the verdict is known. Does not return if the watchdog is answering;
    /// it then ends the process.
    pub fn stop(&self) {
        while !is_taken(&self.answered, BY_PROCESS) {
            thread::park();
        }
    }
}

fn is_taken(answered: &AtomicU8, by: u8) -> bool {
    let found = answered.compare_exchange(OPEN, by, Ordering::AcqRel, Ordering::Acquire);
    found.is_ok() || found == Err(by)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::{RecvTimeoutError, channel};

    #[test]
    fn it_answers_once_the_time_has_passed_unless_it_was_stopped() {
        let (to, from) = channel();
        let late = to.clone();
        let watchdog = Watchdog::new(Duration::from_millis(1), move || {
            let _ = late.send("late");
        });
        watchdog.start();
        watchdog.start();
        assert_eq!(from.recv(), Ok("late"));
        let stopped = Watchdog::new(Duration::from_millis(200), move || {
            let _ = to.send("stopped");
        });
        stopped.start();
        stopped.stop();
        stopped.stop();
        assert_eq!(from.recv_timeout(Duration::from_secs(9)), Err(RecvTimeoutError::Disconnected));
    }
}
