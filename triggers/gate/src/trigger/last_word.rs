//! The answer to p4d if judging an event ends early: by a panic, by a lack of memory, or because it
//! takes too long, for example because a disk does not answer.
//!
//! It is the refusal of a standing verdict, or until there is one the declared answer to failures
//! (`on_error`). p4d itself waits without end, and takes the death of a trigger by a signal for
//! success.

use crate::base::alarm;
use crate::base::clock::{Clock, SystemClock};
use crate::base::fault::Fault;
use crate::base::processor_time::ProcessorTime;
use crate::event::arguments::Arguments;
use crate::home::decision_log;
use crate::home::folder::{DECISIONS, Home};
use crate::trigger::answer::Answer;
use crate::trigger::on_error::FailureHandling;
use rustix::fs::{Mode, OFlags};
use rustix::io::retry_on_intr;
use rustix::stdio::stdout;
use std::ffi::{CString, c_int};
use std::fmt;
use std::io::{Cursor, Write};
use std::os::unix::ffi::OsStrExt;
use std::panic::{self, PanicHookInfo};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// Longest time for judging one event from `LastWord::watch` on, without waiting for a processor.
pub const LONGEST: Duration = Duration::from_secs(5);
/// In which that is looked at, and of which even an overloaded host gets no more than `MOST_PARTS`.
const PARTS: u32 = 5;
const MOST_PARTS: u32 = 60;

/// The last of these that is set counts. A handler of signals may read them at any time.
static OF_LINE: OnceLock<Word> = OnceLock::new();
static OF_POLICY: OnceLock<Word> = OnceLock::new();
static OF_VERDICT: OnceLock<Word> = OnceLock::new();
static IS_ANSWERED: AtomicBool = AtomicBool::new(false);
/// The handler answers, and logs it before.
static IS_LATE: AtomicBool = AtomicBool::new(false);
static PART: AtomicU32 = AtomicU32::new(0);
static START_NS: AtomicU64 = AtomicU64::new(0);

/// What ends the process, with nothing left to prepare.
#[derive(Clone)]
struct Word {
    event: String,
    home: Home,
    log: CString,
    time: Duration,
    triggers_io: bool,
    refuses: bool,
    output: Vec<u8>,
    code: u8,
}

/// Exists once in a process.
pub struct LastWord {
    line: Word,
}

impl LastWord {
    /// Takes effect for panics, a lack of memory, and judging that takes too long.
    pub fn install(
        arguments: &Arguments<'_>,
        handling: &FailureHandling,
        triggers_io: bool,
        time: Duration,
    ) -> Self {
        let home = handling.home.clone();
        let log = CString::new(home.file(DECISIONS).as_os_str().as_bytes()).unwrap_or_default();
        let event = String::from_utf8_lossy(arguments.event);
        let event = event.chars().filter(|c| matches!(c, 'a'..='z' | '-')).collect();
        let line = Word {
            event,
            home,
            log,
            time,
            triggers_io,
            refuses: false,
            output: Vec::new(),
            code: 0,
        };
        let last_word = LastWord { line };
        last_word.say(&OF_LINE, &handling.answer());
        panic::set_hook(Box::new(answer_panic));
        alarm::handle_with(on_alarm);
        if !handling.home.is_at_hand() {
            alarm::handle_in_threads();
        }
        last_word.watch();
        last_word
    }

    /// The policy's handling of failures, once it is read.
    pub fn handle_failures(&self, handling: &FailureHandling) {
        self.say(&OF_POLICY, &handling.answer());
    }

    /// The text of a verdict that stands, before lines to write instead are sought.
    pub fn refuse(&self, text: String) {
        self.say(&OF_VERDICT, &Answer::Refuse(text));
    }

    /// From now on judging may take so long; called again beside work with a time limit of its own.
    pub fn watch(&self) {
        PART.store(0, Relaxed);
        START_NS.store(SystemClock.since_boot_ns(), Relaxed);
        let part = self.line.time / PARTS;
        alarm::set(self.line.time - part, part);
    }

    /// Lets an event wait, for which time it is not watched.
    pub fn unwatched<T>(&self, wait: impl FnOnce() -> T) -> T {
        alarm::set(Duration::ZERO, Duration::ZERO);
        let waited = wait();
        self.watch();
        waited
    }

