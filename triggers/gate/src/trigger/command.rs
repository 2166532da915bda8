//! The judging of one command.

use crate::base::clock::{self, Clock};
use crate::base::fault::Fault;
use crate::event::arguments::Arguments;
use crate::event::command_event::Event;
use crate::event::lazy_index::LazyIndex;
use crate::event::trigger_dictionary;
use crate::facts::depots::{DepotList, Depots};
use crate::home::admitted;
use crate::home::allowances_file;
use crate::home::checkpoint_index;
use crate::home::decision_log::{self, LoggedPolicy};
use crate::home::facts_file::FactsFile;
use crate::home::policy_file::PolicyFile;
use crate::home::processes;
use crate::home::state::{Counter, LogTime, Note, State};
use crate::home::trial_client;
use crate::judge::command_decision::{RateFreeResults, allows, keeps_rates, standings};
use crate::judge::command_outcome::{Outcome, Verdict};
use crate::judge::command_policy::Rules;
use crate::judge::command_refusal;
use crate::judge::standing::Standing;
use crate::judge::tampered_line::LOG_NAME;
use crate::paths::command_form::command_form;
use crate::paths::command_synonyms::resolve_name;
use crate::policy::document::Policy;
use crate::policy::pressure::Load;
use crate::rate::queue::Ends;
use crate::trigger::answer::Answer;
use crate::trigger::judged::{Judged, conclude};
use crate::trigger::load::load;
use crate::trigger::missing_facts;
use crate::trigger::on_error::FailureHandling;
use crate::trigger::queue;
use crate::trigger::standard_input::StandardInput;
use crate::trigger::trigger_event::{TriggerEvent, groups, server};
use std::borrow::Cow;
use std::cell::OnceCell;
use std::mem;
use std::rc::Rc;
use std::thread;
use std::time::Duration;

/// Reads a command with its rules and facts, and judges it. `dictionary` is the server's.
pub fn answer<C: Clock>(
    trigger: &TriggerEvent<'_, C>,
    (policy_file, policy): (&PolicyFile, &Policy<'_>),
    command: &[u8],
    dictionary: Option<&StandardInput>,
) -> Result<Answer, Fault> {
    let args = args(&trigger.arguments, dictionary);
    let args_are_cut = dictionary.is_some_and(|dictionary| !dictionary.is_whole);
    let TriggerEvent { arguments, handling, clock, .. } = trigger;
    let allowances;
    let rules = Rules::about(policy, resolve_name(command).main_name);
    let mut rules = rules.map_err(|problem| policy_file.fault(&problem))?;
    let today = OnceCell::new();
    let day = || today.get_or_init(|| trigger.today()).clone();
    let load = load(arguments, &rules, &policy.measures);
    let is_trial = trial_client::is_trial(trigger.home(), arguments.get("client"), clock.wall_ns());
    let is_judged = is_trial || !rules.rules.is_empty();
    let facts = if is_judged { FactsFile::open(trigger.home())? } else { FactsFile::unknown() };
    let mut depots = if rules.need_the_depots() { facts.depots()? } else { DepotList::default() };
    admitted::add_to(&mut depots, trigger.home())?;
    let event = event(trigger, command, args.as_deref(), &facts, &day, load);
    // Without an index that can be used its estimates are unknown.
    let open = || {
        let index = checkpoint_index::open(trigger.home(), &facts);
        index.map(|index| index.map(Rc::new)).map_err(|fault| fault.to_string())
    };
    let index = LazyIndex::new(&open);
    let event = Event {
        args_are_cut,
        depots: Depots::of(&depots),
        is_trial,
        ends: ends(&rules),
        index: Some(&index),
        times_of: &|date| clock::times_of(date, clock::zone().as_ref()),
        ..event
    };
    if !rules.rules.is_empty() {
        allowances = allowances_file::read(trigger.home());
        let (act, now_ns) = (|| event.refused(), clock.wall_ns());
        let allowed = allowances_file::of(&allowances, act, event.case_sensitive, now_ns);
        rules.exemptions.extend(allowed);
    }
    let standings = standings(&rules, &event);
    if !is_trial && standings.iter().all(|standing| standing.exemption.is_some()) {
        count_allowed(arguments, handling, clock);
        return Ok(Answer::GoOn);
    }
    let mut judged = JudgedCommand {
        trigger,
        policy,
        rules: &rules,
        standings: &standings,
        event: &event,
        has_facts: !facts.is_missing(),
        outcome: Outcome::default(),
        log_time: LogTime::Later,
        waited_ns: 0,
    };
    conclude(trigger, &mut judged)
}

/// The text of the command's arguments: from the dictionary if the server writes one, otherwise from
/// an intact line. None if they are unknown.
fn args<'a>(
    arguments: &Arguments<'a>,
    dictionary: Option<&StandardInput>,
) -> Option<Cow<'a, [u8]>> {
    match dictionary.filter(|_| !arguments.is_tampered) {
        Some(StandardInput { content, is_whole: true }) => {
            trigger_dictionary::arguments(arguments.words, content).map(Cow::Owned)
        }
        Some(_) => None,
        None => arguments.args(),
    }
}

