//! The event for which p4d started this process, and the means to judge it.

use crate::base::clock::{self, Clock};
use crate::event::arguments::Arguments;
use crate::event::command_event::groups_of;
use crate::event::selector::Server;
use crate::event::unasked::LONGEST_S;
use crate::home::folder::Home;
use crate::policy::document::Policy;
use crate::trigger::last_word::LastWord;
use crate::trigger::on_error::FailureHandling;

pub struct TriggerEvent<'t, C> {
    pub arguments: Arguments<'t>,
    pub handling: FailureHandling,
    pub last_word: LastWord,
    pub clock: C,
    pub began_ns: u64,
}

impl<C: Clock> TriggerEvent<'_, C> {
    pub fn apply_policy(&mut self, policy: &Policy<'_>) {
        self.handling.apply_policy(policy);
        self.last_word.handle_failures(&self.handling);
    }

    pub fn home(&self) -> &Home {
        &self.handling.home
    }

    /// Local date `YYYY-MM-DD`.
    pub fn today(&self) -> String {
        clock::day(self.clock.wall_ns(), clock::zone().as_ref())
    }

    /// Until when it may wait for other events.
    pub fn until_ns(&self) -> u64 {
        self.began_ns.saturating_add(LONGEST_S * 1_000_000_000)
    }

    pub fn took_ns(&self) -> u64 {
        self.clock.since_boot_ns().saturating_sub(self.began_ns)
    }
}

/// None on a server that does not know the variable, which it leaves as it is.
pub fn groups<'a>(arguments: &Arguments<'a>) -> Option<Vec<&'a [u8]>> {
    arguments.passed("groups").map(|groups| groups_of(groups).collect())
}

pub fn server<'a>(arguments: &Arguments<'a>) -> Server<'a> {
    Server { id: arguments.get("server"), services: arguments.get("services") }
}
