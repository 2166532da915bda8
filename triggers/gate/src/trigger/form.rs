//! The judging of one form or submit.

use crate::base::clock::{Clock, epoch_s};
use crate::base::fault::Fault;
use crate::base::patterns::is_same;
use crate::contract::form_rule::Needs;
use crate::event::class::class_of;
use crate::event::form_event::{FormEvent, FormEventKind, SubmittedFile};
use crate::event::top_directories::added;
use crate::event::unasked::Unasked;
use crate::facts::form_facts::{Baseline, FormFacts, Marks};
use crate::facts::known_depots::{Depot, KnownDepots};
use crate::forms::depot_form::type_of;
use crate::forms::form_parser::parse;
use crate::home::admitted::Admitted;
use crate::home::allowances_file;
use crate::home::baseline_file::BaselineFile;
use crate::home::checkpoint_index;
use crate::home::decision_log;
use crate::home::facts_file::FactsFile;
use crate::home::folder::INDEX;
use crate::home::form_record::FormRecord;
use crate::home::policy_file::PolicyFile;
use crate::home::saved_forms;
use crate::home::state::{LogTime, State};
use crate::home::trial_client;
use crate::home::turns;
use crate::judge::accepted_lines::advise;
use crate::judge::baseline::quoted_key;
use crate::judge::command_outcome::Verdict;
use crate::judge::form_decision::{MAX_FINDINGS, judge};
use crate::judge::form_index;
use crate::judge::form_outcome::FormOutcome;
use crate::judge::form_policy::FormPolicy;
use crate::judge::form_refusal;
use crate::judge::form_standing::{
    FormStanding, asks_for_census, counts_inherited, max_files, needs, standings,
};
use crate::policy::document::Policy;
use crate::trigger::answer::Answer;
use crate::trigger::form_file;
use crate::trigger::judged::{Judged, conclude};
use crate::trigger::missing_facts::NO_FACTS;
use crate::trigger::server_facts::ServerFacts;
use crate::trigger::trigger_event::{TriggerEvent, groups, server};
use p4warden_index::estimate::form::Names;
use p4warden_index::file::index::Index;
use p4warden_index::file::trees::IndexError;
use std::cell::{OnceCell, RefCell};
use std::fmt::Display;

