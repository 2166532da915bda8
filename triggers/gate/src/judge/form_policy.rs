//! The rules about forms and submits in `policy.json`.

use crate::contract::form_rule::{DepotLimits, FormRule};
use crate::contract::kind_of_rule::{KindOfRule, Reader};
use crate::event::form_event::FormEventKind;
use crate::policy::document::Policy;
use crate::policy::exemptions::Exemption;
use crate::policy::modes::{Mode, ModeWord};
use crate::policy::rule_fields::RuleFields;
use crate::policy::selector::Selector;
use crate::rules::kinds;

pub struct FormPolicy<'p> {
    /// In the order of the policy, as the rules.
    pub exemptions: Vec<Exemption<'p>>,
    pub rules: Vec<NamedRule<'p>>,
}

pub struct NamedRule<'p> {
    pub name: String,
    pub kind: &'static KindOfRule,
    pub mode: Mode<'p>,
    /// Of the events that the rule is about; None for all.
    pub selector: Option<Selector<'p>>,
    pub baseline: bool,
    /// Last day of the baseline, `YYYY-MM-DD`; None for one without end.
    pub baseline_until: Option<String>,
    /// One to three lines of the site's own.
    pub advice: Option<String>,
    pub rule: Box<dyn FormRule>,
}

impl<'p> FormPolicy<'p> {
    pub fn of(policy: &Policy<'p>) -> Result<Self, String> {
        Ok(FormPolicy { exemptions: policy.exemptions()?, rules: rules_of(policy)? })
    }

    /// Only the rules that judge an event, and no exemption if there are none.
    pub fn about(
        policy: &Policy<'p>,
        kind: FormEventKind,
        form_type: Option<&[u8]>,
    ) -> Result<Self, String> {
        let mut rules = rules_of(policy)?;
        rules.retain(|rule| rule.rule.judges(kind, form_type));
        let exemptions = if rules.is_empty() { Vec::new() } else { policy.exemptions()? };
        Ok(FormPolicy { exemptions, rules })
    }
}

/// Each knows the limits on depots of the others.
fn rules_of<'p>(policy: &Policy<'p>) -> Result<Vec<NamedRule<'p>>, String> {
    let rules = policy.rule_texts().filter_map(|text| rule_of(text).transpose());
    let mut rules: Vec<_> = rules.collect::<Result<_, _>>()?;
    let limits = rules.iter().map(|rule| rule.rule.depot_limits());
    let limits = limits.fold(DepotLimits::default(), DepotLimits::and);
    rules.iter_mut().for_each(|rule| rule.rule.heed(limits));
    Ok(rules)
}

/// None for a rule that is off, or that judges commands only.
pub fn rule_of(text: &str) -> Result<Option<NamedRule<'_>>, String> {
    let fields = RuleFields::read(text)?;
    let kind = kinds::of(&fields.kind).map_err(|problem| fields.problem(&problem))?;
    let (Reader::OfForms(read), true) = (&kind.read, fields.mode != ModeWord::Off) else {
        return Ok(None);
    };
    if fields.commands.is_some() {
        return Err(fields.problem("unknown field `commands`"));
    }
    let rule = read(text).map_err(|problem| fields.problem(&problem))?;
    let Some(mode) = Mode::of(fields.mode, fields.canary) else { return Ok(None) };
    let advice = fields.advice.map(|advice| advice.trim().to_owned());
    Ok(Some(NamedRule {
        name: fields.name.into_owned(),
        kind,
        mode,
        selector: fields.selector,
        baseline: fields.baseline,
        baseline_until: fields.baseline_until,
        advice: advice.filter(|advice| !advice.is_empty()),
        rule,
    }))
}
