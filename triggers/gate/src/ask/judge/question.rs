//! The questions of `p4warden-gate judge`: lines with `ask`, which names the question.

use super::Judge;
use super::form_facts::FormFactsDocument;
use super::form_request::FormRequest;
use super::gain;
use super::standing::StandingRequest;
use super::witness::WitnessRequest;
use crate::base::json_text::{Text, problem};
use serde::Deserialize;

pub(super) enum Question<'a> {
    Form(FormRequest<'a>),
    Gain,
    Standing(StandingRequest<'a>),
    Witness(WitnessRequest<'a>),
}

#[derive(Deserialize)]
struct Head<'a> {
    #[serde(borrow)]
    ask: Option<Text<'a>>,
}

impl<'a> Question<'a> {
    /// None for a line that asks nothing, such as an event.
    pub fn read(line: &'a [u8]) -> Result<Option<Self>, String> {
        // Most lines are events, which are parsed once.
        if !line.windows(5).any(|bytes| bytes == b"\"ask\"") {
            return Ok(None);
        }
        let head: Head<'_> = read(line)?;
        Ok(Some(match head.ask.as_deref() {
            None => return Ok(None),
            Some(b"form") => Question::Form(read(line)?),
            Some(b"gain") => Question::Gain,
            Some(b"standing") => Question::Standing(read(line)?),
            Some(b"witness") => Question::Witness(read(line)?),
            Some(_) => return Err("ask must be form, gain, standing or witness".to_owned()),
        }))
    }

    pub fn answer(
        &self,
        judge: &Judge<'_>,
        now_ns: &dyn Fn() -> u64,
        to: &mut String,
    ) -> Result<(), String> {
        match self {
            Question::Form(request) => {
                let index = || {
                    let forms = judge.forms.as_ref().ok()?;
                    forms.index(&FormFactsDocument::default(), judge.index.as_ref())
                };
                request.answer(index, to);
                Ok(())
            }
            Question::Gain => gain::answer(judge, to),
            Question::Standing(request) => request.answer(judge, to),
            Question::Witness(request) => request.answer(judge, now_ns, to),
        }
    }
}

fn read<'a, T: Deserialize<'a>>(line: &'a [u8]) -> Result<T, String> {
    serde_json::from_slice(line).map_err(|error| problem(&error))
}