/// Reads a form or a submit with its rules and facts, and judges it.
pub fn answer<C: Clock>(
    trigger: &TriggerEvent<'_, C>,
    (policy_file, policy): (&PolicyFile, &Policy<'_>),
    kind: FormEventKind,
) -> Result<Answer, Fault> {
    let allowances;
    let form_type = trigger.arguments.get("type");
    let rules = FormPolicy::about(policy, kind, form_type);
    let mut rules = rules.map_err(|problem| policy_file.fault(&problem))?;
    let text = form_text(trigger, kind)?;
    let facts = FactsFile::open(trigger.home())?;
    let day = || trigger.today();
    let mut event = form_event(trigger, kind, &day);
    event.form = text.as_deref().map(parse);
    if !rules.rules.is_empty() {
        allowances = allowances_file::read(trigger.home());
        let (act, now_ns) = (|| event.refused(), trigger.clock.wall_ns());
        let allowed = allowances_file::of(&allowances, act, facts.case_sensitive, now_ns);
        rules.exemptions.extend(allowed);
    }
    let standings = standings(&rules, &event, facts.case_sensitive);
    let no_facts = facts.is_missing().then(|| NO_FACTS.to_owned());
    let judging = Judging {
        trigger,
        standings: &standings,
        facts: &facts,
        index: OnceCell::new(),
        trouble: RefCell::new(no_facts),
        policy,
    };
    event.note_existing_client(|event| {
        judging.ask(|index| form_index::client_exists(index, event)) == Some(true)
    });
    let needs = needs(&standings, &event);
    let mut server = match needs {
        Needs { client: true, .. } => ServerFacts::of_client(trigger, &event),
        _ if needs == Needs::default() => ServerFacts::default(),
        _ => ServerFacts::ask(trigger, needs, &event, &facts)?,
    };
    if let Some(trouble) = server.trouble.take() {
        judging.note_trouble(&trouble);
    }
    if server.has_client == Some(false) {
        event.note_existing_client(|_| false);
    }
    let files = server.files.take();
    event.files = files
        .as_ref()
        .map(|files| files.iter().map(|[path, action]| SubmittedFile { path, action }).collect());
    event.file_count = server.file_count;
    event.unasked = server.unasked;
    judging.with_facts(&mut event, server)
}

/// None for a submit, and for a form whose trigger line a name broke apart.
fn form_text<C: Clock>(
    trigger: &TriggerEvent<'_, C>,
    kind: FormEventKind,
) -> Result<Option<Vec<u8>>, Fault> {
    if kind.is_of_a_change() || trigger.arguments.is_tampered {
        return Ok(None);
    }
    form_file::read(trigger.arguments.get("form")).map(Some)
}

fn form_event<'t, C: Clock>(
    trigger: &'t TriggerEvent<'_, C>,
    kind: FormEventKind,
    day: &'t dyn Fn() -> String,
) -> FormEvent<'t> {
    let TriggerEvent { arguments, clock, .. } = trigger;
    let [name, client] = ["name", "client"].map(|name| arguments.get(name));
    let is_trial = |client| trial_client::is_trial(trigger.home(), client, clock.wall_ns());
    FormEvent {
        form_type: arguments.get("type"),
        name,
        user: arguments.get("user"),
        groups: groups(arguments),
        client,
        ip: arguments.get("ip"),
        server: server(arguments),
        time_s: Some(epoch_s(clock.wall_ns())),
        prog: arguments.get("prog"),
        version: arguments.get("version"),
        change: arguments.get("change"),
        is_trial: is_trial(name) || is_trial(client),
        is_tampered: arguments.is_tampered,
        broken_name: arguments.broken_name.clone(),
        ..FormEvent::unknown(kind, day)
    }
}

/// A form or submit with the rules about it.
struct Judging<'j, 'p, 't, C> {
    trigger: &'j TriggerEvent<'t, C>,
    standings: &'j [FormStanding<'j>],
    facts: &'j FactsFile,
    /// Opened when a rule first needs it.
    index: OnceCell<Option<Index>>,
    /// Why a fact that was needed is unknown: the first reason.
    trouble: RefCell<Option<String>>,
    policy: &'j Policy<'p>,
}

