//! The declared reply to p4d after failures of p4warden itself (`on_error: allow` or `deny`), and
//! the logging of such failures.

use crate::base::clock::Clock;
use crate::base::fault::Fault;
use crate::base::text::cut;
use crate::event::arguments::{Arguments, command_name};
use crate::event::command_event::is_rescue;
use crate::home::decision_log;
use crate::home::folder::{DEFAULT, Home};
use crate::home::state::{Counter, LogTime, Note, State};
use crate::judge::command_refusal;
use crate::policy::document::Policy;
use crate::trigger::answer::Answer;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// The declared handling of failures of p4warden itself: by the trigger line and, once the policy
/// is read, by the policy.
#[derive(Clone, Debug)]
pub struct FailureHandling {
    /// The home folder whose decision log records failures of p4warden.
    pub home: Home,
    /// Whether an event is refused when p4warden itself fails; otherwise it is allowed.
    pub is_denial: bool,
    contact: Option<String>,
}

impl FailureHandling {
    /// Creates the handling of failures from the options `--home` and `--on-error` of the trigger
    /// line. Commands that repair a server are allowed whatever fails.
    pub fn of_line(arguments: &Arguments<'_>) -> Self {
        let folder = arguments.get("home").unwrap_or(DEFAULT.as_bytes());
        let is_rescue = arguments.get("command").map(command_name).is_some_and(is_rescue);
        FailureHandling {
            home: Home::at(Path::new(OsStr::from_bytes(folder))),
            is_denial: arguments.get("on-error") == Some(b"deny") && !is_rescue,
            contact: None,
        }
    }

    /// Replaces the trigger line's handling of failures by that of the policy, which takes
    /// precedence.
    pub fn apply_policy(&mut self, policy: &Policy<'_>) {
        self.is_denial = policy.deny_on_error;
        self.contact = Some(policy.contact.clone());
    }

    /// The reply to p4d that is declared for failures of p4warden itself.
    pub fn answer(&self) -> Answer {
        if self.is_denial {
            Answer::Refuse(command_refusal::fault(self.contact.as_deref()))
        } else {
            Answer::GoOn
        }
    }

    /// Records a failure of p4warden as `record` does, and returns the reply to p4d that is
    /// declared for failures.
    pub fn fail(&self, arguments: &Arguments<'_>, fault: &Fault, clock: &impl Clock) -> Answer {
        self.record(arguments, self.is_denial, fault, clock);
        self.answer()
    }

    /// Records a failure of p4warden in the decision log, unless a line about the same failure was
    /// written less than 10 seconds before; then the failure is at most counted. `refuses` states
    /// whether the event was refused.
    pub fn record(
        &self,
        arguments: &Arguments<'_>,
        refuses: bool,
        fault: &Fault,
        clock: &impl Clock,
    ) {
        let log_time = self.log_time(arguments, fault, clock);
        decision_log::log(&self.home, log_time, clock.wall_ns(), |count, wall_ns| {
            decision_log::fault(arguments, refuses, fault, count, wall_ns)
        });
    }

    /// Counts a failure of p4warden in the state file, unless the state file is the part that
    /// failed; returns whether a line in the decision log is due.
    fn log_time(&self, arguments: &Arguments<'_>, fault: &Fault, clock: &impl Clock) -> LogTime {
        let log_time =
            if fault.is_of_state { None } else { self.note(arguments, fault, clock).ok() };
        log_time.unwrap_or_else(|| {
            let is_logged = decision_log::is_fault_logged(&self.home, fault, clock.wall_ns());
            if is_logged { LogTime::Later } else { LogTime::Now(1, Vec::new()) }
        })
    }

    fn note(
        &self,
        arguments: &Arguments<'_>,
        fault: &Fault,
        clock: &impl Clock,
    ) -> Result<LogTime, Fault> {
        let (event, cause) = (cut(arguments.event), fault.to_string());
        let note = Note {
            event: &event,
            verdict: "fault",
            is_unusual: false,
            enforced_verdict: None,
            rule: &cause,
            user: b"",
            ip: b"",
        };
        State::once(&self.home, clock, |state| {
            state.count(Counter::Faults);
            state.note(&note)
        })
    }
}
