//! What the users' commands cost, by form and program: run time, rows and waits for locks.

use super::names::update_entry;
use super::saved_usage::positive_or_zero;
use crate::record::command::Command;
use p4warden_gate::base::text::decoded;
use p4warden_gate::paths::client_version::bare_name;
use p4warden_gate::paths::command_form::command_form;
use p4warden_gate::paths::command_synonyms::resolve_name;
use serde_json::{Value, json};
use std::collections::{BTreeSet, HashMap};

/// Commands of further forms and programs are only in the total.
const MAX_GROUPS: usize = 10_000;
const MAX_LISTED: usize = 200;
/// Telling the forms of shorter commands, which are most, would take longer than reading the log.
const LONG_NS: u64 = 1_000_000_000;
const SHORT: &[u8] = b" (under 1 s each)";
const SECOND_NS: f64 = 1e9;

#[derive(Debug, Default)]
pub struct Shares {
    total: Cost,
    /// By form and program, separated by a null byte.
    groups: HashMap<Vec<u8>, Group>,
    key: Vec<u8>,
}

/// Sums over commands; those that the log does not state add nothing.
#[derive(Debug, Default, Clone, Copy)]
struct Cost {
    commands: u64,
    lapse_ns: u64,
    has_rows: bool,
    rows: u64,
    waited_ms: u64,
}

#[derive(Debug, Default)]
struct Group {
    all: Cost,
    /// Commands that rules refuse, or would if enforced.
    stopped: Cost,
    /// Indexes of these rules in `PolicyRun::tallies`.
    rules: BTreeSet<usize>,
}

impl Cost {
    fn of(command: &Command) -> Cost {
        let tables = command.tables.iter().map(|(_, table)| table);
        let mut cost =
            Cost { commands: 1, lapse_ns: command.lapse_ns.unwrap_or(0), ..Cost::default() };
        for table in tables {
            if let Some([_, _, got, _, scanned, ..]) = table.uses {
                cost.has_rows = true;
                cost.rows = cost.rows.saturating_add(positive_or_zero(got));
                cost.rows = cost.rows.saturating_add(positive_or_zero(scanned));
            }
            let [read_wait, _, write_wait, _] = table.total_ms.unwrap_or_default();
            let waits = positive_or_zero(read_wait).saturating_add(positive_or_zero(write_wait));
            cost.waited_ms = cost.waited_ms.saturating_add(waits);
        }
        cost
    }

    fn add(&mut self, more: Cost) {
        let pairs = [
            (&mut self.commands, more.commands),
            (&mut self.lapse_ns, more.lapse_ns),
            (&mut self.rows, more.rows),
            (&mut self.waited_ms, more.waited_ms),
        ];
        self.has_rows |= more.has_rows;
        pairs.into_iter().for_each(|(sum, more)| *sum = sum.saturating_add(more));
    }

    fn document(&self) -> Value {
        json!({
            "commands": self.commands,
            "lapse_s": self.lapse_ns as f64 / SECOND_NS,
            "rows": self.has_rows.then_some(self.rows),
            "waited_s": self.waited_ms as f64 / 1e3,
        })
    }
}

impl Shares {
    /// `stopping_rules` are indexes in `PolicyRun::tallies`.
    pub fn end_command(&mut self, command: &Command, stopping_rules: &[usize]) {
        let request = &command.request;
        let Some(name) = request.command().and_then(|name| name.strip_prefix(b"user-")) else {
            return;
        };
        let cost = Cost::of(command);
        self.total.add(cost);
        let name = resolve_name(name).main_name;
        self.key.clear();
        if cost.lapse_ns < LONG_NS {
            self.key.extend_from_slice(name);
            self.key.extend_from_slice(SHORT);
        } else {
            self.key.extend_from_slice(command_form(name, request.args()).as_bytes());
        }
        self.key.push(0);
        self.key.extend_from_slice(bare_name(request.prog().unwrap_or_default()));
        if self.groups.len() >= MAX_GROUPS && !self.groups.contains_key(&self.key) {
            return;
        }
        update_entry(&mut self.groups, &self.key, |group| group.add(cost, stopping_rules));
    }

    /// The most run time first; `rules` are the names of `PolicyRun::tallies`.
    pub fn document(&self, rules: &[&str]) -> Value {
        let mut groups: Vec<_> = self.groups.iter().collect();
        groups.sort_by(|(one, a), (other, b)| b.order().cmp(&a.order()).then(one.cmp(other)));
        let groups = groups.into_iter().take(MAX_LISTED);
        json!({
            "total": self.total.document(),
            "groups": groups.map(|(key, group)| group.document(key, rules)).collect::<Vec<_>>(),
        })
    }
}

impl Group {
    fn add(&mut self, cost: Cost, stopping_rules: &[usize]) {
        self.all.add(cost);
        if !stopping_rules.is_empty() {
            self.stopped.add(cost);
            self.rules.extend(stopping_rules);
        }
    }

    fn order(&self) -> (u64, u64, u64) {
        (self.all.lapse_ns, self.all.rows, self.all.commands)
    }

    fn document(&self, key: &[u8], rules: &[&str]) -> Value {
        let (form, program) = key.split_at(memchr::memchr(0, key).unwrap_or(key.len()));
        let names = self.rules.iter().filter_map(|rule| rules.get(*rule));
        json!({
            "form": decoded(form),
            "program": decoded(program.get(1..).unwrap_or_default()),
            "all": self.all.document(),
            "stopped": self.stopped.document(),
            "rules": names.collect::<Vec<_>>(),
        })
    }
}
