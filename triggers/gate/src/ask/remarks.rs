//! `p4warden-gate remarks`: reads a policy as its author wrote it, as JSON, and says what its rules make
//! of it: `{"mistakes": [{"path", "text"}], "doubts": [{"path", "text"}]}`. A path has keys and indexes,
//! such as `["rules", 2, "limits", 0, "burst"]`. A rule that cannot be read, or a part of it, has no
//! remarks: the shape of a policy is another check's matter.

use crate::base::patterns::matches;
use crate::contract::kind_of_rule::{KindOfRule, Reader};
use crate::contract::named_commands::{rescue_problems, synonym_doubts};
use crate::contract::remarks::{
    Document, Remark, Remarks, address_problems, entries, mappings, text, texts,
};
use crate::event::form_event::FormEventKind;
use crate::judge::form_policy::rule_of;
use crate::policy::rule_fields::settings;
use crate::rules::kinds;
use crate::rules::limit_view_scope;
use crate::rules::require_command_options;
use crate::rules::suggest_client_view;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::collections::BTreeSet;

pub fn remarks(policy: &[u8]) -> Result<Value, String> {
    let document: Value = serde_json::from_slice(policy).map_err(|error| error.to_string())?;
    let mut remarks = Remarks::default();
    if let Value::Object(document) = &document {
        for (path, selector) in selectors(document) {
            address_problems(&path, selector, &mut remarks);
        }
        for (index, rule) in mappings(document, "rules") {
            remarks.about("rules", index);
            of_rule(rule, &mut remarks);
            shallow_proposals(rule, document, &mut remarks);
            absent_monitor_file(rule, document, &mut remarks);
            graphical_clients(rule, document, &mut remarks);
        }
        exempted_depots(document, &mut remarks);
    }
    Ok(json!({"mistakes": array(remarks.problems), "doubts": array(remarks.doubts)}))
}

fn array(remarks: Vec<Remark>) -> Vec<Value> {
    remarks.into_iter().map(|remark| json!({"path": remark.path, "text": remark.text})).collect()
}

fn of_rule(rule: &Document, to: &mut Remarks) {
    let Some(Ok(kind)) = text(rule, "rule").map(kinds::of) else { return };
    if rule.get("baseline") == Some(&true.into()) && !kind.events.contains(&"form-save") {
        to.problem(&["baseline".into()], "applies only to rules about saved forms (remove it)");
    }
    if let Reader::OfCommands(_) = kind.read {
        rescue_problems(rule, to);
        synonym_doubts(rule, to);
    }
    (kind.remarks)(rule, to);
}

/// With their paths; those within `not` included.
fn selectors(policy: &Document) -> Vec<(Vec<Value>, &Document)> {
    let mut found = Vec::new();
    for (name, class) in policy.get("classes").and_then(Value::as_object).into_iter().flatten() {
        add_selectors(vec!["classes".into(), name.clone().into()], Some(class), &mut found);
    }
    for (index, exemption) in entries(policy, "exemptions") {
        add_selectors(vec!["exemptions".into(), index.into()], Some(exemption), &mut found);
    }
    for (index, rule) in mappings(policy, "rules") {
        let path = |rest: &[Value]| [&["rules".into(), index.into()], rest].concat();
        add_selectors(path(&["for".into()]), rule.get("for"), &mut found);
        for (number, selector) in entries(rule, "canary") {
            add_selectors(path(&["canary".into(), number.into()]), Some(selector), &mut found);
        }
    }
    found
}

fn add_selectors<'d>(
    path: Vec<Value>,
    selector: Option<&'d Value>,
    to: &mut Vec<(Vec<Value>, &'d Document)>,
) {
    if let Some(Value::Object(selector)) = selector {
        to.push((path.clone(), selector));
        add_selectors([path, vec!["not".into()]].concat(), selector.get("not"), to);
    }
}

/// As p4d reports P4V (`programs/known/p4v.yaml`).
const GRAPHICAL_CLIENT: &[u8] = b"Helix P4V/NTX64/2023.3/2495381";

