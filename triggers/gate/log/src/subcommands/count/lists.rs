//! The lists of figures, each in the order of its table.

use super::decision::{ALLOW, OBSERVE, STOPPED, word};
use super::figures::Figures;
use super::groups::Groups;
use super::output::{Figure, Output, counts_text};
use super::rows::{Row, rows};
use super::subjects::FIELDS;
use p4warden_gate::base::json::{Object, object_text};
use std::cmp::Reverse;
use std::io::Result;

/// By name on the command line, which is also the name in the object.
pub(super) const FIGURES: [(&str, Figure); 18] = [
    ("decisions", decisions),
    ("exemptions", |to, figures| groups(to, "exemptions", &figures.exemptions, figures)),
    ("faults", |to, figures| groups(to, "faults", &figures.faults, figures)),
    ("troubles", |to, figures| groups(to, "troubles", &figures.troubles, figures)),
    ("unusual", |to, figures| groups(to, "unusual", &figures.unusual, figures)),
    ("unjudged", |to, figures| groups(to, "unjudged", &figures.unjudged, figures)),
    ("offenders", |to, figures| groups(to, "offenders", &figures.offenders, figures)),
    ("classes", |to, figures| groups(to, "classes", &figures.classes, figures)),
    ("would", would),
    ("subjects", subjects),
    ("costs", costs),
    ("rules", rules),
    ("days", days),
    ("people", people),
    ("observed", observed),
    ("exempt_uses", exempt_uses),
    ("totals", totals),
    ("spent", spent),
];

fn groups(to: &mut Output<'_>, name: &str, groups: &Groups, figures: &Figures) -> Result<()> {
    let most_rows = to.most_rows;
    to.list(name, groups.most_first(&figures.names), |object, (name, group)| {
        object.text("name", name).number("times", group.times);
        object.raw("first_s", &group.first_s.to_string());
        object.raw("last_s", &group.last_s.to_string());
        if most_rows.is_some() {
            object.number("users", group.users.len() as u64);
        } else {
            let mut users: Vec<_> =
                group.users.iter().map(|user| figures.names.text(*user)).collect();
            users.sort_unstable();
            object.texts("users", users);
        }
    })
}

fn decisions(to: &mut Output<'_>, figures: &Figures) -> Result<()> {
    let text = |name| figures.names.text(name);
    let mut cells: Vec<_> = figures.cells.iter().collect();
    cells.sort_unstable_by_key(|(cell, _)| {
        (text(cell.day), text(cell.rule), word(cell.verdict), text(cell.user))
    });
    to.list("decisions", cells, |object, (cell, times)| {
        object.text("day", text(cell.day)).text("rule", text(cell.rule));
        object.text("verdict", word(cell.verdict)).text("user", text(cell.user));
        object.number("count", *times);
    })
}

fn would(to: &mut Output<'_>, figures: &Figures) -> Result<()> {
    let text = |name| figures.names.text(name);
    let would = figures.would.iter();
    let mut would: Vec<_> =
        would.map(|((rule, verdict), times)| (text(*rule), word(*verdict), *times)).collect();
    would.sort_unstable();
    to.list("would", would, |object, (rule, verdict, times)| {
        object.text("rule", rule).text("would", verdict).number("count", times);
    })
}

fn subjects(to: &mut Output<'_>, figures: &Figures) -> Result<()> {
    let subjects = figures.subjects.most_first(&figures.names);
    to.list("subjects", subjects, |object, ([rule, user], subject)| {
        object.text("rule", rule).text("user", user);
        add_verdicts(object, &subject.verdicts);
        let values = FIELDS.into_iter().zip(subject.values(&figures.names));
        let values = object_text(|object| {
            values.for_each(|(field, counts)| {
                object.raw(field, &counts_text(counts));
            });
        });
        object.raw("values", &values);
        object.raw("first_s", &subject.first_s.to_string());
        object.raw("last_s", &subject.last_s.to_string());
    })
}

fn costs(to: &mut Output<'_>, figures: &Figures) -> Result<()> {
    let costs = figures.costs.iter();
    let mut costs: Vec<_> =
        costs.map(|(event, costs)| (figures.names.text(*event), costs)).collect();
    costs.sort_unstable_by_key(|(event, _)| *event);
    let has_spread = to.most_rows.is_some();
    to.list("costs", costs, |object, (event, costs)| {
        object.text("event", event).number("decisions", costs.decisions);
        for (name, part) in [("median_ns", 0.5), ("high_ns", 0.95), ("max_ns", 1.0)] {
            object.number(name, costs.within_ns(part));
        }
        if has_spread {
            let spread = costs.spread();
            let spread = spread.iter().map(|(below, decisions)| (&**below, *decisions));
            object.raw("spread", &counts_text(spread));
        }
    })
}

