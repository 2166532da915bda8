//! Costly habits of known programs, by program, command and form, with cause and remedy.
//!
//! The table is written from the data files of the programs (`tests/support/write_offenders.py`).

use crate::event::command_event::Event;
use crate::paths::command_form::command_form;

const TABLE: &str = include_str!("known_offenders.tsv");

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offender {
    /// Such as `unity/status-and-incoming`, for decision records and replays.
    pub key: &'static str,
    pub cause: &'static str,
    pub remedy: &'static str,
}

/// None also if the command's arguments are unknown.
pub fn known_offender(event: &Event<'_>) -> Option<Offender> {
    let (prog, args) = (event.prog?, event.args?);
    let mut rows = TABLE.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    rows.find_map(|row| {
        let [key, of_prog, command, form, cause, remedy] = row[..] else { return None };
        let is_sender = prog.starts_with(of_prog.as_bytes());
        if !is_sender || command.as_bytes() != event.name.main_name {
            return None;
        }
        let asked = command_form(event.name.main_name, args);
        let has = |word: &str| asked.split(' ').any(|other| other == word);
        form.split(' ').all(has).then_some(Offender { key, cause, remedy })
    })
}
