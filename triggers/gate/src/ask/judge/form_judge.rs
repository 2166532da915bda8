//! Judges the forms and submits of `p4warden-gate judge`.

use super::event_line::EventLine;
use super::form_answer::add_form_answer;
use super::form_facts::FormFactsDocument;
use super::form_line::form_event;
use super::listed_rules::Part;
use super::marks::SpecMarks;
use super::{Judge, index_of};
use crate::base::clock;
use crate::base::json::{Object, object_text};
use crate::contract::draft::Server;
use crate::event::form_event::{FormEvent, FormEventKind};
use crate::event::split_line::SplitLine;
use crate::facts::form_facts::{Baseline, FormFacts, Marks, SpannedFiles};
use crate::facts::known_depots::KnownDepots;
use crate::home::baseline_file::BaselineFile;
use crate::judge::accepted_lines::advise;
use crate::judge::baseline::quoted_key;
use crate::judge::command_outcome::Verdict;
use crate::judge::form_decision::{MAX_FINDINGS, judge};
use crate::judge::form_index;
use crate::judge::form_outcome::{FormJudgement, FormOutcome};
use crate::judge::form_policy::FormPolicy;
use crate::judge::form_refusal;
use crate::judge::form_standing::{asks_for_census, counts_inherited, max_files, standings};
use p4warden_index::file::index::Index;
use std::collections::BTreeMap;
use std::rc::Rc;

pub struct FormJudge<'f> {
    policy: FormPolicy<'f>,
    facts: FormFactsDocument<'f>,
    depots: KnownDepots<'f>,
    baseline: Option<BaselineFile>,
}

impl<'f> FormJudge<'f> {
    /// `facts` is the content of a `facts.json`.
    pub fn new(
        policy: FormPolicy<'f>,
        facts: &'f [u8],
        baseline: Option<BaselineFile>,
    ) -> Result<Self, String> {
        let facts = FormFactsDocument::read(facts)?;
        let depots = KnownDepots::of(facts.depots()?.unwrap_or_default());
        Ok(FormJudge { policy, facts, depots, baseline })
    }

    /// By another policy, with the same facts and without a baseline.
    pub(super) fn by(&self, policy: FormPolicy<'f>) -> Self {
        let depots = KnownDepots::of(self.depots.all().to_vec());
        FormJudge { policy, facts: self.facts.clone(), depots, baseline: None }
    }