fn rules(to: &mut Output<'_>, figures: &Figures) -> Result<()> {
    let rows = rows(figures, |cell| [cell.rule, cell.user], |_| true);
    to.list("rules", rows, |object, row| {
        add_row(object, &row, figures);
        let longest_s = figures.longest_waits.get(&row.name).copied().unwrap_or(0.0);
        object.number("longest_wait_ns", (longest_s * 1e9) as u64);
    })
}

fn people(to: &mut Output<'_>, figures: &Figures) -> Result<()> {
    let mut rows = rows(figures, |cell| [cell.user, cell.rule], is_stop);
    rows.retain(|row| row.of(&STOPPED) > 0);
    to.list("people", rows, |object, row| add_row(object, &row, figures))
}

fn days(to: &mut Output<'_>, figures: &Figures) -> Result<()> {
    let mut rows = rows(figures, |cell| [cell.day, cell.rule], is_stop);
    rows.sort_unstable_by_key(|row| Reverse(figures.names.text(row.name)));
    to.list("days", rows, |object, row| {
        add_row(object, &row, figures);
        object.raw("stopped", &counts_text(row.others_most_first(&figures.names)));
    })
}

/// Without rules that propose another form, because they stop nobody.
fn observed(to: &mut Output<'_>, figures: &Figures) -> Result<()> {
    let mut rows = rows(figures, |cell| [cell.rule, cell.user], |verdict| verdict == OBSERVE);
    rows.retain(|row| row.other_count() > 0 && !figures.proposing_rules.contains(&row.name));
    rows.sort_unstable_by_key(|row| {
        let counts = [row.other_count() as u64, row.of(&[OBSERVE])];
        (counts.map(Reverse), figures.names.text(row.name))
    });
    let most = to.most_rows.unwrap_or(usize::MAX);
    to.list("observed", rows, |object, row| {
        add_row(object, &row, figures);
        for verdict in STOPPED {
            let would = figures.would.get(&(row.name, verdict)).copied();
            object.number(&format!("would_{}", word(verdict)), would.unwrap_or(0));
        }
        let mut users = row.others_most_first(&figures.names);
        users.truncate(most);
        object.raw("most", &counts_text(users));
    })
}

/// Whom exemptions by client may concern: all, whatever the number of rows.
fn exempt_uses(to: &mut Output<'_>, figures: &Figures) -> Result<()> {
    let text = |name| figures.names.text(name);
    to.whole_list("exempt_uses", figures.exempt_uses.iter(), |object, (one, times)| {
        object.text("exemption", text(one.exemption)).text("client", text(one.client));
        object.text("form_client", text(one.form_client)).text("user", text(one.user));
        object.number("times", *times);
    })
}

fn totals(to: &mut Output<'_>, figures: &Figures) -> Result<()> {
    let text = |name| figures.names.text(name);
    let mut totals: Vec<_> = figures.totals.iter().collect();
    totals.sort_unstable_by_key(|(one, _)| {
        ([one.rule, one.user, one.fault].map(text), one.answer, one.has_trouble)
    });
    to.list("totals", totals, |object, (one, times)| {
        object.text("rule", text(one.rule)).text("user", text(one.user));
        object.text("fault", text(one.fault)).text("answer", word(one.answer));
        object.raw("trouble", &one.has_trouble.to_string()).number("times", *times);
    })
}

/// In all, as far as the log has times.
fn spent(to: &mut Output<'_>, figures: &Figures) -> Result<()> {
    let text = |name| figures.names.text(name);
    let mut costs: Vec<_> = figures.costs.iter().collect();
    costs.sort_unstable_by_key(|(event, _)| text(**event));
    to.list("spent", costs, |object, (event, costs)| {
        object.text("event", text(*event)).number("decisions", costs.decisions);
        object.number("total_us", costs.total_us());
    })
}

fn add_row(object: &mut Object<'_>, row: &Row, figures: &Figures) {
    object.text("name", figures.names.text(row.name));
    add_verdicts(object, &row.verdicts);
    object.number("others", row.other_count() as u64);
    object.text("most_frequent", row.most_frequent(&figures.names));
}

fn add_verdicts(object: &mut Object<'_>, counts: &[u64; ALLOW]) {
    let counts = counts.iter().enumerate().filter(|(_, count)| **count > 0);
    let counts = counts.map(|(verdict, count)| (word(verdict), *count));
    object.raw("verdicts", &counts_text(counts));
}

fn is_stop(verdict: usize) -> bool {
    STOPPED.contains(&verdict)
}