impl<C: Clock> Judging<'_, '_, '_, C> {
    fn with_facts(&self, event: &mut FormEvent<'_>, server: ServerFacts) -> Result<Answer, Fault> {
        let mut depots = server.depots;
        // Held until the verdict.
        let admission = match depots.as_mut() {
            Some(depots) => self.admission(event, server.needs, depots)?,
            None => None,
        };
        let event = &*event;
        let damage = OnceCell::new();
        let depots = match depots {
            Some(depots) => KnownDepots::of(depots),
            None => KnownDepots::read_by(|| {
                let depots = self.facts.known_depots();
                depots.map_err(|fault| damage.set(fault)).unwrap_or_default()
            }),
        };
        let baseline = || {
            let marks = self.baseline(event);
            marks.map_err(|fault| damage.set(fault)).unwrap_or_default()
        };
        let limit = max_files(self.standings, event);
        let inherited = form_index::adding_stream(event)
            .filter(|_| counts_inherited(self.standings))
            .and_then(|_| self.ask(|index| form_index::inherited(index, event, limit.is_some())));
        let spanned = |limit| {
            let inherited = inherited.as_ref();
            self.ask(|index| form_index::spanned_files(index, event, inherited, limit))
        };
        let used = || {
            let directories =
                self.ask(|index| form_index::used_directories(index, event, limit).map(Some));
            directories.unwrap_or_default()
        };
        let facts = FormFacts {
            case_sensitive: self.facts.case_sensitive,
            unicode: self.facts.unicode,
            server_id: self.facts.server_id.clone(),
            limit_view: self.facts.limit_view,
            depots: &depots,
            depots_as_of: server.depots_as_of,
            baseline: Baseline::read_by(&baseline),
            spanned_files: limit.and_then(spanned),
            inherited: inherited.clone(),
            used_directories: &used,
            client_exists: &|| self.ask(|index| form_index::client_exists(index, event)),
        };
        let outcome = FormOutcome::of(Vec::new());
        let (facts, damage) = (&facts, &damage);
        let mut judged = JudgedForm { judging: self, event, facts, damage, admission, outcome };
        conclude(self.trigger, &mut judged)
    }

    /// None for an event that adds neither a depot nor a first-level directory, and for one that waited
    /// too long for others, which is noted in it.
    fn admission(
        &self,
        event: &mut FormEvent<'_>,
        needs: Needs,
        depots: &mut Vec<Depot>,
    ) -> Result<Option<Admission<'_>>, Fault> {
        let case_sensitive = self.facts.case_sensitive;
        let directories =
            if needs.directories { added(event, depots, case_sensitive) } else { Vec::new() };
        if !needs.depots && directories.is_empty() {
            return Ok(None);
        }
        let TriggerEvent { last_word, clock, .. } = self.trigger;
        let (home, until_ns) = (self.trigger.home(), self.trigger.until_ns());
        let turn = turns::admission(home, until_ns, clock, &|| last_word.watch())?;
        let Some(turn) = turn else {
            event.unasked = Some(Unasked::NotAdmitted);
            return Ok(None);
        };
        let admitted = Admitted::read(home, turn, self.now_s())?;
        let name = event.name.unwrap_or_default();
        let is_new = !depots.iter().any(|depot| is_same(&depot.name, name, case_sensitive));
        admitted.add_to(depots, case_sensitive);
        Ok(Some(Admission { admitted, adds_depot: needs.depots && is_new, directories }))
    }

    fn baseline(&self, event: &FormEvent<'_>) -> Result<Marks, Fault> {
        let Some(form_type) = event.form_type.filter(|_| asks_for_census(self.standings)) else {
            return Ok(Marks::new());
        };
        let name = event.name.unwrap_or_default();
        let key = quoted_key(form_type, name, self.facts.case_sensitive);
        BaselineFile::marks_in(self.trigger.home(), &key)
    }

    /// None without an index that can be used.
    fn ask<T>(&self, question: impl FnOnce(&Index) -> Result<Option<T>, IndexError>) -> Option<T> {
        let opened = self.index.get_or_init(|| {
            let index = checkpoint_index::open(self.trigger.home(), self.facts);
            index.map_err(|fault| self.note_trouble(&fault)).ok().flatten()
        });
        let answer = question(opened.as_ref()?);
        answer.map_err(|damaged| self.note_trouble(&damaged)).ok().flatten()
    }

    fn note_trouble(&self, trouble: &dyn Display) {
        self.trouble.borrow_mut().get_or_insert_with(|| trouble.to_string());
    }

    fn note_saved(&self, event: &FormEvent<'_>) {
        let home = self.trigger.home();
        let is_noted = event.kind == FormEventKind::Save
            && event.form_type.is_some_and(|form_type| {
                saved_forms::FORMS.iter().any(|form| form.as_bytes() == form_type)
            });
        if !is_noted || event.is_trial || !home.file(INDEX).exists() {
            return;
        }
        let names = Names { client: event.described_client(), user: event.user };
        let files_of = |paths: &[Vec<u8>]| {
            let span = self.ask(|index| index.span(paths, u64::MAX, names).map(Some));
            span.map(|span| span.files)
        };
        if let Err(fault) = saved_forms::note(home, event, self.now_s(), files_of) {
            self.note_trouble(&format_args!("the saved form is not noted: {fault}"));
        }
    }

    fn now_s(&self) -> u64 {
        self.trigger.clock.wall_ns() / 1_000_000_000
    }

    fn log(&self, event: &FormEvent<'_>, outcome: &FormOutcome<'_>) {
        let trouble = self.trouble.borrow();
        let (digest, trouble) = (&*self.policy.digest, trouble.as_deref());
        let record = FormRecord { event, outcome, digest, class: None, trouble };
        let TriggerEvent { handling, arguments, clock, .. } = self.trigger;
        let log_time = self.count(&record).unwrap_or_else(|fault| {
            let refuses = outcome.verdict == Verdict::Refuse;
            handling.record(arguments, refuses, &fault.of_state(), clock);
            if record.note().is_some() { LogTime::Now(1, Vec::new()) } else { LogTime::Later }
        });
        decision_log::log(&handling.home, log_time, clock.wall_ns(), |count, wall_ns| {
            let classes = self.policy.classes();
            let class = class_of(&classes, &event.sender(self.facts.case_sensitive));
            FormRecord { class, ..record }.line(count, self.trigger.took_ns(), wall_ns)
        });
    }

    /// An event of a deploy's trial run is logged in any case and not counted.
    fn count(&self, record: &FormRecord<'_, '_>) -> Result<LogTime, Fault> {
        if record.event.is_trial {
            return Ok(LogTime::Now(1, Vec::new()));
        }
        State::once(self.trigger.home(), &self.trigger.clock, |state| {
            state.count(record.counter());
            record.note().map_or(Ok(LogTime::Later), |note| state.note(&note))
        })
    }
}

