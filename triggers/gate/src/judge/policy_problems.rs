//! Why triggers could not read a policy: the last check of one that somebody wrote by hand.

use crate::judge::command_policy;
use crate::judge::form_policy;
use crate::policy::document::Policy;
use crate::policy::modes::Mode;
use crate::policy::selector::Selector;

/// Why triggers could not read a rule or an exemption.
pub fn problems(policy: &Policy<'_>) -> Vec<String> {
    policy.rule_texts().filter_map(of_rule).chain(policy.exemption_problems()).collect()
}

fn of_rule(text: &str) -> Option<String> {
    match (command_policy::NamedRule::read(text), form_policy::rule_of(text)) {
        (Err(problem), _) | (_, Err(problem)) => Some(problem),
        (Ok(Some(named)), _) => {
            of_fields(&named.rule.name, &named.rule.mode, named.rule.selector.as_ref())
        }
        (_, Ok(Some(rule))) => of_fields(&rule.name, &rule.mode, rule.selector.as_ref()),
        _ => None,
    }
}

fn of_fields(name: &str, mode: &Mode<'_>, selector: Option<&Selector<'_>>) -> Option<String> {
    let of_canary = mode.problem().map(|error| format!("canary: {error}"));
    let of_selector = || Some(format!("for: {}", selector?.problem()?));
    of_canary.or_else(of_selector).map(|problem| format!("rule {name}: {problem}"))
}
