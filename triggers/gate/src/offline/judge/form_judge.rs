//! Judges the forms and submits of `p4warden-gate judge`.

use super::form_answer::form_answer;
use super::form_facts::FormFactsDocument;
use super::form_line::FormLine;
use crate::base::clock;
use crate::event::form_event::FormEvent;
use crate::event::split_line::SplitLine;
use crate::facts::form_facts::{FormFacts, Marks};
use crate::facts::known_depots::KnownDepots;
use crate::home::baseline_file::BaselineFile;
use crate::judge::baseline::quoted_key;
use crate::judge::form_decision::{MAX_FINDINGS, judge};
use crate::judge::form_index;
use crate::judge::form_needs::{asks_for_census, max_files};
use crate::judge::form_policy::FormPolicy;
use crate::judge::form_refusal;
use p4warden_index::file::index::Index;
use std::rc::Rc;

pub struct FormJudge<'f> {
    policy: FormPolicy<'f>,
    facts: FormFactsDocument<'f>,
    depots: KnownDepots<'f>,
    baseline: Option<BaselineFile>,
}

/// The parts of `Judge` that events of all kinds need.
pub(super) struct Surroundings<'s> {
    pub index: Option<&'s Rc<Index>>,
    pub zone: &'s tz::TimeZone,
    pub now_ns: u64,
    pub has_texts: bool,
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

    /// Writes the verdict on an event; the error describes an invalid line.
    pub(super) fn answer(
        &self,
        line: &FormLine<'_>,
        around: &Surroundings<'_>,
        to: &mut String,
    ) -> Result<(), String> {
        let day = || clock::day(around.now_ns, around.zone.as_ref());
        let event = line.event(&day);
        let split = SplitLine::of_form(&event);
        let event = match &split {
            Some(split) => split.form_event(event),
            None => event,
        };
        self.judge(line, &event, around, to)
    }

    fn judge(
        &self,
        line: &FormLine<'_>,
        event: &FormEvent<'_>,
        around: &Surroundings<'_>,
        to: &mut String,
    ) -> Result<(), String> {
        let own = FormFactsDocument::read(line.facts.unwrap_or("{}").as_bytes())?;
        let own_depots = own.depots()?.map(KnownDepots::of);
        let case_sensitive = own.case_sensitive.or(self.facts.case_sensitive).unwrap_or(true);
        let unicode = own.unicode.or(self.facts.unicode).unwrap_or(false);
        let limit = max_files(&self.policy, event, case_sensitive);
        let index = || self.index(&own, around);
        let spanned = || form_index::spanned_files(&index()?, event, limit?).ok()?;
        let used = || {
            let of_index = || form_index::used_directories(&index()?, event, limit).ok();
            own.used_directories().or_else(of_index).unwrap_or_default()
        };
        let in_index = || form_index::client_exists(&index()?, event).ok()?;
        let client_exists = || own.client_exists.or_else(in_index);
        let facts = FormFacts {
            case_sensitive,
            unicode,
            server_id: own.server_id.as_ref().or(self.facts.server_id.as_ref()).cloned(),
            depots: own_depots.as_ref().unwrap_or(&self.depots),
            depots_as_of: String::new(),
            baseline: self.marks(&own, event, case_sensitive)?,
            spanned_files: own.spanned_files().or_else(spanned),
            used_directories: &used,
            client_exists: &client_exists,
        };
        let mut outcome = judge(&self.policy, event, &facts, Some(MAX_FINDINGS));
        outcome.advise();
        let text = || form_refusal::text(&self.policy, event, &outcome, unicode);
        let text = around.has_texts.then(text);
        let value = facts.spanned_files.as_ref().filter(|_| limit.is_some());
        let value = value.map(|spanned| spanned.files);
        form_answer(to, line.id, &outcome, value, text.as_ref().map(Option::as_deref));
        to.push('\n');
        Ok(())
    }

    fn marks(
        &self,
        own: &FormFactsDocument<'_>,
        event: &FormEvent<'_>,
        case_sensitive: bool,
    ) -> Result<Marks, String> {
        if let Some(marks) = own.baseline()? {
            return Ok(marks);
        }
        match (&self.baseline, event.form_type, event.name) {
            (Some(file), Some(form_type), Some(name))
                if asks_for_census(&self.policy, event, case_sensitive) =>
            {
                let marks = file.marks(&quoted_key(form_type, name, case_sensitive));
                marks.map_err(|problem| format!("the baseline: {problem}"))
            }
            _ => Ok(Marks::new()),
        }
    }

    /// None for the index of another server.
    fn index(&self, own: &FormFactsDocument<'_>, around: &Surroundings<'_>) -> Option<Index> {
        let server_id = own.server_id.as_deref().or(self.facts.server_id.as_deref());
        let index = around.index.filter(|index| index.is_of(server_id))?;
        match own.case_sensitive.or(self.facts.case_sensitive) {
            Some(case_sensitive) => index.for_server(!case_sensitive),
            None => Some(index.as_ref().clone()),
        }
    }
}
