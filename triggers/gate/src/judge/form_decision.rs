//! Judgement of a form or a submit by all rules of the policy for it.
//!
//! Exemptions are judged before rules, so that a rule cannot stop an account that is exempt from
//! it, however broken its form is.

use crate::contract::form_finding::FormFinding;
use crate::contract::form_rule::Needs;
use crate::event::form_event::{FormEvent, FormEventKind};
use crate::event::selector::{Match, end_in_words};
use crate::event::unasked::Unasked;
use crate::facts::form_facts::FormFacts;
use crate::forms::form_parser::parse;
use crate::judge::baseline::new_else_tolerated;
use crate::judge::command_outcome::Verdict;
use crate::judge::form_outcome::{FormJudgement, FormOutcome};
use crate::judge::form_standing::FormStanding;
use crate::judge::tampered_line;

/// Enough findings of one rule to refuse a view with 20,000 bad lines.
pub const MAX_FINDINGS: usize = 100;

/// `most` limits the findings of each rule that are not warnings; None for no limit. For a form
/// about to be displayed, each rule sees the changes of the rules before.
pub fn judge<'e>(
    standings: &'e [FormStanding<'e>],
    event: &'e FormEvent<'e>,
    facts: &'e FormFacts<'e>,
    most: Option<usize>,
) -> FormOutcome<'e> {
    let mut shown: Option<Vec<u8>> = None;
    let judgements = standings.iter().map(|standing| {
        let judgement = match (before_rules(standing, event), &shown) {
            (Some(judgement), _) => judgement,
            (None, None) if event.kind == FormEventKind::Out => suggestion(standing, event, facts),
            (None, None) => findings(standing, event, facts, most),
            (None, Some(text)) => {
                suggestion(standing, &FormEvent { form: Some(parse(text)), ..event.clone() }, facts)
            }
        };
        shown = judgement.form.clone().or(shown.take());
        match judgement.verdict {
            Verdict::Refuse => FormJudgement { end: end(standing, event, facts), ..judgement },
            _ => judgement,
        }
    });
    FormOutcome::of(judgements.collect())
}

fn end(one: &FormStanding<'_>, event: &FormEvent<'_>, facts: &FormFacts<'_>) -> Option<String> {
    end_in_words(one.rule.selector.as_ref()?, &event.sender(facts.case_sensitive))
}

/// The judgement on an event that is exempt from a rule, whose trigger line a value chosen by a user
/// broke apart, that the rule may not be about, or whose facts the server was not asked for. An
/// enforced rule refuses the second and the last, unless a form is to be displayed, which stays
/// unchanged.
fn before_rules<'e>(
    standing: &'e FormStanding<'e>,
    event: &FormEvent<'e>,
) -> Option<FormJudgement<'e>> {
    let judgement = FormJudgement::new(standing);
    if judgement.exemption().is_some() {
        return Some(judgement);
    }
    if !event.is_tampered {
        if let Match::Unknown(why) = standing.standing.about {
            return Some(judgement.unknown(why));
        }
        let why = event.unasked.filter(|why| lacks(standing.rule.rule.needs(), *why))?;
        return Some(FormJudgement { summary: UNASKED, ..judgement }.with(vec![unasked(why)]));
    }
    let finding = tampered_line::form_finding(event);
    let finding = FormFinding { is_warning: event.kind == FormEventKind::Out, ..finding };
    let judgement = FormJudgement { summary: tampered_line::SUMMARY, ..judgement };
    Some(judgement.with(vec![finding]))
}

/// An event that is not admitted has all but what others add.
fn lacks(needs: Needs, why: Unasked) -> bool {
    match why {
        Unasked::NotAdmitted => needs.depots || needs.directories,
        Unasked::CrowdOfUser | Unasked::TooLate => needs != Needs::default(),
    }
}

const UNASKED: &str = "not judged, because too many others were before";

