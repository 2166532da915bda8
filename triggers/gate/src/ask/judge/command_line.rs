//! The command that an input line of `p4warden-gate judge` describes.

use super::event_line::EventLine;
use crate::base::json_text::Text;
use crate::event::command_event::Event;
use crate::facts::depots::Depots;
use crate::facts::document::FactsDocument;

/// As p4d writes them in `%args%`.
pub(super) fn joined(words: &[Text<'_>]) -> Vec<u8> {
    words.iter().map(|word| &**word).collect::<Vec<&[u8]>>().join(&b' ')
}

/// `args` are joined; `own` facts are those of the line, `facts` apply where it states none.
pub(super) fn command_event<'e>(
    line: &'e EventLine<'_>,
    command: &'e [u8],
    args: Option<&'e [u8]>,
    (time_s, day): (i64, &'e dyn Fn() -> String),
    own: &'e FactsDocument<'_>,
    facts: &'e FactsDocument<'_>,
) -> Event<'e> {
    Event {
        user: line.user.as_deref(),
        groups: line.groups(),
        client: line.client.as_deref(),
        ip: line.ip.as_deref(),
        server: line.server(),
        time_s,
        prog: line.prog.as_deref(),
        version: line.version.as_deref(),
        args,
        depots: Depots::of(&own.depots).or(Depots::of(&facts.depots)),
        directory: line.directory.as_deref(),
        is_trial: line.is_trial,
        load: line.load,
        ends: line.ends,
        case_sensitive: own.case_sensitive.or(facts.case_sensitive).unwrap_or(true),
        unicode: own.unicode.or(facts.unicode).unwrap_or(false),
        limit_view: own.limit_view.or(facts.limit_view).unwrap_or(false),
        ..Event::unknown(command, day)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_missing_from_an_event_come_from_the_file() -> Result<(), String> {
        let of_file = FactsDocument {
            case_sensitive: Some(false),
            unicode: Some(true),
            ..FactsDocument::default()
        };
        for (facts, case_sensitive, unicode) in [
            ("null", false, true),
            ("{}", false, true),
            (r#"{"case_sensitive": true}"#, true, true),
            (r#"{"unicode": false}"#, false, false),
        ] {
            let line = format!(r#"{{"event": "command", "command": "fstat", "facts": {facts}}}"#);
            let line = EventLine::read(line.as_bytes())?;
            let own = line.server_facts()?;
            let event = command_event(&line, b"fstat", None, (0, &String::new), &own, &of_file);
            assert_eq!((event.case_sensitive, event.unicode), (case_sensitive, unicode), "{facts}");
        }
        Ok(())
    }
}
