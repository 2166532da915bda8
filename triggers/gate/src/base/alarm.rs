//! A timer of the kernel that interrupts this process.
//! A thread that waits would take a tenth of the time of a plain decision.

#![allow(unsafe_code)] // The C library's functions for signals, timers and an immediate end.

use std::ffi::{c_int, c_void};
use std::mem::zeroed;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

static HAS_THREADS: AtomicBool = AtomicBool::new(false);

pub type Handler = extern "C" fn(c_int);

/// Calls `handle` at each end of a time. Everything that this process does may then be half done:
/// the handler may only read what is written once, and call the kernel. It is not interrupted itself
/// before `let_next_through`.
pub fn handle_with(handle: Handler) {
    // SAFETY: all bytes zero are a valid `sigaction`, and the handler lives as long as the process.
    unsafe {
        let mut action: libc::sigaction = zeroed();
        action.sa_sigaction = handle as libc::sighandler_t;
        action.sa_flags = libc::SA_RESTART;
        libc::sigaction(libc::SIGALRM, &raw const action, null_mut());
    }
    let_through();
}

/// From the handler on. Another thread gets the next alarm, unless this one may have it.
pub fn let_next_through() {
    if !HAS_THREADS.load(Relaxed) {
        let_through();
    }
}

/// Also if the process was started with the signal blocked.
fn let_through() {
    mask(libc::SIG_UNBLOCK);
}

fn mask(how: c_int) {
    // SAFETY: the set is initialized by `sigemptyset` before it is used.
    unsafe {
        let mut alarms: libc::sigset_t = zeroed();
        libc::sigemptyset(&raw mut alarms);
        libc::sigaddset(&raw mut alarms, libc::SIGALRM);
        libc::pthread_sigmask(how, &raw const alarms, null_mut());
    }
}

/// Has other threads handle this alarm and, if the handler itself waits, the next one: a signal does
/// not reach a thread that waits for a network's file system, but another thread can end the process.
/// Such a thread runs none of Rust's own code, which ends the process if memory runs out.
pub fn handle_in_threads() {
    mask(libc::SIG_BLOCK);
    let has_threads = start_thread() && start_thread();
    HAS_THREADS.store(has_threads, Relaxed);
    if !has_threads {
        let_through();
    }
}

fn start_thread() -> bool {
    extern "C" fn wait(_: *mut c_void) -> *mut c_void {
        let_through();
        loop {
            // SAFETY: the call only waits for a signal.
            unsafe { libc::pause() };
        }
    }
    // SAFETY: the thread gets no data, and ends with the process.
    unsafe {
        let mut thread: libc::pthread_t = zeroed();
        libc::pthread_create(&raw mut thread, null(), wait, null_mut()) == 0
    }
}

/// After a time, and then again and again; never if the first time is zero.
pub fn set(first: Duration, then: Duration) {
    let time = |time: Duration| libc::timeval {
        tv_sec: time.as_secs().try_into().unwrap_or(0),
        tv_usec: time.subsec_micros().into(),
    };
    let timer = libc::itimerval { it_interval: time(then), it_value: time(first) };
    // SAFETY: the kernel reads the timer during the call only.
    unsafe { libc::setitimer(libc::ITIMER_REAL, &raw const timer, null_mut()) };
}

/// Ends the process at once: no destructor runs, and no memory is taken.
pub fn end_process(code: u8) -> ! {
    // SAFETY: the call does not return, and nothing is expected to run after it.
    unsafe { libc::_exit(code.into()) }
}
