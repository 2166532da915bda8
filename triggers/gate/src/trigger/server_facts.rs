//! The facts that an event needs from the server, completed by those of the last refresh.

use crate::base::clock::Clock;
use crate::base::fault::Fault;
use crate::base::patterns::is_same;
use crate::base::text::with_separators;
use crate::contract::form_rule::Needs;
use crate::event::form_event::{FormEvent, FormEventKind};
use crate::event::unasked::Unasked;
use crate::facts::known_depots::Depot;
use crate::home::facts_file::FactsFile;
use crate::trigger::server_answers::{Answers, NoAnswer, Question, ask, has_account};
use crate::trigger::trigger_event::TriggerEvent;
use std::collections::BTreeMap;

/// Of top directories; those of a depot with more are not all listed while a submit waits, and the
/// number in the last refresh's facts counts, whatever its age.
const MANY: u64 = 20_000;
const LAST_REFRESH: &str = "the last p4warden refresh";
const NO_ACCOUNT: &str =
    "no account to ask the server with; where one may be kept, p4warden refresh gives it one";

pub struct ServerFacts {
    pub needs: Needs,
    /// Of a submit: the new files, each with its action; None if unknown.
    pub files: Option<Vec<[Vec<u8>; 2]>>,
    /// Of an event's client; None if unknown.
    pub has_client: Option<bool>,
    /// Of all files of the submit, counted up to one more than asked for; None if unknown.
    pub file_count: Option<u64>,
    /// None if the server was not asked: then those of the last refresh.
    pub depots: Option<Vec<Depot>>,
    /// As in `FormFacts`.
    pub depots_as_of: String,
    /// Why a fact is unknown.
    pub trouble: Option<String>,
    /// Why the server was not asked about the files of a submit.
    pub unasked: Option<Unasked>,
}

impl Default for ServerFacts {
    fn default() -> Self {
        let (needs, depots_as_of) = (Needs::default(), LAST_REFRESH.to_owned());
        ServerFacts {
            needs,
            files: None,
            has_client: None,
            file_count: None,
            depots: None,
            depots_as_of,
            trouble: None,
            unasked: None,
        }
    }
}

impl ServerFacts {
    /// Whether the server still has a client of the index, as no event tells of its deletion. Without
    /// an account and if the server does not answer, it is unknown.
    pub fn of_client<C: Clock>(trigger: &TriggerEvent<'_, C>, event: &FormEvent<'_>) -> Self {
        let needs = Needs { client: true, ..Needs::default() };
        let question = Question { needs, event, large_depots: Vec::new() };
        let answers = match has_account(trigger.home()) {
            Ok(true) => answers(trigger, &question),
            Ok(false) => Err(NoAnswer::Trouble(NO_ACCOUNT.to_owned())),
            Err(fault) => Err(NoAnswer::Trouble(fault.to_string())),
        };
        match answers {
            Ok(answers) => ServerFacts { has_client: answers.has_client, ..Self::default() },
            Err(NoAnswer::Unasked(why)) => ServerFacts { unasked: Some(why), ..Self::default() },
            Err(NoAnswer::Trouble(why)) => ServerFacts { trouble: Some(why), ..Self::default() },
        }
    }