fn event<'a, C: Clock>(
    TriggerEvent { arguments, clock, .. }: &'a TriggerEvent<'_, C>,
    command: &'a [u8],
    args: Option<&'a [u8]>,
    facts: &FactsFile,
    day: &'a dyn Fn() -> String,
    load: Load,
) -> Event<'a> {
    Event {
        user: arguments.get("user"),
        groups: groups(arguments),
        client: arguments.get("client"),
        ip: arguments.get("ip"),
        server: server(arguments),
        time_s: clock::epoch_s(clock.wall_ns()),
        prog: arguments.get("prog"),
        version: arguments.get("version"),
        args,
        directory: arguments.get("cwd"),
        is_tampered: arguments.is_tampered,
        broken_name: arguments.broken_name.clone(),
        load,
        case_sensitive: facts.case_sensitive,
        unicode: facts.unicode,
        limit_view: facts.limit_view,
        ..Event::unknown(command, day)
    }
}

/// None of the commands that a rule may count is known to end if p4d did not start this program
/// itself.
fn ends(rules: &Rules<'_>) -> Ends {
    let process = if rules.need_the_end() { processes::of_the_connection() } else { None };
    process.map_or(Ends::Unknown, Ends::With)
}

/// Counts in the state file an allowed event that no rule covers or that is exempt from every rule;
/// the event is allowed even if it cannot be counted.
fn count_allowed(arguments: &Arguments<'_>, handling: &FailureHandling, clock: &impl Clock) {
    let counted = State::once(&handling.home, clock, |state| {
        state.count(Counter::Allowed);
        Ok(())
    });
    if let Err(fault) = counted {
        handling.record(arguments, false, &fault.of_state(), clock);
    }
}

/// A command event with the rules for it.
struct JudgedCommand<'j, 'e, 't, C> {
    trigger: &'j TriggerEvent<'t, C>,
    policy: &'j Policy<'j>,
    rules: &'e Rules<'e>,
    standings: &'j [Standing<'e>],
    event: &'e Event<'e>,
    has_facts: bool,
    outcome: Outcome<'e>,
    log_time: LogTime,
    waited_ns: u64,
}

impl<C: Clock> Judged for JudgedCommand<'_, '_, '_, C> {
    fn decide(&mut self) -> Result<(), Fault> {
        (self.outcome, self.log_time) = self.settle()?;
        Ok(())
    }

    fn refusal(&self) -> Option<String> {
        // The text is no matter of most events, and to enter its code costs a page.
        let is_refused = self.outcome.verdict == Verdict::Refuse;
        let text = || command_refusal::text(self.policy, self.event, &self.outcome);
        is_refused.then(|| text().unwrap_or_default())
    }

    /// The record takes along counts that wait in the state file, which a gate that is killed while it
    /// seeks advice would lose.
    fn refuse(&mut self) {
        self.write_record();
        let JudgedCommand { rules, standings, event, .. } = *self;
        self.outcome.seek_fix(&|args| allows(rules, standings, event, args));
    }

    /// A command that waits for others is recorded once it is known what becomes of it.
    fn let_pass(&mut self) -> Result<(), Fault> {
        if self.outcome.queues().is_empty() {
            self.write_record();
        }
        Ok(())
    }

    fn wait(&mut self) -> Result<(), Fault> {
        let TriggerEvent { clock, last_word, .. } = self.trigger;
        let began_ns = clock.since_boot_ns();
        if let Some(delay_ns) = self.outcome.delay_ns() {
            last_word.unwatched(|| thread::sleep(Duration::from_nanos(delay_ns)));
        }
        let queues = self.outcome.queues();
        if queues.is_empty() {
            return Ok(());
        }
        let waited = queue::wait(self.trigger.home(), clock, &queues, last_word);
        let waited = waited.map_err(|it| it.of_state())?;
        self.waited_ns = clock.since_boot_ns().saturating_sub(began_ns);
        self.outcome.end_wait(waited.ns, waited.runs);
        self.log_time = self.count_alone(&self.outcome).map_err(|it| it.of_state())?;
        self.write_record();
        Ok(())
    }
}

impl<'e, C: Clock> JudgedCommand<'_, 'e, '_, C> {
    fn write_record(&mut self) {
        let TriggerEvent { clock, .. } = self.trigger;
        let log_time = mem::replace(&mut self.log_time, LogTime::Later);
        let home = self.trigger.home();
        decision_log::log(home, log_time, clock.wall_ns(), |count, wall_ns| {
            let took_ns = Some(self.trigger.took_ns().saturating_sub(self.waited_ns));
            let classes = self.policy.classes();
            let logged = LoggedPolicy::of(self.policy, &classes, &self.event.sender());
            decision_log::decision(self.event, &self.outcome, logged, count, took_ns, wall_ns)
        });
        if !self.has_facts {
            missing_facts::note(home, clock);
        }
    }