struct JudgedForm<'j, 'p, 't, C> {
    judging: &'j Judging<'j, 'p, 't, C>,
    event: &'j FormEvent<'j>,
    facts: &'j FormFacts<'j>,
    /// Of a file with facts that was read while the form was judged.
    damage: &'j OnceCell<Fault>,
    /// Until the verdict.
    admission: Option<Admission<'j>>,
    outcome: FormOutcome<'j>,
}

impl<C: Clock> Judged for JudgedForm<'_, '_, '_, C> {
    fn decide(&mut self) -> Result<(), Fault> {
        self.outcome = judge(self.judging.standings, self.event, self.facts, Some(MAX_FINDINGS));
        self.damage.get().map_or(Ok(()), |damage| Err(damage.clone()))
    }

    fn refusal(&self) -> Option<String> {
        let Judging { policy, facts, .. } = self.judging;
        let is_refused = self.outcome.verdict == Verdict::Refuse;
        let text = || form_refusal::text(policy, self.event, &self.outcome, facts.unicode);
        is_refused.then(|| text().unwrap_or_default())
    }

    /// Advice may meet a damaged index, which the record names.
    fn refuse(&mut self) {
        self.admission = None;
        advise(&mut self.outcome, self.judging.standings, self.event, self.facts);
        self.judging.log(self.event, &self.outcome);
    }

    fn let_pass(&mut self) -> Result<(), Fault> {
        if let Some(admission) = self.admission.take() {
            admission.add(self.event)?;
        }
        if let Some(form) = self.outcome.form() {
            let file = self.judging.trigger.arguments.get("form");
            form_file::write(file.unwrap_or_default(), form)?;
        }
        self.judging.note_saved(self.event);
        self.judging.log(self.event, &self.outcome);
        Ok(())
    }
}

/// What an event that is about to be judged adds, with the lock that keeps others from being judged
/// meanwhile.
struct Admission<'j> {
    admitted: Admitted<'j>,
    adds_depot: bool,
    directories: Vec<Vec<u8>>,
}

impl Admission<'_> {
    fn add(mut self, event: &FormEvent<'_>) -> Result<(), Fault> {
        if !self.directories.is_empty() {
            let change = event.change.unwrap_or_default();
            return self.admitted.add_directories(self.directories, change);
        }
        match event.name.filter(|_| self.adds_depot) {
            Some(name) => self.admitted.add_depot(name, type_of(event.readable_form())),
            None => Ok(()),
        }
    }
}
