"""Tests of the verdicts of `p4warden prove` on hand-written recordings of good and bad servers."""

import json
from typing import Any

import pytest

from p4warden.prove import facts_file
from p4warden.prove.markdown import as_markdown
from p4warden.prove.records import (
    BREAKS,
    HOLDS,
    INCONCLUSIVE,
    NOT_ASKED,
    TOLERATED,
    UNASKED,
    Recording,
    ServerMessage,
    Step,
)
from p4warden.prove.report import Report, as_document, recordings_of, report_of
from prove.recorded_reports import DEVIATIONS, ROW_CASES, VERSION, recordings

EXPERIMENTS = facts_file.experiments()
FACTS = [fact for experiment in EXPERIMENTS for fact in experiment.facts]


def judged(recordings_by_name: dict[str, Recording]) -> Report:
    return report_of(VERSION, EXPERIMENTS, recordings_by_name)


def verdicts(report: Report, verdict: str) -> dict[str, str | None]:
    return {f.fact.id: f.value for f in report.findings if f.verdict == verdict}


def test_on_a_good_server_every_fact_and_every_promise_holds() -> None:
    report = judged(recordings())
    assert verdicts(report, BREAKS) == {}
    assert verdicts(report, INCONCLUSIVE) == {}
    assert (report.exit_code, report.broken_promises) == (0, {})
    assert len(verdicts(report, HOLDS)) == len(FACTS)
    assert report.version == "P4D/LINUX26X86_64/2024.2/2697822 (2024/12/18)"
    assert report.configurables == ["security=3"]


def test_each_fact_has_a_case_of_a_deviating_server() -> None:
    assert [one["fact"] for one in DEVIATIONS] == [fact.id for fact in FACTS]


@pytest.mark.parametrize("deviation", DEVIATIONS, ids=[one["fact"] for one in DEVIATIONS])
def test_a_value_that_is_not_accepted_breaks_the_promises_of_the_fact(
    deviation: dict[str, Any],
) -> None:
    fact = next(fact for fact in FACTS if fact.id == deviation["fact"])
    report = judged(recordings(fact.id, deviation["steps"]))
    assert verdicts(report, BREAKS)[fact.id] == deviation["value"]
    assert deviation["promise"] in report.broken_promises
    assert set(fact.promises) <= set(report.broken_promises)
    assert report.exit_code == 1
    document = as_document(report)
    assert set(document["broken_promises"]) == set(report.broken_promises)
    text = as_markdown(report)
    assert f"- {deviation['promise']}: {facts_file.promises()[deviation['promise']]}" in text
    assert fact.id in text.partition("## Promises that do not hold")[2].partition("##")[0]


def test_an_accepted_value_other_than_the_hypothesis_is_tolerated() -> None:
    report = judged(recordings("killed", {"signal": {"failed": "'prove-signal' failed"}}))
    assert verdicts(report, TOLERATED) == {"killed.signal": "failure"}
    assert report.exit_code == 0


def test_a_trigger_that_ran_without_its_form_is_not_said_to_be_missing() -> None:
    report = judged(recordings("unicode.form", {"form": {"calls": [["prove-form", "--form="]]}}))
    assert verdicts(report, BREAKS) == {"unicode.form": "other"}


def test_facts_of_an_unfinished_experiment_are_inconclusive_with_a_reason() -> None:
    recordings_by_name = recordings()
    recordings_by_name["submits"] = Recording({}, "it was not over after 60 s")
    report = judged(recordings_by_name)
    assert set(verdicts(report, INCONCLUSIVE)) == {
        "submits.submit-change-submit",
        "submits.submit-change-content",
        "submits.populate-change-submit",
        "submits.populate-change-content",
    }
    assert report.exit_code == 2
    assert as_markdown(report).count("it was not over after 60 s") == 8


def test_facts_that_a_p4d_cannot_be_asked_for_are_no_failures() -> None:
    reason = "the sandbox writes no checkpoints"
    unasked = Step("missing", rows=(NOT_ASKED, reason.encode()))
    recordings_by_name = recordings()
    killed = recordings_by_name["killed"]
    recordings_by_name["killed"] = Recording({**killed.steps, "missing": unasked}, killed.trouble)
    report = judged(recordings_by_name)
    assert verdicts(report, UNASKED) == {"killed.missing": None}
    assert (report.exit_code, verdicts(report, INCONCLUSIVE)) == (0, {})
    assert reason in as_markdown(report)
    assert as_document(report)["sandbox"]["without_variant"] == []


