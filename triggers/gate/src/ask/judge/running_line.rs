//! The running command that an input line of `p4warden-gate judge` describes: `age_s`, `number`,
//! `state`, `host`, `user_type`, `steady` (seconds by a clock that nobody sets), `clock_set` (when the
//! server's clock was last found set) and `earlier`, the readings before, each with the fields of the
//! line's own reading.

use super::command_line::joined;
use super::time::nanoseconds;
use crate::base::json_text::{Text, given, problem};
use crate::event::arguments::command_name;
use crate::event::running_process::{Reading, RunningProcess};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;

#[derive(Deserialize)]
#[serde(bound(deserialize = "'de: 'a"))]
pub(super) struct ProcessDocument<'a> {
    user_type: Option<Text<'a>>,
    clock_set: Option<&'a RawValue>,
    earlier: Option<Vec<ReadingDocument<'a>>>,
}

#[derive(Deserialize)]
#[serde(bound(deserialize = "'de: 'a"))]
pub(super) struct ReadingDocument<'a> {
    number: Option<u64>,
    state: Option<Text<'a>>,
    user: Option<Text<'a>>,
    client: Option<Text<'a>>,
    host: Option<Text<'a>>,
    prog: Option<Text<'a>>,
    command: Option<Text<'a>>,
    args: Option<Vec<Text<'a>>>,
    age_s: Option<u64>,
    time: Option<&'a RawValue>,
    steady: Option<&'a RawValue>,
}

impl<'a> ProcessDocument<'a> {
    /// With the line's own reading; the error says what is wrong with the line.
    pub fn read(line: &'a [u8]) -> Result<(Self, ReadingDocument<'a>), String> {
        let read = || Ok((serde_json::from_slice(line)?, serde_json::from_slice(line)?));
        read().map_err(|error| problem(&error))
    }

    pub fn process<'e>(
        &'e self,
        own: &'e ReadingDocument<'_>,
    ) -> Result<RunningProcess<'e>, String> {
        let earlier = self.earlier.as_ref();
        let earlier = earlier.map(|all| all.iter().map(ReadingDocument::reading).collect());
        let clock_set_ns = nanoseconds(self.clock_set)?;
        let user_type = self.user_type.as_deref().unwrap_or_default();
        Ok(RunningProcess {
            last: own.reading()?,
            user_type,
            clock_set_ns,
            earlier: earlier.transpose()?,
        })
    }
}

impl ReadingDocument<'_> {
    fn reading(&self) -> Result<Reading<'_>, String> {
        let age_ns = |age_s: u64| {
            let age_ns = age_s.checked_mul(1_000_000_000);
            age_ns.ok_or_else(|| "age_s is not an age in seconds".to_owned())
        };
        Ok(Reading {
            number: self.number,
            state: given(&self.state),
            user: given(&self.user),
            client: given(&self.client),
            host: self.host.as_deref(),
            prog: self.prog.as_deref(),
            command: given(&self.command).map(command_name),
            args: self.args.as_deref().map(|words| Cow::Owned(joined(words))),
            age_ns: self.age_s.map(age_ns).transpose()?,
            time_ns: nanoseconds(self.time)?,
            steady_ns: nanoseconds(self.steady)?,
        })
    }
}
