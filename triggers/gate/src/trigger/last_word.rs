//! The answer to p4d if judging an event ends early: by a panic, by a lack of memory, or because it
//! takes too long, for example because a disk does not answer.
//!
//! It is the refusal of a standing verdict, or until there is one the declared answer to failures
//! (`on_error`). p4d itself waits without end, and takes the death of a trigger by a signal for
//! success.

use crate::base::clock::{Clock, SystemClock};
use crate::base::fault::Fault;
use crate::base::heap::Heap;
use crate::base::processor_time::ProcessorTime;
use crate::event::arguments::Arguments;
use crate::home::decision_log;
use crate::trigger::answer::Answer;
use crate::trigger::on_error::FailureHandling;
use std::cell::Cell;
use std::fmt;
use std::panic::{self, PanicHookInfo};
use std::process;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// Longest time for judging one event from `LastWord::watch` on, without waiting for a processor.
const LONGEST: Duration = Duration::from_secs(5);
/// In which that is looked at, and of which even an overloaded host gets no more than `MOST_PARTS`.
const PARTS: u32 = 5;
const MOST_PARTS: u32 = 60;
const STACK_BYTES: usize = 256 * 1024;
const OPEN: u8 = 0;
const BY_PROCESS: u8 = 1;
const BY_WATCHDOG: u8 = 2;

pub struct LastWord {
    heap: &'static Heap,
    word: Arc<Word>,
    time: Duration,
    is_watching: Cell<bool>,
}

struct Word {
    event: Vec<u8>,
    triggers_io: bool,
    given: Mutex<Given>,
    /// Who answers p4d: nobody yet, the process in its usual way, or the watchdog.
    answered: AtomicU8,
    begins_anew: AtomicBool,
}

struct Given {
    handling: FailureHandling,
    refusal: Option<String>,
}

impl LastWord {
    /// Takes effect for panics and a lack of memory.
    #[must_use]
    pub fn install(
        arguments: &Arguments<'_>,
        handling: &FailureHandling,
        triggers_io: bool,
        heap: &'static Heap,
    ) -> Self {
        heap.answer(handling.is_denial.into());
        let given = Given { handling: handling.clone(), refusal: None };
        let word = Arc::new(Word {
            event: arguments.event.to_vec(),
            triggers_io,
            given: Mutex::new(given),
            answered: AtomicU8::new(OPEN),
            begins_anew: AtomicBool::new(false),
        });
        let of_hook = Arc::clone(&word);
        panic::set_hook(Box::new(move |info| of_hook.answer_panic(info)));
        LastWord { heap, word, time: LONGEST, is_watching: Cell::new(false) }
    }

    /// Instead of `LONGEST`.
    #[must_use]
    pub fn within(self, time: Duration) -> Self {
        LastWord { time, ..self }
    }

    /// The policy's handling of failures, once it is read.
    pub fn handle_failures(&self, handling: &FailureHandling) {
        let mut given = self.word.given();
        if given.refusal.is_none() {
            self.heap.answer(handling.is_denial.into());
        }
        given.handling = handling.clone();
    }

    /// The text of a verdict that stands, before lines to write instead are sought.
    pub fn refuse(&self, text: String) {
        self.heap.answer(1);
        self.word.given().refusal = Some(text);
    }

    /// From now on judging may take only so long; called before work that may take long. If no
    /// thread can be started, nothing is watched.
    pub fn watch(&self) {
        if self.is_watching.replace(true) {
            return;
        }
        let (time, word) = (self.time, Arc::clone(&self.word));
        let watch = move || {
            wait(time, &word.begins_anew);
            if word.is_taken(BY_WATCHDOG) {
                word.answer_late(time);
            }
        };
        let _ = thread::Builder::new().stack_size(STACK_BYTES).spawn(watch);
    }

    /// Now judging may take as long again: it waits for something with a time limit of its own.
    pub fn begin_anew(&self) {
        self.word.begins_anew.store(true, Ordering::Relaxed);
    }

    /// The verdict is known. Does not return if the watchdog is answering; it then ends the process.
    pub fn stop(&self) {
        while !self.word.is_taken(BY_PROCESS) {
            thread::park();
        }
    }
}

impl Word {
    fn given(&self) -> MutexGuard<'_, Given> {
        self.given.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_taken(&self, by: u8) -> bool {
        let found = self.answered.compare_exchange(OPEN, by, Ordering::AcqRel, Ordering::Acquire);
        found.is_ok() || found == Err(by)
    }

    fn answer_late(&self, time: Duration) {
        let fault = Fault::new(format!("the watchdog: judging took {} s", time.as_secs()));
        let (answer, handling) = self.last();
        let refuses = answer != Answer::GoOn;
        handling.record(&Arguments::of_event(&self.event), refuses, &fault, &SystemClock);
        self.end(&answer);
    }

    /// Not counted in the state file: a second panic within the hook would end the process by a
    /// signal, and the process may itself hold the lock of that file, for which other triggers wait.
    fn answer_panic(&self, info: &PanicHookInfo<'_>) {
        let fault = Fault::new(format!("a defect: {}", describe(info)));
        let (answer, handling) = self.last();
        let (arguments, refuses) = (Arguments::of_event(&self.event), answer != Answer::GoOn);
        let line = decision_log::fault(&arguments, refuses, &fault, 1, SystemClock.wall_ns());
        let _ = decision_log::append(&handling.home, &line);
        self.end(&answer);
    }

    fn last(&self) -> (Answer, FailureHandling) {
        let given = self.given();
        let answer = given.refusal.clone().map_or_else(|| given.handling.answer(), Answer::Refuse);
        (answer, given.handling.clone())
    }

    fn end(&self, answer: &Answer) -> ! {
        process::exit(answer.deliver(self.triggers_io).into());
    }
}

/// Sleeps for a time in which this process runs or waits for something other than a processor, so that
/// load on the host changes no verdict.
fn wait(time: Duration, begins_anew: &AtomicBool) {
    let own_ns = || {
        let waited_ns = ProcessorTime::of("self").waited_ns;
        SystemClock.since_boot_ns().saturating_sub(waited_ns)
    };
    let (mut start_ns, mut parts) = (own_ns(), 0);
    while parts < MOST_PARTS && Duration::from_nanos(own_ns().saturating_sub(start_ns)) < time {
        thread::sleep(time / PARTS);
        parts += 1;
        if begins_anew.swap(false, Ordering::Relaxed) {
            (start_ns, parts) = (own_ns(), 0);
        }
    }
}

fn describe(info: &PanicHookInfo<'_>) -> String {
    let payload = info.payload();
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    let place = info.location().map(|place| format!(" ({}:{})", place.file(), place.line()));
    format!("{}{}", text.unwrap_or("no message"), place.unwrap_or_default())
}

impl fmt::Debug for LastWord {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.debug_struct("LastWord").finish_non_exhaustive()
    }
}
