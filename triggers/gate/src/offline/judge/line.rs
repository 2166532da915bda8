//! Parser of one input line of `p4warden-gate judge`: a command event as JSON.

use super::time::nanoseconds;
use crate::base::json_text::Text;
use crate::event::command_event::Event;
use crate::facts::depots::Depots;
use crate::facts::document::FactsDocument;
use crate::paths::command_synonyms::resolve_name as synonym_of;
use crate::policy::pressure::Level;
use serde::Deserialize;
use serde_json::value::RawValue;

const NO_EVENT: &str = "event is not one of form-save, form-out, command, change-submit";
const NO_COMMAND: &str = "a command event needs a field named \"command\"";

pub(super) struct Line<'a> {
    /// JSON, returned unchanged in the output line.
    pub id: Option<&'a str>,
    /// With or without the prefix `user-`.
    pub command: Text<'a>,
    /// Since the Unix epoch; without it `judge` uses the current time.
    pub time_ns: Option<u64>,
    names: Document<'a>,
    args: Option<Vec<u8>>,
    pressure: Option<Level>,
}

#[derive(Deserialize)]
struct Document<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    event: Option<Text<'a>>,
    #[serde(borrow)]
    command: Option<Text<'a>>,
    #[serde(borrow)]
    user: Option<Text<'a>>,
    #[serde(borrow)]
    groups: Option<Vec<Text<'a>>>,
    #[serde(borrow)]
    client: Option<Text<'a>>,
    #[serde(borrow)]
    ip: Option<Text<'a>>,
    #[serde(borrow)]
    prog: Option<Text<'a>>,
    #[serde(borrow)]
    version: Option<Text<'a>>,
    #[serde(borrow)]
    args: Option<Vec<Text<'a>>>,
    #[serde(borrow)]
    clientcwd: Option<Text<'a>>,
    #[serde(borrow)]
    pressure: Option<&'a RawValue>,
    #[serde(borrow)]
    time: Option<&'a RawValue>,
    #[serde(borrow)]
    facts: Option<FactsDocument<'a>>,
}

impl<'a> Line<'a> {
    pub fn parse(line: &'a [u8]) -> Result<Self, String> {
        let mut names: Document =
            serde_json::from_slice(line).map_err(|error| error.to_string())?;
        if names.event.as_deref() != Some(b"command") {
            return Err(NO_EVENT.to_owned());
        }
        let command = names.command.take().ok_or(NO_COMMAND)?;
        let level = names.pressure.map(|raw| raw.get().trim_matches('"').as_bytes());
        Ok(Line {
            id: names.id.map(RawValue::get),
            command,
            time_ns: names.time.map(|raw| nanoseconds(raw.get())).transpose()?,
            args: names.args.take().map(|words| join(&words)),
            pressure: pressure(level)?,
            names,
        })
    }

    pub fn case_sensitive(&self) -> Option<bool> {
        self.names.facts.as_ref().and_then(|facts| facts.case_sensitive)
    }

    pub fn server_id(&self) -> Option<&str> {
        self.names.facts.as_ref().and_then(|facts| facts.server_id.as_deref())
    }

    /// `case_sensitive`, `unicode` and `depots` apply if the line does not state them.
    #[must_use]
    pub fn event<'e>(
        &'e self,
        command: &'e [u8],
        day: &'e dyn Fn() -> String,
        case_sensitive: bool,
        unicode: bool,
        depots: Option<Depots<'e>>,
    ) -> Event<'e> {
        let (names, facts) = (&self.names, self.names.facts.as_ref());
        let own_depots = facts.and_then(|facts| Depots::of(&facts.depots));
        Event {
            command,
            name: synonym_of(command),
            user: name_bytes(names.user.as_ref()),
            groups: names.groups.iter().flatten().map(|group| &**group).collect(),
            client: name_bytes(names.client.as_ref()),
            ip: name_bytes(names.ip.as_ref()),
            prog: name_bytes(names.prog.as_ref()),
            version: name_bytes(names.version.as_ref()),
            args: self.args.as_deref(),
            depots: own_depots.or(depots),
            directory: name_bytes(names.clientcwd.as_ref()),
            index: None,
            is_trial: false,
            is_tampered: false,
            broken_name: None,
            pressure: self.pressure,
            day,
            times_of: &|_| None,
            used_directories: &Vec::new,
            case_sensitive: facts.and_then(|facts| facts.case_sensitive).unwrap_or(case_sensitive),
            unicode: facts.and_then(|facts| facts.unicode).unwrap_or(unicode),
        }
    }
}

/// An empty name counts as absent, as in a trigger's arguments.
fn name_bytes<'e>(text: Option<&'e Text<'_>>) -> Option<&'e [u8]> {
    text.map(|text| &**text).filter(|name| !name.is_empty())
}

/// As p4d does in `%args%`.
fn join(words: &[Text<'_>]) -> Vec<u8> {
    let words: Vec<&[u8]> = words.iter().map(|word| &**word).collect();
    words.join(&b' ')
}

/// Low if absent; None for `unknown`, as in events from a server log.
fn pressure(text: Option<&[u8]>) -> Result<Option<Level>, String> {
    match text {
        None => Ok(Some(Level::Low)),
        Some(b"unknown") => Ok(None),
        Some(text) => match Level::parse(text) {
            Some(level) => Ok(Some(level)),
            None => Err("pressure must be low, medium, high or unknown".to_owned()),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn surrogate_escapes_in_names_are_read_as_bytes() -> Result<(), String> {
        let line = br#"{"event": "command", "command": "fstat", "user": "a\udcff\udc80\u00e9"}"#;
        let line = Line::parse(line)?;
        assert_eq!(name_bytes(line.names.user.as_ref()), Some(&b"a\xff\x80\xc3\xa9"[..]));
        Ok(())
    }

    #[test]
    fn facts_missing_from_an_event_come_from_the_policy() -> Result<(), String> {
        for (facts, case_sensitive, unicode) in [
            ("null", false, true),
            ("{}", false, true),
            (r#"{"case_sensitive": true}"#, true, true),
            (r#"{"unicode": false}"#, false, false),
        ] {
            let line = format!(r#"{{"event": "command", "command": "fstat", "facts": {facts}}}"#);
            let line = Line::parse(line.as_bytes())?;
            let event = line.event(b"fstat", &String::new, false, true, None);
            assert_eq!((event.case_sensitive, event.unicode), (case_sensitive, unicode), "{facts}");
        }
        Ok(())
    }

    #[test]
    fn a_line_without_a_valid_command_event_is_an_error() {
        let error = |line: &str| Line::parse(line.as_bytes()).err().unwrap_or_default();
        assert_eq!(error(r#"{"event": "form-in"}"#), NO_EVENT);
        assert_eq!(error(r#"{"event": "command"}"#), NO_COMMAND);
        assert!(error(r#"{"event": "command", "command": 7}"#).contains("invalid type"));
    }
}