def test_a_markdown_report_is_below_100_kb_with_a_whole_code_block_for_each_fact() -> None:
    recordings_by_name = {
        name: Recording({step: _with_much_output(row) for step, row in one.steps.items()})
        for name, one in recordings().items()
    }
    text = as_markdown(judged(recordings_by_name))
    assert len(text.encode()) < 100_000
    assert "There is no room for `" in text
    assert text.count("```") % 2 == 0


def _with_much_output(step: Step) -> Step:
    return step._replace(
        calls=(), messages=(ServerMessage(3, 1, b"\x1b```\n" + b"x" * 9_999),) * 9
    )


@pytest.mark.parametrize("case", ROW_CASES, ids=[one["name"] for one in ROW_CASES])
def test_row_counts_are_read_as_reported_or_are_inconclusive_as_in_the_case(
    case: dict[str, Any],
) -> None:
    report = judged(recordings("rows.files-change", case["steps"]))
    [results] = [f for f in report.findings if f.fact.id == "rows.files-change"]
    assert results.value == case["value"]
    if results.value is None:
        assert results.verdict == INCONCLUSIVE
        assert "neither to the client (-Ztrack) nor in its log" in str(results.reason)
        assert (report.exit_code, report.broken_promises) == (2, {})


def test_steps_recorded_before_an_experiment_was_cut_off_give_values() -> None:
    steps = recordings()["table"].steps
    partial = Recording({name: steps[name] for name in ("before", "old-connection")}, "cut off")
    report = judged({**recordings(), "table": partial})
    assert verdicts(report, HOLDS)["table.old-connection"] == "connection"
    assert set(verdicts(report, INCONCLUSIVE)) == {"table.new-connection", "table.bytes"}


def test_the_exit_code_is_1_for_a_broken_promise_beside_inconclusive_facts() -> None:
    recordings_by_name = recordings("table.bytes", {"stored": {"rows": ["nothing"]}})
    del recordings_by_name["killed"]
    assert judged(recordings_by_name).exit_code == 1


def test_judging_a_stored_report_again_gives_the_same_report() -> None:
    report = judged(recordings("login.ticket", {"with-ticket": {"failed": "no"}}))
    document = json.loads(json.dumps(as_document(report)))
    second_report = judged(recordings_of(document))
    assert as_document(second_report) == document


@pytest.mark.parametrize(
    "document",
    [
        [],
        {},
        {"recordings": 1},
        {"recordings": [{}]},
        {"recordings": [{"experiment": "table", "trouble": None, "steps": [{"step": "x"}]}]},
        {"recordings": [{"experiment": "table", "trouble": None, "steps": ["x"]}]},
    ],
)
def test_a_document_that_is_not_a_report_is_an_error(document: Any) -> None:
    with pytest.raises(ValueError, match=r"it is not a report|no step"):
        recordings_of(document)


@pytest.mark.parametrize(
    ("stdin", "value"),
    [
        ("args://depot/prove/none/first x //depot/prove/none/last\n", "whole"),
        ("args: //depot/prove/none/first x //depot/prove/none/last\r\n", "whole"),
        ("args:%2F%2Fdepot%2Fprove%2Fnone%2Ffirst%20%2F%2Fdepot/prove/none/last\n", "whole"),
        ("args://depot/prove/none/first x\n", "cut"),
        ("args:x //depot/prove/none/last\n", "other"),
        ("args://depot/prove/none/first\nargs://depot/prove/none/last\n", "other"),
        ("argsQuoted://depot/prove/none/first,//depot/prove/none/last\n", "absent"),
        ("", "absent"),
    ],
)
def test_long_arguments_on_standard_input_are_whole_up_to_their_end(
    stdin: str, value: str
) -> None:
    call = {"label": "prove-io-long", "words": ["--user=prove-ann"], "stdin": stdin}
    report = judged(recordings("dictionary.long", {"long": {"calls": [call]}}))
    assert {f.fact.id: f.value for f in report.findings}["dictionary.long"] == value


def test_a_mebibyte_of_recorded_input_leaves_the_markdown_report_small() -> None:
    stdin = "args:" + "//depot/prove/none/x " * 50_000
    call = {"label": "prove-io-long", "words": ["--user=prove-ann"], "stdin": stdin}
    report = judged(recordings("dictionary.long", {"long": {"calls": [call]}}))
    assert "dictionary.long" in verdicts(report, BREAKS)
    assert len(as_markdown(report).encode()) < 100_000
