"""Tests of the figures in a report on the decision log, with expected values computed by hand."""

from __future__ import annotations

import datetime
import json
from pathlib import Path

from p4warden.core import time_spans
from p4warden.reports.counted_decisions import completed
from p4warden.reports.decision_reader import DecisionReader
from p4warden.reports.decision_record import decision, unwritten_decision
from p4warden.reports.export import json_lines
from p4warden.reports.figures import Figures, by_day, by_rule, by_user, gather, would_be_hurt
from p4warden.reports.rows import tables

CASES = Path(__file__).parents[1] / "cases" / "reports"


def day_of(time_s: float) -> str:
    return datetime.datetime.fromtimestamp(time_s, datetime.timezone.utc).strftime("%Y-%m-%d")


def reading(tmp_path: Path, since_s: float = 0) -> DecisionReader:
    (tmp_path / "decisions.jsonl").write_bytes((CASES / "decisions.jsonl").read_bytes())
    return DecisionReader(str(tmp_path), since_s)


def figures(tmp_path: Path, since_s: float = 0) -> Figures:
    return gather(reading(tmp_path, since_s).decisions(), day_of)


def test_a_stopped_user_is_named_with_the_rule_that_stopped_most(tmp_path: Path) -> None:
    line = {"time": 1.0, "event": "command", "user": "ann"}
    lines = [{**line, "verdict": "refuse", "rule": "wide"}]
    lines += [{**line, "verdict": "observe", "rule": "observing", "count": 7}]
    file = tmp_path / "decisions.jsonl"
    file.write_text("".join(json.dumps(one) + "\n" for one in lines))
    results = gather(DecisionReader(str(tmp_path), 0).decisions(), day_of)
    assert [row.most_frequent for row in by_user(results)] == ["wide"]


def test_a_line_with_a_count_stands_for_several_decisions(tmp_path: Path) -> None:
    rows = {
        row.name: (dict(row.verdicts), dict(row.other_counts))
        for row in by_rule(figures(tmp_path))
    }
    assert rows == {
        "polling": ({"refuse": 41, "delay": 1}, {"ann": 41, "bob": 1}),
        "no-whole-depot": ({"refuse": 1}, {"bob": 1}),
        "wide-files": (
            {"observe": 10, "unknown": 1},
            {"carol": 1, "dave": 9, "(no user)": 1},
        ),
    }


def test_decisions_are_counted_by_rule_and_class() -> None:
    fields = {"time": 1_803_800_000, "event": "command", "rule": "polling", "user": "ann"}
    records = [
        {**fields, "verdict": "refuse", "class": "builds", "count": 3},
        {**fields, "verdict": "delay", "class": "builds", "user": "bob"},
        {**fields, "verdict": "observe", "class": "(no class)"},
        {**fields, "verdict": "allow", "class": "builds"},
        {**fields, "verdict": "refuse"},
    ]
    results = gather([one for one in map(decision, records) if one], day_of)
    rows = [(one.name, one.times, len(one.users)) for one in results.classes]
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
    records = [
        {**unusual, "prog": "odd.py"},
        {**line, "rule": "wide", "command": "fstat"},
        {**counted, "unusual": True, "count": 4},
        {**unusual, "verdict": "observe", "user": "bob"},
    ]
    logged = [one for one in map(decision, records) if one]
    results = gather(completed(logged), day_of)
    rows = [(one.name, one.times, len(one.users)) for one in results.unusual]
    assert rows == [("wide: ann with odd.py", 5, 1), ("wide: bob with p4", 1, 1)]
    [table] = [one for one in tables(results, {}) if one.name == "unusual"]
    assert table.title == "Unusual commands"
    assert [
        entry["name"] for entry in json.loads("".join(json_lines(results, {})))["unusual"]
    ] == [name for name, *_ in rows]


def test_stopped_users_are_distinguished_from_observed_users(tmp_path: Path) -> None:
    results = figures(tmp_path)
    stopped_users = [(row.name, row.of("refuse"), row.most_frequent) for row in by_user(results)]
    assert stopped_users == [("ann", 41, "polling"), ("bob", 1, "no-whole-depot")]
    [affected_rule] = would_be_hurt(results)
    assert (affected_rule.name, dict(affected_rule.other_counts)) == (
        "wide-files",
        {"carol": 1, "dave": 9},
    )


