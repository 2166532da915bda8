//! What `check` of the gate finds in a policy that no schema has seen, in rules of either kind.

use p4warden_gate::judge::policy_problems::problems;
use p4warden_gate::policy::document::Policy;
use serde_json::{Value, json};

fn problems_of(rule: Value) -> Vec<String> {
    let document = json!({"format": 1, "digest": "d", "contact": "c", "rules": [rule]});
    Policy::read(document.to_string().as_bytes()).map_or_else(|it| vec![it], |it| problems(&it))
}

#[test]
fn mistakes_in_rules_about_forms_are_found_as_those_about_commands() {
    let form = json!({"name": "r", "rule": "limit_files", "mode": "enforce", "max": 5});
    let command =
        json!({"name": "r", "rule": "refuse_commands", "mode": "enforce", "commands": ["sync"]});
    for rule in [form, command] {
        assert_eq!(problems_of(rule.clone()), Vec::<String>::new());
        for (field, value) in
            [("for", json!({"userz": ["ann"]})), ("canary", json!({"users": 5})), ("mx", json!(5))]
        {
            let mut wrong = rule.clone();
            wrong[field] = value;
            assert_eq!(problems_of(wrong).len(), 1, "{rule}: {field}");
        }
    }
}
