//! `p4warden-gate lines`: what each rule of a policy needs of trigger lines, in the order of the policy:
//! `[{"name", "kind", "events": [[EVENT, SUBJECT]], "noted": [TYPE], "options": [NAME],
//! "least_burst": N}]`. A subject is a command, the type of a form, or null; `noted` has the types of
//! saved forms that are recorded only; `options` are those that not every policy needs. A rule that
//! is off needs nothing. `least_burst` is that of the limits of a rate, otherwise null.

use crate::base::text::decoded;
use crate::contract::named_commands::all_names;
use crate::home::saved_forms::FORMS;
use crate::judge::command_policy::NamedRule;
use crate::judge::form_policy::rule_of;
use crate::policy::document::Policy;
use crate::policy::rule_fields::RuleFields;
use serde_json::{Value, json};

pub fn lines(policy: &Policy<'_>) -> Result<Vec<Value>, String> {
    policy.rule_texts().map(of_rule).collect()
}

fn of_rule(text: &str) -> Result<Value, String> {
    let command_rule = NamedRule::read(text)?;
    let form_rule = rule_of(text)?;
    let RuleFields { name, kind, .. } = RuleFields::read(text)?;
    let (mut events, mut noted, mut options) = (Vec::new(), Vec::new(), Vec::new());
    let mut least_burst = None;
    if let Some(form_rule) = &form_rule {
        let judged = form_rule.rule.events().into_iter();
        events.extend(judged.map(|(event, form_type)| json!([event.word(), form_type])));
    }
    let sent = command_rule.as_ref().filter(|named| !named.rule.settings.is_about_running());
    if let Some(command_rule) = sent {
        let names = all_names(command_rule.commands.iter().map(|name| &**name));
        events.extend(names.into_iter().map(|name| json!(["command", decoded(name)])));
        let commands: Vec<&[u8]> = command_rule.commands.iter().map(|name| &**name).collect();
        let settings = &command_rule.rule.settings;
        options = settings.needed_options(&commands);
        // Their arguments are judged by the clients' views, which the index has only as of its checkpoint.
        if settings.needs_the_depots() {
            noted.extend(FORMS);
        }
        let rates = settings.rates();
        least_burst = rates.and_then(|rates| rates.limits.iter().map(|limit| limit.burst).min());
    }
    Ok(json!({
        "name": name,
        "kind": kind,
        "events": events,
        "noted": noted,
        "options": options,
        "least_burst": least_burst,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_needs_the_events_and_options_of_its_settings() -> Result<(), String> {
        let rate = json!({"per": ["args"], "allow": "9/s", "burst": 4});
        let rules = json!([
            {"name": "a", "rule": "limit_path_length", "mode": "observe", "max_leading": 9, "forms": ["label"]},
            {"name": "b", "rule": "limit_command_rate", "mode": "enforce", "commands": ["flush"],
             "limits": [rate, {"per": ["user"], "allow": "9/s"}]},
            {"name": "c", "rule": "limit_scanned_rows", "mode": "enforce", "commands": ["dirs"], "max_files": 1},
            {"name": "d", "rule": "limit_scanned_rows", "mode": "off", "commands": ["dirs"], "max_files": 1},
        ]);
        let text = json!({"format": 1, "digest": "d", "contact": "c", "rules": rules}).to_string();
        let lines = lines(&Policy::read(text.as_bytes())?)?;
        let parts = |key: &str| lines.iter().map(|line| line[key].clone()).collect::<Vec<_>>();
        assert_eq!(
            parts("events"),
            [
                json!([["form-save", "label"], ["change-submit", null]]),
                json!([["command", "flush"], ["command", "sync"], ["command", "update"]]),
                json!([["command", "dirs"]]),
                json!([]),
            ]
        );
        assert_eq!(parts("noted"), [json!([]), json!([]), json!(["client", "stream"]), json!([])]);
        assert_eq!(
            parts("options"),
            [json!([]), json!(["args"]), json!(["args", "cwd"]), json!([])]
        );
        assert_eq!(parts("least_burst"), [json!(null), json!(4), json!(null), json!(null)]);
        Ok(())
    }

    #[test]
    fn rules_about_paths_need_notes_of_saved_clients_and_streams() -> Result<(), String> {
        let limits = json!([{"per": ["user"], "allow": "9/s"}]);
        let rules = json!([
            {"name": "a", "rule": "limit_command_scope", "mode": "observe", "commands": ["sync"], "min_depth": 1},
            {"name": "b", "rule": "limit_command_rate", "mode": "observe", "commands": ["sync"],
             "limits": limits, "weight": "files", "unknown_as": 9},
            {"name": "c", "rule": "limit_command_rate", "mode": "observe", "commands": ["sync"], "limits": limits},
        ]);
        let text = json!({"format": 1, "digest": "d", "contact": "c", "rules": rules}).to_string();
        let lines = lines(&Policy::read(text.as_bytes())?)?;
        let noted: Vec<_> = lines.iter().map(|line| line["noted"].clone()).collect();
        let forms = json!(["client", "stream"]);
        assert_eq!(noted, [forms.clone(), forms, json!([])]);
        Ok(())
    }
}