    /// If the server does not answer, a depot is judged by the facts of the last refresh, however
    /// old; the files of a submit are known to no other source, which is a fault. Without an account
    /// both are unknown. So are the files if the server answers and names none, as during
    /// `p4 populate`, and the number of those of a shelve that may be a part of its changelist. If there
    /// is no turn in time, a depot is judged in the same way, and the files of a submit are `unasked`.
    pub fn ask<C: Clock>(
        trigger: &TriggerEvent<'_, C>,
        needs: Needs,
        event: &FormEvent<'_>,
        facts: &FactsFile,
    ) -> Result<Self, Fault> {
        let unanswered = ServerFacts { needs, ..ServerFacts::default() };
        let account = has_account(trigger.home()).map_err(|fault| fault.to_string());
        if account == Ok(false) {
            let (depots, trouble) = (Some(Vec::new()), Some(NO_ACCOUNT.to_owned()));
            return Ok(ServerFacts { depots, trouble, ..unanswered });
        }
        let mut depots = facts.known_depots()?;
        let large = depots.iter().filter(|depot| depot.directory_count > MANY);
        let large_depots = large.map(|depot| depot.name.as_slice()).collect();
        let question = Question { needs, event, large_depots };
        let answers = |_| answers(trigger, &question);
        let answers = account.map_err(NoAnswer::Trouble).and_then(answers);
        let answers = match answers {
            Ok(answers) => answers,
            Err(missing) if !needs.asks_for_files() => {
                let as_of = format!("{LAST_REFRESH}, because the server could not be reached");
                let trouble = match missing {
                    NoAnswer::Trouble(trouble) => trouble,
                    NoAnswer::Unasked(why) => format!("the server was not asked: {}", why.words()),
                };
                let (depots, trouble) = (Some(depots), Some(trouble));
                return Ok(ServerFacts { depots, trouble, depots_as_of: as_of, ..unanswered });
            }
            Err(NoAnswer::Unasked(why)) => {
                return Ok(ServerFacts { unasked: Some(why), ..unanswered });
            }
            Err(NoAnswer::Trouble(trouble)) => return Err(Fault::new(trouble)),
        };
        let trouble = file_trouble(needs, &answers, event);
        let file_count = Some(answers.listed).filter(|listed| *listed > 0);
        let files = answers.files.filter(|_| file_count.is_some());
        let mut depots_as_of = unanswered.depots_as_of;
        for (name, listed) in answers.directories {
            let at =
                depots.iter().position(|depot| is_same(&depot.name, &name, facts.case_sensitive));
            match at.and_then(|at| depots.get_mut(at)) {
                Some(depot) if !listed.are_all => depot.confirmed_directories = Some(listed.names),
                Some(depot) => depot.have(listed.names),
                None if listed.are_all => {
                    let mut depot = Depot { name, ..Depot::default() };
                    depot.have(listed.names);
                    depots.push(depot);
                }
                None => {}
            }
        }
        if let Some(types) = answers.depots {
            depots = with_types(depots, types);
            depots_as_of.clear();
        }
        let depots = Some(depots);
        let known =
            ServerFacts { needs, files, file_count, depots, depots_as_of, ..Self::default() };
        Ok(ServerFacts { trouble, ..known })
    }
}

fn answers<C: Clock>(
    trigger: &TriggerEvent<'_, C>,
    question: &Question<'_>,
) -> Result<Answers, NoAnswer> {
    let waits = || trigger.last_word.watch();
    let answers = ask(trigger.home(), question, trigger.until_ns(), &trigger.clock, &waits);
    trigger.last_word.watch();
    answers
}

fn file_trouble(needs: Needs, answers: &Answers, event: &FormEvent<'_>) -> Option<String> {
    let change = String::from_utf8_lossy(event.change.unwrap_or(b"default"));
    match (&answers.files, answers.listed) {
        (_, 0) if event.kind == FormEventKind::Shelve => Some(format!(
            "change {change}: the server does not tell how many files of it are shelved; the shelve \
             is not judged"
        )),
        (_, 0) if needs.asks_for_files() => Some(format!(
            "change {change}: the server names no file of it yet, as during p4 populate; it is not \
             judged"
        )),
        (Some(_), listed) if listed > answers.judged => {
            let judged = with_separators(answers.judged);
            Some(format!("of a submit with more files only the first {judged} are judged"))
        }
        _ => None,
    }
}

/// Known depots keep their directories.
fn with_types(depots: Vec<Depot>, types: Vec<[Vec<u8>; 2]>) -> Vec<Depot> {
    let mut known: BTreeMap<_, _> =
        depots.into_iter().map(|depot| (depot.name.clone(), depot)).collect();
    let depot = |[name, kind]: [Vec<u8>; 2]| match known.remove(&name) {
        Some(depot) => Depot { kind, ..depot },
        None => Depot { name, kind, ..Depot::default() },
    };
    types.into_iter().map(depot).collect()
}
