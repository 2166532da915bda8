//! The records that each user's commands read in a log, as a basis for choosing a budget.

use super::compared_estimates::{RequestCounts, records_read};
use super::history::{History, Senders};
use super::listed_commands::ListedCommands;
use crate::record::command::Command;
use p4warden_gate::base::clock::{day, zone};
use p4warden_gate::base::patterns::folded_name;
use p4warden_gate::event::lazy_index::LazyIndex;
use p4warden_gate::facts::depots::Depots;
use p4warden_gate::policy::rates::{Unit, Weight};
use p4warden_gate::rules::limit_command_rate::records;
use p4warden_index::file::index::Index;
use std::collections::BTreeMap;
use std::rc::Rc;

/// The candidate rates of a budget are this number of records in each interval of
/// `history::INTERVALS_MS`: from 10,000 a minute to a million a second.
pub const RECORDS_PER_INTERVAL: u64 = 10_000;
const ALL_COMMANDS: &[u8] = b"";

pub struct BudgetHistory {
    index: Rc<Index>,
    listed: ListedCommands,
    unknown_as: u64,
    zone: tz::TimeZone,
    /// By the listed name.
    pub commands: BTreeMap<Vec<u8>, RequestCounts>,
    pub history: History,
}

impl BudgetHistory {
    /// `commands` are names separated by commas.
    pub fn new(index: Rc<Index>, commands: &str, unknown_as: u64) -> Self {
        BudgetHistory {
            index,
            listed: ListedCommands::of(commands),
            unknown_as,
            zone: zone().clone(),
            commands: BTreeMap::new(),
            history: History::default(),
        }
    }

    pub fn senders(&self) -> Option<&Senders> {
        self.history.requests.get(ALL_COMMANDS)
    }

    pub fn note(
        &mut self,
        command: &Command,
        class: &str,
        now_ns: u64,
        depots: Option<Depots<'_>>,
        case_sensitive: bool,
    ) {
        let request = &command.request;
        let name = request.command().and_then(|name| name.strip_prefix(b"user-"));
        let listed = name.and_then(|name| self.listed.name_of(name, request.args()));
        let Some(listed) = listed else { return };
        let user = folded_name(request.user().unwrap_or_default(), case_sensitive);
        let index = LazyIndex::of(Some(Rc::clone(&self.index)));
        let today = || day(now_ns, self.zone.as_ref());
        let read = records_read(command, &index, depots, case_sensitive, &today);
        let Some(read) = read else { return };
        let Some(counts) = self.history.counts(ALL_COMMANDS, class, &user) else { return };
        self.commands.entry(listed.to_vec()).or_default().note(!read.is_whole);
        let weight = Weight { unit: Unit::Files, unknown_as: self.unknown_as };
        let own = records(weight, read).own;
        counts.note(now_ns, own, RECORDS_PER_INTERVAL);
    }
}