    pub(super) fn policy(&self) -> &FormPolicy<'f> {
        &self.policy
    }

    pub(super) fn server(&self) -> Server<'_> {
        let case_sensitive = self.facts.case_sensitive.unwrap_or(true);
        Server { depots: &self.depots, case_sensitive }
    }

    /// Writes the verdict on an event; the error describes an invalid line.
    pub(super) fn answer(
        &self,
        line: &EventLine<'_>,
        kind: FormEventKind,
        around: &Judge<'_>,
        now_ns: u64,
        to: &mut String,
    ) -> Result<(), String> {
        let day = || clock::day(now_ns, tz::TimeZone::as_ref(&around.zone));
        let event = form_event(line, kind, (clock::epoch_s(now_ns), &day));
        // A census judges specs that exist, whose names broke no trigger line apart.
        let split = SplitLine::of_form(&event);
        let mut event = if around.parts.has_marks { event } else { split.form_event(event) };
        self.judge(line, &mut event, around, to)
    }

    fn judge(
        &self,
        line: &EventLine<'_>,
        event: &mut FormEvent<'_>,
        around: &Judge<'_>,
        to: &mut String,
    ) -> Result<(), String> {
        let own = line.form_facts()?;
        let own_depots = own.depots()?.map(KnownDepots::of);
        let case_sensitive = own.case_sensitive.or(self.facts.case_sensitive).unwrap_or(true);
        let unicode = own.unicode.or(self.facts.unicode).unwrap_or(false);
        let standings = standings(&self.policy, event, case_sensitive);
        let limit = max_files(&standings, event);
        let index = || self.index(&own, around.index.as_ref());
        let exists = |event: &FormEvent<'_>| {
            own.client_exists.or_else(|| form_index::client_exists(&index()?, event).ok()?)
        };
        event.note_existing_client(|event| exists(event) == Some(true));
        let event = &*event;
        let client_exists = || exists(event);
        let adding = form_index::adding_stream(event)
            .filter(|_| counts_inherited(&standings))
            .and_then(|_| index());
        let inherited =
            adding.and_then(|index| form_index::inherited(&index, event, limit.is_some()).ok()?);
        let spanned_by_index =
            || form_index::spanned_files(&index()?, event, inherited.as_ref(), limit?).ok()?;
        let spanned = spanned_files(&own, limit, spanned_by_index);
        let used = || {
            let known = own.used_directories().or_else(|| self.facts.used_directories());
            let of_index = || form_index::used_directories(&index()?, event, limit).ok();
            known.or_else(of_index).unwrap_or_default()
        };
        let facts = |baseline: Marks| FormFacts {
            case_sensitive,
            unicode,
            server_id: own.server_id.as_ref().or(self.facts.server_id.as_ref()).cloned(),
            limit_view: own.limit_view.or(self.facts.limit_view).unwrap_or(false),
            depots: own_depots.as_ref().unwrap_or(&self.depots),
            depots_as_of: self.facts.depots_as_of.clone().unwrap_or_default(),
            baseline: Baseline::of(baseline),
            spanned_files: spanned.clone(),
            inherited: inherited.clone(),
            used_directories: &used,
            client_exists: &client_exists,
        };
        let own_marks = own.baseline()?;
        let baseline = || match &own_marks {
            Some(marks) => Ok(Some(marks.clone())),
            None => self.marks(event, case_sensitive),
        };
        let is_needed = own_marks.is_some() || asks_for_census(&standings);
        let judged_facts =
            facts(if is_needed { baseline()?.unwrap_or_default() } else { Marks::new() });
        let most = Some(MAX_FINDINGS).filter(|_| !around.parts.has_all_findings);
        let mut outcome = judge(&standings, event, &judged_facts, most);
        advise(&mut outcome, &standings, event, &judged_facts);
        let value =
            spanned.as_ref().filter(|_| limit.is_some()).map(|spanned| spanned.files.likely());
        let marks = match around.parts.has_marks {
            true if outcome.verdict == Verdict::Allow => Some(SpecMarks::default()),
            true => {
                let nothing_held_back = facts(Marks::new());
                let all = judge(&standings, event, &nothing_held_back, None);
                Some(SpecMarks::of(&all, event, baseline()?, facts))
            }
            false => None,
        };
        let answering = Answering { id: line.id, event, facts: &judged_facts, around, value };
        let mut object = Object::new(to);
        answering.add_answer(&mut object, &outcome);
        if let Some(marks) = marks {
            let findings = outcome.decisive().map(|judgement| judgement.findings.as_slice());
            marks.add_to(&mut object, findings.unwrap_or_default(), limit);
        }
        if let Some(listed) = &around.listed {
            let parts = answering.parts(outcome);
            listed.write(&mut object, &event.sender(case_sensitive), event.is_trial, &parts);
        }
        object.finish();
        to.push('\n');
        Ok(())
    }

    /// Those of a spec in the baseline; None without a baseline.
    fn marks(&self, event: &FormEvent<'_>, case_sensitive: bool) -> Result<Option<Marks>, String> {
        let spec = event.form_type.zip(event.name);
        let marks = self.baseline.as_ref().zip(spec).map(|(file, (form_type, name))| {
            file.marks(&quoted_key(form_type, name, case_sensitive))
        });
        marks.transpose().map_err(|problem| format!("the baseline: {problem}"))
    }

    /// None for the index of another server.
    pub(super) fn index(
        &self,
        own: &FormFactsDocument<'_>,
        index: Option<&Rc<Index>>,
    ) -> Option<Index> {
        let server_id = own.server_id.as_deref().or(self.facts.server_id.as_deref());
        index_of(index?, server_id, own.case_sensitive.or(self.facts.case_sensitive))
    }
}

/// By the facts of the event, or else by the index. The index also names the wide lines for facts that
/// only count the files.
fn spanned_files(
    own: &FormFactsDocument<'_>,
    limit: Option<u64>,
    by_index: impl FnOnce() -> Option<SpannedFiles>,
) -> Option<SpannedFiles> {
    let Some(spanned) = own.spanned_files() else { return by_index() };
    let is_over = limit.is_some_and(|limit| spanned.files.at_least > limit);
    match Some(by_index).filter(|_| is_over && own.lacks_wide_lines()).and_then(|ask| ask()) {
        Some(by_index) => Some(SpannedFiles { files: spanned.files, ..by_index }),
        None => Some(spanned),
    }
}

struct Answering<'s, 'e> {
    id: Option<&'s str>,
    event: &'e FormEvent<'e>,
    facts: &'e FormFacts<'e>,
    around: &'s Judge<'s>,
    value: Option<u64>,
}

impl Answering<'_, '_> {
    fn add_answer(&self, to: &mut Object<'_>, outcome: &FormOutcome<'_>) {
        let (event, unicode) = (self.event, self.facts.unicode);
        let text = || form_refusal::text(&self.around.policy.policy, event, outcome, unicode);
        let text = self.around.parts.has_texts.then(text);
        let text = text.as_ref().map(Option::as_deref);
        let server_id = self.facts.server_id.as_deref();
        let is_of_another = self.around.index.as_ref().is_some_and(|index| !index.is_of(server_id));
        add_form_answer(to, self.id, outcome, self.value, text, is_of_another);
    }

    fn parts(&self, outcome: FormOutcome<'_>) -> BTreeMap<String, Part> {
        let part = |judgement: FormJudgement<'_>| {
            let (rule, verdict) = (judgement.rule(), judgement.verdict);
            let is_limited = rule.rule.max_files().is_some() && judgement.exemption().is_none();
            let value = self.value.filter(|_| is_limited);
            let alone = FormOutcome::of(vec![judgement]);
            let answer = self.around.parts.has_texts.then(|| {
                object_text(|object| Answering { value, ..*self }.add_answer(object, &alone))
            });
            (rule.name.clone(), Part { verdict, value, answer })
        };
        outcome.judgements.into_iter().map(part).collect()
    }
}
