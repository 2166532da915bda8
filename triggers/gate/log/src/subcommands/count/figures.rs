use super::costs::Costs;
use super::decision::{Decision, FAULT, STOPPED, UNKNOWN, fault_and_answer, word};
use super::groups::Groups;
use super::names::{Name, Names};
use super::subjects::Subjects;
use super::sums::add;
use p4warden_gate::base::clock::{day_of, zone};
use std::collections::{HashMap, HashSet};

const NO_ONE: &str = "(no user)";
const NO_RULE: &str = "(no rule)";
const NO_PROGRAM: &str = "(no program)";
const NO_FORM: &str = "(form not recorded)";
/// Each day of a zone begins with a quarter of an hour.
const QUARTER_S: f64 = 900.0;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Cell {
    pub day: Name,
    pub rule: Name,
    pub verdict: usize,
    pub user: Name,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct ExemptUse {
    pub exemption: Name,
    /// From which the event came.
    pub client: Name,
    pub form_client: Name,
    pub user: Name,
}

/// What a log line itself says, as metrics count it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Total {
    pub rule: Name,
    pub user: Name,
    /// The cause of a fault.
    pub fault: Name,
    pub answer: usize,
    pub has_trouble: bool,
}

#[derive(Debug, Default)]
pub(super) struct Figures {
    pub names: Names,
    /// Without allowed events and faults.
    pub cells: HashMap<Cell, u64>,
    pub subjects: Subjects,
    pub exemptions: Groups,
    pub faults: Groups,
    pub troubles: Groups,
    pub unusual: Groups,
    pub unjudged: Groups,
    pub offenders: Groups,
    pub classes: Groups,
    pub exempt_uses: HashMap<ExemptUse, u64>,
    /// By event, as far as the log has times.
    pub costs: HashMap<Name, Costs>,
    /// By rule, in seconds, as far as the log has lengths.
    pub longest_waits: HashMap<Name, f64>,
    /// By rule and verdict if it were enforced.
    pub would: HashMap<(Name, usize), u64>,
    pub proposing_rules: HashSet<Name>,
    /// Also of allowed events and faults.
    pub totals: HashMap<Total, u64>,
    /// Events of deployments; in no other figure.
    pub trials: u64,
    pub span_s: Option<(f64, f64)>,
    days: HashMap<i64, Name>,
}

impl Figures {
    pub fn add(&mut self, one: &Decision) {
        if one.is_trial {
            add(&mut self.trials, one.times);
            return;
        }
        let (first_s, last_s) = self.span_s.unwrap_or((one.time_s, one.time_s));
        self.span_s = Some((first_s.min(one.time_s), last_s.max(one.time_s)));
        if let Some(took_s) = one.took_s.filter(|_| one.event.is_given()) {
            self.costs.entry(one.event).or_default().add(took_s);
        }
        let rule = one.rule.or_else(|| self.names.of(NO_RULE));
        if one.is_counted() {
            self.add_counted(one, rule);
        }
        if let Some(waited_s) = one.waited_s {
            let longest_s = self.longest_waits.entry(rule).or_default();
            *longest_s = longest_s.max(waited_s);
        }
        let would = self.names.text(one.would);
        if let Some(verdict) = STOPPED.into_iter().find(|verdict| word(*verdict) == would) {
            add(self.would.entry((rule, verdict)).or_default(), one.times);
        }
        if one.exemption.is_given() && one.user.is_given() {
            let Decision { exemption, client, form_client, user, .. } = *one;
            let exempt_use = ExemptUse { exemption, client, form_client, user };
            add(self.exempt_uses.entry(exempt_use).or_default(), one.times);
        }
        self.add_to_groups(one, rule);
    }

    pub fn add_total(&mut self, one: &Decision) {
        if !one.is_trial {
            let Decision { rule, user, fault, answer, trouble, .. } = *one;
            let total = Total { rule, user, fault, answer, has_trouble: trouble.is_given() };
            add(self.totals.entry(total).or_default(), one.times);
        }
    }

    fn add_counted(&mut self, one: &Decision, rule: Name) {
        let user = one.user.or_else(|| self.names.of(NO_ONE));
        let cell = Cell { day: self.day(one.time_s), rule, verdict: one.verdict, user };
        add(self.cells.entry(cell).or_default(), one.times);
        self.subjects.add([rule, user], one, &mut self.names);
        if one.is_of_shown_form {
            self.proposing_rules.insert(rule);
        }
    }

    fn day(&mut self, time_s: f64) -> Name {
        let quarter = (time_s / QUARTER_S) as i64;
        *self
            .days
            .entry(quarter)
            .or_insert_with(|| self.names.of(&day_of(quarter * QUARTER_S as i64, zone().as_ref())))
    }

    fn add_to_groups(&mut self, one: &Decision, rule: Name) {
        let names = &mut self.names;
        let of_rule = |names: &mut Names, name: Name, without: &str| {
            let text = format!("{}: {}", names.text(rule), names.text_or(name, without));
            names.of(&text)
        };
        if one.verdict == FAULT {
            let text = fault_and_answer(names.text(one.fault), one.answer);
            self.faults.add(names.of(&text), one);
        }
        if one.exemption.is_given() {
            self.exemptions.add(of_rule(names, one.exemption, ""), one);
        }
        if one.trouble.is_given() {
            self.troubles.add(one.trouble, one);
        }
        if one.is_unusual {
            let user = names.text_or(one.user, NO_ONE);
            let prog = names.text_or(one.prog, NO_PROGRAM);
            let text = format!("{}: {user} with {prog}", names.text(rule));
            self.unusual.add(names.of(&text), one);
        }
        if one.verdict == UNKNOWN && names.text(one.event) == "command" {
            self.unjudged.add(of_rule(names, one.what, NO_FORM), one);
        }
        if one.known.is_given() {
            self.offenders.add(one.known, one);
        }
        if one.class.is_given() && one.is_counted() {
            self.classes.add(of_rule(names, one.class, ""), one);
        }
    }
}
