//! The event for which p4d started this process, and the means to judge it.

use crate::base::clock::{self, Clock};
use crate::base::fault::Fault;
use crate::event::arguments::Arguments;
use crate::event::command_event::groups_of;
use crate::event::selector::Server;
use crate::event::unasked::LONGEST_S;
use crate::home::checkpoint_index;
use crate::home::facts_file::FactsFile;
use crate::home::folder::{Home, SAVED};
use crate::policy::document::Policy;
use crate::trigger::last_word::LastWord;
use crate::trigger::on_error::FailureHandling;
use p4warden_index::file::index::Index;
use p4warden_index::file::saved_forms::SavedForms;

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

    #[must_use]
    pub fn home(&self) -> &Home {
        &self.handling.home
    }

    /// Local date `YYYY-MM-DD`.
    #[must_use]
    pub fn today(&self) -> String {
        clock::day(self.clock.wall_ns(), clock::zone().as_ref())
    }

    /// Until when it may wait for other events.
    #[must_use]
    pub fn until_ns(&self) -> u64 {
        self.began_ns.saturating_add(LONGEST_S * 1_000_000_000)
    }

    #[must_use]
    pub fn took_ns(&self) -> u64 {
        self.clock.since_boot_ns().saturating_sub(self.began_ns)
    }

    /// The checkpoint index with the notes of forms saved since; None if there is none. A fault if it
    /// is damaged, or belongs to another server or case setting, or if the notes cannot be used.
    pub fn open_index(&self, facts: &FactsFile) -> Result<Option<Index>, Fault> {
        let (folds, server_id) = (!facts.case_sensitive, facts.server_id.as_deref());
        let Some(index) = checkpoint_index::open(self.home(), folds, server_id)? else {
            return Ok(None);
        };
        let saved = self.home().open_unless_missing(SAVED)?;
        let saved = saved.map(|notes| SavedForms::of_file(notes.file)).transpose();
        let saved = saved.map_err(|problem| Fault::of_file(&self.home().file(SAVED), &problem))?;
        Ok(Some(index.with_saved(saved)))
    }
}

/// None on a server that does not know the variable, which it leaves as it is.
#[must_use]
pub fn groups<'a>(arguments: &Arguments<'a>) -> Option<Vec<&'a [u8]>> {
    arguments.passed("groups").map(|groups| groups_of(groups).collect())
}

#[must_use]
pub fn server<'a>(arguments: &Arguments<'a>) -> Server<'a> {
    Server { id: arguments.get("server"), services: arguments.get("services") }
}