def test_delays_and_refusals_of_observing_rules_are_counted_separately() -> None:
    line = {"time": 1, "user": "ann", "verdict": "observe", "rule": "polling"}
    lines = [line | {"would": "delay", "count": 3}, line | {"would": "refuse"}, line]
    results = gather([one for record in lines if (one := decision(record))], day_of)
    assert results.enforced_counts == {("polling", "delay"): 3, ("polling", "refuse"): 1}
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
    assert json.loads("".join(json_lines(results, {})))["would"] == [
        {"rule": "polling", "would": "delay", "count": 3},
        {"rule": "polling", "would": "refuse", "count": 1},
    ]


def test_refusals_by_an_observing_form_rule_are_counted() -> None:
    line = {"time": 1, "user": "ann", "verdict": "observe", "rule": "wide", "event": "form-save"}
    lines = [line | {"would": would} for would in ("refuse", "refuse", "allow")]
    results = gather([one for record in lines if (one := decision(record))], day_of)
    assert results.enforced_counts == {("wide", "refuse"): 2}
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
    results = gather([one for one in (decision(line), decision(line)) if one], day_of)
    assert would_be_hurt(results) == []
    assert results.enforced_counts == {}
    assert [row.name for row in by_rule(results)] == ["new"]
    table = next(
        table
        for table in tables(results, {"new": "observe", "other": "observe"}, frozenset({"new"}))
        if table.name == "observed"
    )
    assert [str(row[0]) for row in table.rows] == ["other"]


def test_a_summary_line_without_a_command_does_not_hide_the_commands_name() -> None:
    line = {"time": 1, "event": "command", "user": "ann", "verdict": "refuse", "rule": "polling"}
    report, flood = decision(line | {"command": "fstat"}), decision(line | {"count": 2})
    assert report
    assert flood
    [names] = gather([report, flood], day_of).subjects
    assert dict(names.values["what"]) == {"fstat": 3}
    other = decision(line | {"command": "files"})
    assert other
    [several] = gather([report, other, flood], day_of).subjects
    assert dict(several.values["what"]) == {"fstat": 1, "files": 1, "(only counted)": 2}
    [nameless] = gather([flood], day_of).subjects
    assert dict(nameless.values["what"]) == {"command": 2}


def test_stopped_decisions_are_counted_per_day_and_rule(tmp_path: Path) -> None:
    rows = by_day(figures(tmp_path), ("refuse", "delay"))
    assert {row.name: row.other_counts for row in rows} == {
        "2027-02-26": {"polling": 42},
        "2027-02-27": {"no-whole-depot": 1},
    }


def test_exemptions_faults_and_troubles_are_counted_separately(tmp_path: Path) -> None:
    results = figures(tmp_path)
    assert [(g.name, g.times, set(g.users)) for g in results.exemptions] == [
        ("no-whole-depot: administration (owner: scm)", 3, {"build"})
    ]
    assert [(g.name, g.times) for g in results.faults] == [
        ("/home/state: is damaged (answered by on_error)", 5),
        ("/home/state: is damaged (it was allowed)", 1),
    ]
    assert [g.name for g in results.troubles] == ["the server did not answer within 2 s"]
    assert results.trials == 1


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
    assert len(list(reader.decisions())) == 12
    assert reader.bad_lines == 7
    assert "7 lines of the log skipped: not a decision" in list(reader.lines())


def test_option_since_leaves_out_earlier_decisions(tmp_path: Path) -> None:
    results = figures(tmp_path, since_s=1803800000)
    assert [row.name for row in by_rule(results)] == ["wide-files"]
    assert (results.first_s, results.last_s) == (1803808800, 1803808805)


def test_a_decision_not_yet_in_the_log_is_converted() -> None:
    entry = {"event": "command", "verdict": "refuse", "rule": "r", "user": "ann", "count": 12}
    entry |= {"time": 5.0}
    refusal = unwritten_decision(entry)
    assert refusal
    assert (refusal.verdict, refusal.rule, refusal.user, refusal.times) == (
        "refuse",
        "r",
        "ann",
        12,
    )
    fault_decision = unwritten_decision({**entry, "verdict": "fault", "rule": "it broke"})
    assert fault_decision
    assert (
        fault_decision.verdict,
        fault_decision.cause,
        fault_decision.rule,
        fault_decision.answer,
    ) == (
        "fault",
        "it broke",
        None,
        None,
    )


def test_decision_fields_of_a_wrong_type_are_absent() -> None:
    results = decision({"time": 1, "verdict": "refuse", "user": 5, "rule": ["r"], "trial": "yes"})
    assert results
    assert (results.user, results.rule, results.is_trial) == (None, None, False)


def test_time_spans_are_parsed() -> None:
    assert [time_spans.seconds(text) for text in ("30s", "5m", "12h", "7d", "2w")] == [
        30,
        300,
        43200,
        604800,
        1209600,
    ]
    assert time_spans.start_s("1d", 100_000) == 13_600
