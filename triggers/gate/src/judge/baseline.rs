//! The findings that specs already had at the census that wrote `baseline.json`.
//!
//! A finding's mark is the rule's name, the place without its number, the words of the item
//! separated by tabs; with it the file keeps the measured value. So a line may move within the form,
//! and parts without findings may change.

use crate::base::json::ascii_json;
use crate::base::json_text::Text;
use crate::base::patterns::folded_name;
use crate::contract::form_finding::FormFinding;
use crate::facts::form_facts::{FormFacts, Mark, Marks};
use crate::paths::view_words::words;

/// Those of a rule's findings in a spec that are new or worse than in the baseline; if there are
/// none, the others as warnings. At most `most`, up to a decisive one; all if `most` is None.
pub fn new_else_tolerated<'e>(
    rule: &str,
    findings: impl Iterator<Item = FormFinding<'e>>,
    facts: &FormFacts<'_>,
    most: Option<usize>,
) -> Vec<FormFinding<'e>> {
    let (mut new, mut old): (Vec<FormFinding<'e>>, Vec<FormFinding<'e>>) = Default::default();
    let is_full = |group: &Vec<FormFinding<'e>>| most.is_some_and(|most| group.len() >= most);
    for finding in findings {
        let is_old = was_so(rule, &finding, facts);
        let group = if is_old { &mut old } else { &mut new };
        if !is_full(group) {
            group.push(finding);
        }
        let is_decided = new.last().is_some_and(|last| last.is_decisive);
        if most.is_some() && !new.is_empty() && (is_full(&new) || is_decided) {
            break;
        }
    }
    if new.is_empty() { old.into_iter().map(tolerated).collect() } else { new }
}

fn tolerated(finding: FormFinding<'_>) -> FormFinding<'_> {
    let named = |problem: &String| format!("{problem} (in the baseline)");
    let (problem, with_fix) =
        (named(&finding.problem), finding.problem_with_fix.as_ref().map(named));
    FormFinding { problem, problem_with_fix: with_fix, is_warning: true, ..finding }
}

/// The entries of the baseline for a rule's findings in a spec, with the measured values, in the order
/// of the findings. Of two findings about the same item the worse counts.
pub fn marks(
    rule: &str,
    findings: &[FormFinding<'_>],
    case_sensitive: bool,
) -> Vec<(Mark, Option<i64>)> {
    let (mut worst, mut order) = (Marks::new(), Vec::new());
    for finding in findings {
        let mark = mark(rule, finding, case_sensitive);
        let value = worst.entry(mark.clone()).or_insert_with(|| {
            order.push(mark);
            finding.value
        });
        if is_worse(finding, *value) {
            *value = finding.value;
        }
    }
    let value = |mark: &Mark| worst.get(mark).copied().flatten();
    order
        .into_iter()
        .map(|mark| {
            let value = value(&mark);
            (mark, value)
        })
        .collect()
}

/// Whether the baseline in `facts` holds back all of a rule's objections to a spec, if the rule lets
/// it; false without objections, and for a form that cannot be read.
pub fn holds_back(rule: &str, findings: &[FormFinding<'_>], facts: &FormFacts<'_>) -> bool {
    let mut objections = findings.iter().filter(|finding| !finding.is_warning).peekable();
    objections.peek().is_some() && objections.all(|finding| was_so(rule, finding, facts))
}

/// The key of a spec in `baseline.json`, with its quotes, such as `"client/ws"`.
pub fn quoted_key(form_type: &[u8], name: &[u8], case_sensitive: bool) -> String {
    ascii_json(&[form_type, b"/", &folded_name(name, case_sensitive)].concat())
}

/// The entries of a spec from their JSON, `[[RULE, PLACE, ITEM, VALUE], ...]`.
pub fn entries(json: &[u8]) -> Result<Marks, serde_json::Error> {
    let entries: Vec<(Text<'_>, Text<'_>, Text<'_>, Option<i64>)> = serde_json::from_slice(json)?;
    let entries = entries.into_iter();
    Ok(entries.map(|(r, p, i, value)| ((r.to_vec(), p.to_vec(), i.to_vec()), value)).collect())
}

fn was_so(rule: &str, finding: &FormFinding<'_>, facts: &FormFacts<'_>) -> bool {
    let old = facts.baseline.marks().get(&mark(rule, finding, facts.case_sensitive));
    old.is_some_and(|value| !is_worse(finding, *value))
}

fn mark(rule: &str, finding: &FormFinding<'_>, case_sensitive: bool) -> Mark {
    let place: String = finding.place.chars().filter(|c| !c.is_ascii_digit()).collect();
    let mut item = words(&finding.item).collect::<Vec<_>>().join(&b'\t');
    if item.is_empty() {
        item = finding.counted_things.as_bytes().to_vec();
    }
    let item = folded_name(&item, case_sensitive).into_owned();
    (rule.as_bytes().to_vec(), place.trim().as_bytes().to_vec(), item)
}

/// A value further beyond its limit than that of the baseline. False without values to compare, and
/// for a value that grows without a change of the spec.
fn is_worse(finding: &FormFinding<'_>, old: Option<i64>) -> bool {
    let (Some(value), Some(old)) = (finding.value, old) else { return false };
    let is_below = finding.limit.is_some_and(|limit| value < limit);
    !finding.is_growing && if is_below { value < old } else { value > old }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding<'e>(item: &[u8], value: i64, limit: i64) -> FormFinding<'e> {
        FormFinding {
            item: item.to_vec(),
            place: "View line 12".to_owned(),
            value: Some(value),
            limit: Some(limit),
            counted_things: "lines",
            ..FormFinding::default()
        }
    }

    #[test]
    fn a_mark_has_no_number_of_the_line_and_the_worse_of_two_values() {
        let findings = [finding(b"//A/...  //ws/a", 3, 5), finding(b"//a/... //ws/a", 1, 5)];
        let of = |item: &[u8]| (b"r".to_vec(), b"View line".to_vec(), item.to_vec());
        assert_eq!(marks("r", &findings, false), [(of(b"//a/...\t//ws/a"), Some(1))]);
        assert_eq!(marks("r", &findings, true).len(), 2);
        let counted = marks("r", &[finding(b" ", 9, 5), finding(b"", 8, 5)], true);
        assert_eq!(counted, [(of(b"lines"), Some(9))]);
    }

    #[test]
    fn a_key_is_written_as_python_writes_it() {
        assert_eq!(
            quoted_key(b"client", "É\u{1d11e}".as_bytes(), false),
            r#""client/\u00c9\ud834\udd1e""#
        );
        assert_eq!(quoted_key(b"client", b"A\xff\"\x7f", true), r#""client/A\udcff\"\u007f""#);
    }
}