    /// Judges the command event and counts it in the state file. If the state file cannot be used,
    /// the rules that remember earlier commands fail, the other rules judge without it, and their
    /// refusals still take effect.
    fn settle(&self) -> Result<(Outcome<'e>, LogTime), Fault> {
        let fault = if keeps_rates(self.rules, self.standings, self.event) {
            match self.judge_with_rates() {
                Ok(settled) => return Ok(settled),
                Err(fault) => Some(fault.of_state()),
            }
        } else {
            None
        };
        let outcome = self.rate_free_results().decide_without_rates();
        Ok(match fault {
            Some(fault) if outcome.verdict < Verdict::Refuse => return Err(fault),
            Some(fault) => self.record_uncounted(outcome, &fault),
            None => match self.count_alone(&outcome) {
                Ok(log_time) => (outcome, log_time),
                Err(fault) => self.record_uncounted(outcome, &fault.of_state()),
            },
        })
    }

    /// Judges and counts the command event under a single lock of the state file. Rules that may
    /// read the checkpoint index judge before, so that no other event waits for these reads.
    fn judge_with_rates(&self) -> Result<(Outcome<'e>, LogTime), Fault> {
        let results = self.rate_free_results();
        State::once(self.trigger.home(), &self.trigger.clock, |state| {
            let now_ns = state.now_ns();
            let outcome = results.decide(state, now_ns)?;
            let log_time = match outcome.queues().is_empty() {
                true => count(&outcome, self.event, state)?,
                false => LogTime::Later,
            };
            Ok((outcome, log_time))
        })
    }

    /// A refusal among them stands, whatever happens from then on.
    fn rate_free_results(&self) -> RateFreeResults<'_, 'e> {
        let results = RateFreeResults::new(self.rules, self.standings, self.event);
        if let Some((rule, objection)) = results.refusal() {
            let own = (rule.advice.as_deref(), rule.selector.as_ref());
            let (policy, finding) = (self.policy, objection.finding(self.event));
            let text =
                command_refusal::text_of(policy, self.event, &rule.name, own, &finding, None);
            self.trigger.last_word.refuse(text);
        }
        results
    }

    fn count_alone(&self, outcome: &Outcome<'_>) -> Result<LogTime, Fault> {
        let count = |state: &mut State| count(outcome, self.event, state);
        State::once(self.trigger.home(), &self.trigger.clock, count)
    }

    /// Records the fault that kept the state file from counting a decision, and decides whether to
    /// log the decision: only if a rule objects and the end of the decision log has no line with
    /// the same user, verdict and rule from the last 10 seconds.
    fn record_uncounted(&self, outcome: Outcome<'e>, fault: &Fault) -> (Outcome<'e>, LogTime) {
        let refuses = outcome.verdict == Verdict::Refuse;
        let TriggerEvent { arguments, handling, clock, .. } = self.trigger;
        handling.record(arguments, refuses, fault, clock);
        let judgement = outcome.decisive().filter(|judgement| judgement.objection.is_some());
        let is_logged = judgement.is_none_or(|judgement| {
            let verdict = outcome.verdict.word();
            let (home, wall_ns) = (&handling.home, clock.wall_ns());
            decision_log::is_decision_logged(
                home,
                [self.event.user, self.event.ip],
                verdict,
                judgement.rule,
                wall_ns,
            )
        });
        (outcome, if is_logged { LogTime::Later } else { LogTime::Now(1, Vec::new()) })
    }
}

/// Counts an event in the state file; returns whether a log line is due, which requires the
/// objection of a rule, or a rule that cannot judge the command. An event of a deploy's trial run is
/// logged in any case and not counted.
fn count(outcome: &Outcome<'_>, event: &Event<'_>, state: &mut State) -> Result<LogTime, Fault> {
    if event.is_trial {
        return Ok(LogTime::Now(1, Vec::new()));
    }
    state.count(Counter::of(outcome.verdict));
    let Some(judgement) = outcome.decisive() else { return Ok(LogTime::Later) };
    let is_unknown = outcome.verdict == Verdict::Unknown;
    // One line for all forms, as it is the site's trouble.
    let has_damage = is_unknown && event.index.and_then(LazyIndex::damage).is_some();
    let form =
        is_unknown.then(|| command_form(event.name.main_name, event.args.unwrap_or_default()));
    state.note(&Note {
        event: "command",
        verdict: outcome.verdict.word(),
        enforced_verdict: judgement.observes(),
        rule: judgement.rule,
        is_unusual: judgement.is_unusual(),
        user: match &form {
            _ if has_damage => b"",
            Some(form) => form.as_bytes(),
            None if event.is_tampered => LOG_NAME,
            None => event.user.unwrap_or_default(),
        },
        ip: event.ip.unwrap_or_default(),
    })
}
