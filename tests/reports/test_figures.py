"""Tests of the figures in a report on the decision log, with expected values computed by hand."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from p4warden.core import time_spans
from p4warden.home import gate_counts
from p4warden.reports import counting
from p4warden.reports.decision_reader import DecisionReader
from p4warden.reports.rows import tables
from support.figures import figures_of, lines

if TYPE_CHECKING:
    from p4warden.reports.figures import Figures

CASES = Path(__file__).parents[1] / "cases" / "reports"


@pytest.fixture(autouse=True)
def _in_utc(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "UTC")


def reading(tmp_path: Path, since_s: float = 0) -> DecisionReader:
    (tmp_path / "decisions.jsonl").write_bytes((CASES / "decisions.jsonl").read_bytes())
    return DecisionReader(str(tmp_path), since_s)


def figures(tmp_path: Path, since_s: float = 0) -> Figures:
    return counting.gather(reading(tmp_path, since_s).lines(), [f"--since={since_s}"])


def test_a_stopped_user_is_named_with_the_rule_that_stopped_most() -> None:
    line = {"time": 1.0, "event": "command", "user": "ann"}
    refused = {**line, "verdict": "refuse", "rule": "wide"}
    observed = {**line, "verdict": "observe", "rule": "observing", "count": 7}
    results = figures_of(refused, observed)
    assert [row.most_frequent for row in results.people] == ["wide"]


def test_a_line_with_a_count_stands_for_several_decisions(tmp_path: Path) -> None:
    rows = {
        row.name: (dict(row.verdicts), row.others, row.most_frequent)
        for row in figures(tmp_path).rules
    }
    assert rows == {
        "polling": ({"refuse": 41, "delay": 1}, 2, "ann"),
        "no-whole-depot": ({"refuse": 1}, 1, "bob"),
        "wide-files": ({"observe": 10, "unknown": 1}, 3, "dave"),
    }


def test_the_longest_wait_is_that_of_a_command_that_was_delayed() -> None:
    line = {"time": 1, "user": "ann", "rule": "at-once"}
    delays = [{"verdict": "delay", "delay_s": delay_s} for delay_s in (2.5, 59.25, 0.1)]
    others = [{"verdict": "observe", "delay_s": 99}, {"verdict": "delay", "count": 40}]
    results = figures_of(*(line | one for one in (*delays, *others)))
    [rules] = [one for one in tables(results, {}) if one.name == "rules"]
    assert dict(zip(rules.columns, rules.rows[0], strict=True))["Longest wait"] == "59.2 s"


def test_decisions_are_counted_by_rule_and_class() -> None:
    fields = {"time": 1_803_800_000, "event": "command", "rule": "polling", "user": "ann"}
    results = figures_of(
        {**fields, "verdict": "refuse", "class": "builds", "count": 3},
        {**fields, "verdict": "delay", "class": "builds", "user": "bob"},
        {**fields, "verdict": "observe", "class": "(no class)"},
        {**fields, "verdict": "allow", "class": "builds"},
        {**fields, "verdict": "refuse"},
    )
    rows = [(one.name, one.times, one.users) for one in results.classes]
    assert rows == [("polling: builds", 4, 2), ("polling: (no class)", 1, 1)]
    [table] = [one for one in tables(results, {}) if one.name == "classes"]
    assert [row[:3] for row in table.rows] == [
        ("polling: builds", "4", "2"),
        ("polling: (no class)", "1", "1"),
    ]


def test_unusual_commands_are_listed_by_rule_user_and_program() -> None:
    line = {"time": 1, "event": "command", "user": "ann", "prog": "p4", "verdict": "refuse"}
    unusual = {**line, "rule": "wide", "command": "fstat", "unusual": True}
    counted = {"time": 2, "event": "command", "user": "ann", "rule": "wide", "verdict": "refuse"}
    records: list[dict[str, Any]] = [
        {**unusual, "prog": "odd.py"},
        {**line, "rule": "wide", "command": "fstat"},
        {**counted, "unusual": True, "count": 4},
        {**unusual, "verdict": "observe", "user": "bob"},
    ]
    results = figures_of(*records)
    rows = [(one.name, one.times, one.users) for one in results.unusual]
    assert rows == [("wide: ann with odd.py", 5, 1), ("wide: bob with p4", 1, 1)]
    [table] = [one for one in tables(results, {}) if one.name == "unusual"]
    assert table.title == "Unusual commands"
    _, document = counting.lists(lines(records), ["unusual"])
    assert [(entry["name"], entry["users"]) for entry in document["unusual"]] == [
        ("wide: ann with odd.py", ["ann"]),
        ("wide: bob with p4", ["bob"]),
    ]


def test_stopped_users_are_distinguished_from_observed_users(tmp_path: Path) -> None:
    results = figures(tmp_path)
    stopped_users = [(row.name, row.of("refuse"), row.most_frequent) for row in results.people]
    assert stopped_users == [("ann", 41, "polling"), ("bob", 1, "no-whole-depot")]
    [affected_rule] = results.observed
    assert (affected_rule.name, affected_rule.others) == ("wide-files", 2)
    assert affected_rule.most == {"carol": 1, "dave": 9}


def test_delays_and_refusals_of_observing_rules_are_counted_separately() -> None:
    line = {"time": 1, "user": "ann", "verdict": "observe", "rule": "polling"}
    records = [line | {"would": "delay", "count": 3}, line | {"would": "refuse"}, line]
    results = figures_of(*records)
    table = next(table for table in tables(results, {}) if table.name == "observed")
    assert table.columns == (
        "Rule",
        "Users",
        "Decisions",
        "Would wait",
        "Would be refused",
        "Most affected",
    )
    assert [[*map(str, row)] for row in table.rows] == [["polling", "1", "5", "3", "1", "ann x 5"]]
    assert counting.lists(lines(records), ["would"])[1]["would"] == [
        {"rule": "polling", "would": "delay", "count": 3},
        {"rule": "polling", "would": "refuse", "count": 1},
    ]


def test_refusals_by_an_observing_form_rule_are_counted() -> None:
    line = {"time": 1, "user": "ann", "verdict": "observe", "rule": "wide", "event": "form-save"}
    results = figures_of(*(line | {"would": would} for would in ("refuse", "refuse", "allow")))
    table = next(table for table in tables(results, {}) if table.name == "observed")
    assert dict(zip(table.columns, map(str, table.rows[0]), strict=True)) == {
        "Rule": "wide",
        "Users": "1",
        "Decisions": "3",
        "Would be refused": "2",
        "Most affected": "ann x 3",
    }


def test_a_rule_that_suggests_a_form_affects_no_user() -> None:
    line = {"time": 1, "user": "ann", "verdict": "observe", "rule": "new", "event": "form-out"}
    results = figures_of(line, line | {"would": "refuse"})
    assert results.observed == []
    assert counting.lists(lines([line | {"would": "refuse"}]), ["would"])[1] == {"would": []}
    assert [row.name for row in results.rules] == ["new"]
    table = next(
        table
        for table in tables(results, {"new": "observe", "other": "observe"}, frozenset({"new"}))
        if table.name == "observed"
    )
    assert [str(row[0]) for row in table.rows] == ["other"]


def test_a_summary_line_without_a_command_does_not_hide_the_commands_name() -> None:
    line = {"time": 1, "event": "command", "user": "ann", "verdict": "refuse", "rule": "polling"}
    report, flood = line | {"command": "fstat"}, line | {"count": 2}
    [names] = figures_of(report, flood).subjects
    assert names.values["what"] == {"fstat": 3}
    other = line | {"command": "files", "prog": "p4"}
    floods = [flood | {"unusual": True}, flood | {"prog": "p4v"}]
    [several] = figures_of(report, other, *floods).subjects
    assert several.values["what"] == {"fstat": 1, "files": 1, "(only counted)": 4}
    [nameless] = figures_of(flood).subjects
    assert nameless.values["what"] == {"command": 2}


def test_stopped_decisions_are_counted_per_day_and_rule(tmp_path: Path) -> None:
    days = figures(tmp_path).days
    assert [row.name for row in days] == ["2027-02-28", "2027-02-27", "2027-02-26"]
    assert {row.name: row.stopped for row in days if row.stopped} == {
        "2027-02-26": {"polling": 42},
        "2027-02-27": {"no-whole-depot": 1},
    }


def test_exemptions_faults_and_troubles_are_counted_separately(tmp_path: Path) -> None:
    results = figures(tmp_path)
    assert [(g.name, g.times, g.users) for g in results.exemptions] == [
        ("no-whole-depot: administration (owner: scm)", 3, 1)
    ]
    assert [(g.name, g.times) for g in results.faults] == [
        ("/home/state: is damaged (answered by on_error)", 5),
        ("/home/state: is damaged (it was allowed)", 1),
    ]
    assert [g.name for g in results.troubles] == ["the server did not answer within 2 s"]
    assert results.sums.trials == 1


def test_decision_times_are_counted_for_reported_decisions_only(tmp_path: Path) -> None:
    costs = [
        (cost.event, cost.decisions, cost.median_ns, cost.max_ns)
        for cost in figures(tmp_path).costs
    ]
    assert costs == [
        ("command", 2, 1_000_000, 3_000_000),
        ("form-save", 1, 40_500_000, 40_500_000),
    ]


def test_lines_that_are_not_decisions_are_counted_and_skipped(tmp_path: Path) -> None:
    reader = reading(tmp_path)
    results = counting.gather(reader.lines())
    assert results.sums.bad_lines == 7
    assert "7 lines of the log skipped: not a decision" in list(reader.remarks(7))


def test_option_since_leaves_out_earlier_decisions(tmp_path: Path) -> None:
    results = figures(tmp_path, since_s=1803800000)
    assert [row.name for row in results.rules] == ["wide-files"]
    assert (results.sums.first_s, results.sums.last_s) == (1803808800, 1803808805)


def test_a_decision_not_yet_in_the_log_is_a_record_of_the_log() -> None:
    entry = {"event": "command", "verdict": "refuse", "rule": "r", "user": "ann", "count": 12}
    entry |= {"time": 5.0}
    fault = {"event": "command", "verdict": "fault", "rule": "it broke", "time": 5.0, "count": 2}
    records = [*gate_counts.owed_records({"owed": [entry, fault]})]
    results = figures_of(*records)
    assert [(row.name, row.verdicts) for row in results.rules] == [("r", {"refuse": 12})]
    assert [(group.name, group.times) for group in results.faults] == [
        ("it broke (answered by on_error)", 2)
    ]


def test_decision_fields_of_a_wrong_type_are_absent() -> None:
    record = {"time": 1, "verdict": "refuse", "user": 5, "rule": ["r"], "trial": "yes"}
    [subject] = figures_of(record | {"prog": {"a": [1]}, "ip": None, "took_s": True}).subjects
    assert (subject.user, subject.rule) == ("(no user)", "(no rule)")
    assert subject.values["prog"] == subject.values["ip"] == {}


@pytest.mark.parametrize("count", [None, True, "2", -1, 2**53 + 2, [2]])
def test_a_count_that_is_no_number_of_decisions_makes_a_line_bad(count: object) -> None:
    results = figures_of({"time": 1, "verdict": "refuse", "rule": "r", "count": count})
    assert (results.sums.bad_lines, results.rules) == (1, [])


def test_enormous_counts_do_not_overflow() -> None:
    record = {"time": 1, "verdict": "refuse", "rule": "r", "user": "ann", "count": 2**53}
    [row] = figures_of(*[record] * 3000).rules
    assert row.verdicts == {"refuse": 2**64 - 1}


def test_rows_beyond_the_limit_are_counted() -> None:
    record = {"time": 1, "verdict": "refuse", "rule": "r"}
    many = [record | {"user": f"u{n}", "count": 9 - n} for n in range(5)]
    _, document = counting.lists(lines(many), ["--rows=2", "people", "rules"])
    assert [row["name"] for row in document["people"]] == ["u0", "u1"]
    assert (document["omitted_people"], "omitted_rules" in document) == (3, False)


def test_time_spans_are_parsed() -> None:
    assert [time_spans.seconds(text) for text in ("30s", "5m", "12h", "7d", "2w")] == [
        30,
        300,
        43200,
        604800,
        1209600,
    ]
    assert time_spans.start_s("1d", 100_000) == 13_600