fn unasked<'e>(why: Unasked) -> FormFinding<'e> {
    let problem = format!("was not made: {}. Try again in a minute", why.words());
    FormFinding::new(b"", "The check", problem)
}

/// A `suggest_...` rule changes the form only if it is enforced; a form that cannot be read stays
/// unchanged.
fn suggestion<'e>(
    standing: &'e FormStanding<'e>,
    event: &FormEvent<'_>,
    facts: &FormFacts<'_>,
) -> FormJudgement<'e> {
    let judgement = FormJudgement::new(standing);
    let suggestion = match &event.form {
        None => return judgement.unknown(FORM_MISSING),
        Some(Err(_)) => None,
        Some(Ok(_)) => standing.rule.rule.suggest(event, facts),
    };
    let Some(suggestion) = suggestion else { return judgement };
    if standing.standing.is_enforced {
        return FormJudgement { form: Some(suggestion.form), ..judgement };
    }
    let finding = FormFinding {
        fix: suggestion.lines,
        is_warning: true,
        ..about_the_form(event, suggestion.improvement)
    };
    judgement.with(vec![finding])
}

const FORM_MISSING: &str = "form-missing";

/// The judgement of a rule on a form to be saved, or on a submit.
fn findings<'e>(
    standing: &'e FormStanding<'e>,
    event: &'e FormEvent<'e>,
    facts: &'e FormFacts<'e>,
    most: Option<usize>,
) -> FormJudgement<'e> {
    let (judgement, rule) = (FormJudgement::new(standing), &standing.rule.rule);
    let has_files =
        if rule.needs().files { event.files.is_some() } else { event.file_count.is_some() };
    match (event.kind, &event.form, has_files) {
        (FormEventKind::Submit | FormEventKind::Shelve, _, false) => {
            return judgement.unknown("files-unnamed");
        }
        (FormEventKind::Save | FormEventKind::Out, None, _) => {
            return judgement.unknown(FORM_MISSING);
        }
        (_, Some(Err(problem)), _) => {
            return judgement.with(vec![about_the_form(event, problem)]);
        }
        _ => {}
    }
    if let Some(why) = rule.undecidable(event, facts) {
        return judgement.unknown(why);
    }
    let findings = found(standing, event, facts, most);
    let doubt = || rule.partly_undecided(event, facts);
    match findings.is_empty().then(doubt).flatten() {
        Some(why) => judgement.unknown(why),
        None => judgement.with(findings),
    }
}

fn about_the_form<'e>(event: &FormEvent<'_>, problem: &str) -> FormFinding<'e> {
    FormFinding::new(event.name.unwrap_or_default(), "The form", problem)
}

/// The warnings only if there is nothing else.
fn found<'e>(
    FormStanding { rule, lets_stay, .. }: &'e FormStanding<'e>,
    event: &'e FormEvent<'e>,
    facts: &'e FormFacts<'e>,
    most: Option<usize>,
) -> Vec<FormFinding<'e>> {
    let mut warnings = Vec::new();
    let objections = rule.rule.find(event, facts).filter_map(|finding| {
        if !finding.is_warning {
            return Some(finding);
        }
        if warnings.len() < MAX_FINDINGS {
            warnings.push(finding);
        }
        None
    });
    let kept = if *lets_stay {
        new_else_tolerated(&rule.name, objections, facts, most)
    } else {
        until_settled(objections, most)
    };
    if kept.is_empty() { warnings } else { kept }
}

/// Up to the first finding that suffices to refuse the form; all of them if `most` is None.
fn until_settled<'e>(
    findings: impl Iterator<Item = FormFinding<'e>>,
    most: Option<usize>,
) -> Vec<FormFinding<'e>> {
    let Some(most) = most else { return findings.collect() };
    let mut kept = Vec::new();
    for finding in findings.take(most) {
        let is_decisive = finding.is_decisive;
        kept.push(finding);
        if is_decisive {
            break;
        }
    }
    kept
}