/// Their users cannot choose options.
fn graphical_clients(rule: &Document, policy: &Document, to: &mut Remarks) {
    let is_about_options = text(rule, "rule") == Some(require_command_options::KIND.name);
    let names_p4v = |selector: &Document| {
        let mut programs = texts(selector, "programs");
        programs.any(|(_, program)| matches(program.as_bytes(), GRAPHICAL_CLIENT, true))
    };
    let selector = rule.get("for").and_then(Value::as_object);
    let is_of_some = selector.is_some_and(|selector| {
        let keys = ["users", "groups", "clients", "programs", "classes"];
        keys.iter().any(|key| selector.contains_key(*key))
            || selector.get("not").and_then(Value::as_object).is_some_and(names_p4v)
    });
    if !is_about_options || is_of_some || text(rule, "mode") != Some("enforce") {
        return;
    }
    let name = text(rule, "name").unwrap_or_default();
    let concerns = |exemption: &Document| {
        !exemption.contains_key("rules") || texts(exemption, "rules").any(|(_, one)| one == name)
    };
    if !mappings(policy, "exemptions").any(|(_, one)| concerns(one) && names_p4v(one)) {
        let text = "also judges graphical clients, whose users cannot choose options (write for: \
            with groups of scripts, or exempt groups with programs: [\"*P4V*\"])";
        to.doubt(&[], text);
    }
}

/// An exemption of a super user may cover more than meant, because nobody else saves depots.
fn exempted_depots(policy: &Document, to: &mut Remarks) {
    let Some(name) = mappings(policy, "rules").find_map(|(_, rule)| about_depots(rule)) else {
        return;
    };
    let everything = mappings(policy, "exemptions").filter(|(_, one)| !one.contains_key("rules"));
    for (index, _) in everything {
        to.about("exemptions", index);
        let text = format!(
            "only super users save depots, and this exempts them from {name} as well (list the \
             rules to exempt from in rules:)"
        );
        to.doubt(&[], text);
    }
}

/// The name of a rule that judges the forms of depots.
fn about_depots(rule: &Document) -> Option<String> {
    let text = Value::Object(rule.clone()).to_string();
    let rule = rule_of(&text).ok()??;
    let judges = rule.rule.judges(FormEventKind::Save, Some(b"depot"));
    judges.then_some(rule.name)
}

/// Limits that ask for a number that the policy names no file for.
fn absent_monitor_file(rule: &Document, policy: &Document, to: &mut Remarks) {
    let pressure = policy.get("pressure").and_then(Value::as_object);
    if pressure.is_some_and(|pressure| pressure.contains_key("monitor_file")) {
        return;
    }
    for (index, limit) in mappings(rule, "limits") {
        if limit.get("when_pressure").is_some_and(Value::is_object) {
            let text = "needs the server's rt.monitorfile (write pressure: {monitor_file: \
                /p4/1/root/monfile.mem})";
            to.problem(&["limits".into(), index.into(), "when_pressure".into()], text);
        }
    }
}

/// Proposed depths, in all depots or in one, below those that another rule demands.
fn shallow_proposals(rule: &Document, policy: &Document, to: &mut Remarks) {
    let Some(proposal) = active(rule, &suggest_client_view::KIND) else { return };
    let proposal: suggest_client_view::Settings = proposal;
    for (_, judge) in mappings(policy, "rules") {
        let Some(demand) = active(judge, &limit_view_scope::KIND) else { continue };
        let demand: limit_view_scope::Settings = demand;
        if !demand.forms.iter().any(|form| form == "client") {
            continue;
        }
        let own: BTreeSet<&String> = proposal.depots.keys().chain(demand.depots.keys()).collect();
        for depot in std::iter::once(None).chain(own.into_iter().map(Some)) {
            let of = |depots: &std::collections::BTreeMap<String, u64>, otherwise| {
                depot.and_then(|depot| depots.get(depot).copied()).unwrap_or(otherwise)
            };
            let proposed = of(&proposal.depots, proposal.min_depth);
            let depth = of(&demand.depots, demand.min_depth);
            if proposed < depth {
                let name = text(judge, "name").unwrap_or_default();
                let write = match depot {
                    Some(depot) => format!("depots: {{{depot}: {depth}}}"),
                    None => format!("min_depth: {depth}"),
                };
                to.doubt(
                    &[],
                    format!("proposes lines {proposed} deep, and {name} requires {depth} (write {write})"),
                );
            }
        }
    }
}