    /// The answer is known, and about to be given. Does not return if another thread gives one.
    pub fn stop(&self) {
        while IS_ANSWERED.swap(true, Relaxed) {
            std::thread::park();
        }
    }

    fn say(&self, place: &OnceLock<Word>, answer: &Answer) {
        let (output, code) = answer.output(self.line.triggers_io);
        let refuses = *answer != Answer::GoOn;
        let word = Word { refuses, output: output.into_bytes(), code, ..self.line.clone() };
        let _ = place.set(word);
    }
}

fn last_word() -> Option<&'static Word> {
    [&OF_VERDICT, &OF_POLICY, &OF_LINE].into_iter().find_map(OnceLock::get)
}

/// Until the trigger line is read, its answer is looked for in the process's words; without one the
/// process is no trigger.
pub fn end_without_memory() -> ! {
    match last_word() {
        Some(word) => {
            word.log(format_args!("this process may take no more memory"));
            word.end()
        }
        None => alarm::end_process(u8::from(!is_allowed_by_words())),
    }
}

/// Options that users choose come after `--on-error`.
fn is_allowed_by_words() -> bool {
    const OPTION: &[u8] = b"--on-error=";
    let mut words = [0; 8192];
    let file = rustix::fs::open(c"/proc/self/cmdline", OFlags::RDONLY, Mode::empty());
    let length = file.ok().and_then(|file| rustix::io::read(file, &mut words[..]).ok());
    let words = words.get(..length.unwrap_or(0)).unwrap_or_default();
    let answer = words.split(|byte| *byte == 0).find_map(|word| word.strip_prefix(OPTION));
    answer == Some(b"allow")
}

extern "C" fn on_alarm(_: c_int) {
    let Some(word) = last_word() else { return };
    if IS_LATE.load(Relaxed) {
        word.end(); // The log does not answer either.
    }
    if IS_ANSWERED.load(Relaxed) || has_time(word.time) || IS_ANSWERED.swap(true, Relaxed) {
        return;
    }
    IS_LATE.store(true, Relaxed);
    alarm::let_next_through();
    word.log(format_args!("the watchdog: judging took {} s", word.time.as_secs()));
    word.end();
}

/// A process that was stopped for a while has the last part in any case.
fn has_time(time: Duration) -> bool {
    let part = PART.fetch_add(1, Relaxed);
    let since_ns = SystemClock.since_boot_ns().saturating_sub(START_NS.load(Relaxed));
    let own_ns = since_ns.saturating_sub(ProcessorTime::own().waited_ns);
    let is_left = Duration::from_nanos(own_ns) + time / PARTS / 2 < time;
    part == 0 || part < MOST_PARTS && is_left
}

impl Word {
    /// As `decision_log::fault`, but takes no memory. `fault` needs no escape in JSON.
    fn log(&self, fault: fmt::Arguments<'_>) {
        let mut line = Cursor::new([0_u8; 256]);
        let ms = SystemClock.wall_ns() / 1_000_000;
        let verdict = if self.refuses { "refuse" } else { "allow" };
        let written = writeln!(
            line,
            "{{\"time\": {}.{:03}, \"event\": \"{}\", \"verdict\": \"{verdict}\", \
             \"fault\": \"{fault}\"}}",
            ms / 1000,
            ms % 1000,
            self.event,
        );
        let length = usize::try_from(line.position()).unwrap_or(0);
        if let Some(line) = line.get_ref().get(..length).filter(|_| written.is_ok()) {
            decision_log::append_in_handler(&self.log, line);
        }
    }

    fn end(&self) -> ! {
        let mut left = &self.output[..];
        while let Ok(bytes @ 1..) = retry_on_intr(|| rustix::io::write(stdout(), left)) {
            left = left.get(bytes..).unwrap_or_default();
        }
        alarm::end_process(self.code)
    }
}

/// Not counted in the state file: a second panic within the hook would end the process by a signal,
/// and the process may itself hold the lock of that file, for which other triggers wait.
fn answer_panic(info: &PanicHookInfo<'_>) {
    let Some(word) = last_word() else { return };
    let fault = Fault::new(format!("a defect: {}", describe(info)));
    let arguments = Arguments::of_event(word.event.as_bytes());
    let line = decision_log::fault(&arguments, word.refuses, &fault, 1, SystemClock.wall_ns());
    let _ = decision_log::append(&word.home, &line);
    word.end();
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