/// The settings of a rule of this kind that is not off.
fn active<T: DeserializeOwned>(rule: &Document, kind: &KindOfRule) -> Option<T> {
    if text(rule, "rule") != Some(kind.name) || text(rule, "mode") == Some("off") {
        return None;
    }
    settings(&Value::Object(rule.clone()).to_string()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(policy: &Value) -> Result<(Vec<String>, Vec<String>), String> {
        let remarks = remarks(policy.to_string().as_bytes())?;
        let of = |key: &str| {
            let lines = remarks[key].as_array().into_iter().flatten();
            lines.map(|one| format!("{}: {}", one["path"], one["text"])).collect()
        };
        Ok((of("mistakes"), of("doubts")))
    }

    #[test]
    fn a_remark_has_its_key_path_and_any_shape_is_read() -> Result<(), String> {
        let limits =
            json!([{"per": ["client"], "allow": "0/s"}, 5, {"allow": "1/2d", "burst": 9999}]);
        let policy = json!({"rules": [
            "x", {"rule": 5}, {"rule": "nothing"}, {"rule": "limit_command_scope", "commands": 5},
            {"rule": "limit_command_rate", "commands": ["users", 7, "flush"], "limits": limits,
             "action": "delay", "max_delay": "2 minutes", "baseline": true},
        ]});
        let (problems, doubts) = said(&policy)?;
        assert_eq!(
            problems,
            [
                r#"["rules",4,"baseline"]: "applies only to rules about saved forms (remove it)""#,
                r#"["rules",4,"commands",0]: "users is a rescue command, which is never limited (remove it)""#,
                r#"["rules",4,"limits",0,"allow"]: "no command is possible with 0/s (allow at least one, such as 1/m)""#,
                r#"["rules",4,"limits",2]: "is over 1000 days until all of the burst is allowed again""#,
                r#"["rules",4,"max_delay"]: "2 minutes is too long (at most 60s)""#,
            ]
        );
        assert_eq!(doubts.len(), 2, "{doubts:?}");
        for other in [json!(5), json!([]), json!({"rules": {"rule": "x"}, "exemptions": 5})] {
            assert_eq!(said(&other)?, (Vec::new(), Vec::new()));
        }
        Ok(())
    }

    #[test]
    fn rules_are_compared_with_each_other_and_with_exemptions() -> Result<(), String> {
        let policy = json!({
            "exemptions": [{"users": ["a"]}, {"users": ["b"], "rules": ["x"]}],
            "rules": [
                {"name": "show", "rule": "suggest_client_view", "mode": "observe"},
                {"name": "wide", "rule": "limit_view_scope", "mode": "observe", "min_depth": 2},
                {"name": "idle", "rule": "limit_view_scope", "mode": "off", "min_depth": 3},
                {"name": "wrong", "rule": "limit_view_scope", "mode": "observe", "min_depth": "x"},
                {"name": "count", "rule": "limit_depot_count", "mode": "observe", "max": 5},
            ],
        });
        let (problems, doubts) = said(&policy)?;
        assert_eq!(problems, Vec::<String>::new());
        assert_eq!(
            doubts,
            [
                r#"["rules",0]: "proposes lines 1 deep, and wide requires 2 (write min_depth: 2)""#,
                r#"["exemptions",0]: "only super users save depots, and this exempts them from count as well (list the rules to exempt from in rules:)""#,
            ]
        );
        Ok(())
    }
}
