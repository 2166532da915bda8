"""Tests of what `judge --rules` says of each rule, and of `repeat`, `trial` and `unknown`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from support.judged import judging_by
from support.small_index import small_index

if TYPE_CHECKING:
    from pathlib import Path

WIDE = "Client:\tws\nView:\n\t//depot/... //ws/...\n"
FORM = {"event": "form-save", "type": "client", "name": "ws", "user": "ann", "form": WIDE}
FSTAT = {"event": "command", "command": "fstat", "user": "ann", "args": ["//depot/..."]}
POLICY = {
    "exemptions": [
        {"reason": "r", "owner": "o", "for": {"users": ["bob"]}, "rules": ["wide", "polling"]},
        {"reason": "s", "owner": "o", "for": {"clients": ["x*", "ws"]}, "rules": ["options"]},
        {"reason": "t", "owner": "o"},
    ],
    "rules": [
        {
            "name": "wide",
            "rule": "limit_view_scope",
            "mode": "enforce",
            "max_files": 500,
            "forms": ["label", "client"],
            "canary": [{"users": ["bob"]}],
        },
        {"name": "none", "rule": "limit_depot_count", "mode": "off", "max": 1},
        {
            "name": "options",
            "rule": "require_client_options",
            "mode": "observe",
            "demands": [{"options": ["compress"]}],
        },
        {
            "name": "polling",
            "rule": "limit_command_rate",
            "mode": "enforce",
            "commands": ["flush", "fstat"],
            "limits": [{"per": ["user"], "allow": "1 per 10s", "burst": 2}],
        },
        {
            "name": "big",
            "rule": "limit_scanned_rows",
            "mode": "enforce",
            "commands": ["fstat"],
            "max_files": 100,
        },
    ],
}
WITHOUT_EXEMPTIONS = POLICY | {"exemptions": []}


def rules_of(policy: dict[str, Any], event: dict[str, Any], **given: Any) -> dict[str, Any]:
    with judging_by(policy, flags=["rules", *given.pop("flags", [])], **given) as judge:
        return {rule["name"]: rule for rule in judge.verdict_on(event)["rules"]}


def test_every_rule_is_listed_with_what_it_judges_and_as_what_it_acts() -> None:
    rules = rules_of(POLICY, FORM)
    listed = {
        name: [rule[key] for key in ("kind", "mode", "acts_as", "judges", "asked", "max_files")]
        for name, rule in rules.items()
    }
    commands = ["flush", "sync", "update", "fstat"]
    assert listed == {
        "wide": [
            "limit_view_scope",
            "enforce",
            "observe",
            ["form-save label", "form-save client"],
            True,
            500,
        ],
        "none": ["limit_depot_count", "off", "off", [], False, None],
        "options": [
            "require_client_options",
            "observe",
            "observe",
            ["form-save client"],
            True,
            None,
        ],
        "polling": [
            "limit_command_rate",
            "enforce",
            "enforce",
            [f"command {name}" for name in commands],
            False,
            None,
        ],
        "big": ["limit_scanned_rows", "enforce", "enforce", ["command fstat"], False, None],
    }
    assert "answer" not in rules["wide"]


def test_exemptions_are_compared_up_to_the_first_that_applies() -> None:
    rules = rules_of(POLICY, FORM)
    assert rules["wide"]["exemptions"] == [
        {"number": 1, "misses": [{"field": "users", "why": "ann is none of them"}]},
        {
            "number": 2,
            "misses": [{"field": "rules", "why": "does not name wide"}],
        },
        {"number": 3, "misses": []},
    ]
    assert [one["number"] for one in rules["options"]["exemptions"]] == [1, 2]
    assert rules["none"]["exemptions"] == rules["polling"]["exemptions"] == []
    assert {rule["verdict"] for rule in rules.values()} == {"allow", None}


def test_a_rules_verdict_and_estimate_are_its_own(tmp_path: Path) -> None:
    index = small_index(tmp_path, {"//depot/main": 700}, {})
    rules = rules_of(WITHOUT_EXEMPTIONS, FORM, index=index, flags=["texts"])
    verdicts = {name: (rule["verdict"], rule["value"]) for name, rule in rules.items()}
    assert verdicts["wide"] == ("observe", 700)
    assert verdicts["options"] == ("observe", None)
    assert verdicts["big"] == (None, None)
    for name in ("wide", "options"):
        answer = rules[name]["answer"]
        assert (answer["verdict"], answer["rule"], answer["text"]) == ("observe", name, None)
        assert {one["rule"] for one in answer["findings"]} == {name}
    commands = rules_of(WITHOUT_EXEMPTIONS, FSTAT, index=index, flags=["texts"])
    assert (commands["big"]["verdict"], commands["big"]["value"]) == ("refuse", 700)
    assert commands["big"]["answer"]["text"].startswith("Your command p4 fstat ")
    assert (commands["polling"]["verdict"], commands["polling"]["answer"]["rule"]) == (
        "allow",
        None,
    )


def test_an_event_is_repeated_at_its_time_and_the_last_is_answered() -> None:
    with judging_by(POLICY | {"exemptions": []}) as judge:
        answers = [judge.verdict_on(FSTAT | {"time": 9, "repeat": times}) for times in (2, 1, 1)]
        narrow = judge.verdict_on(FORM | {"repeat": 3})
    assert [one["rule"] for one in answers] == ["big", "polling", "polling"]
    assert narrow["rule"] == "wide"


def test_in_a_trial_commands_are_judged_by_enforced_rules_without_exemptions() -> None:
    program = {
        "rule": "block_client_program",
        "commands": ["fstat"],
        "programs": [{"program": "*"}],
    }
    policy = {
        "exemptions": [{"reason": "r", "owner": "o", "for": {"users": ["ann"]}}],
        "rules": [{"name": "old", "mode": "observe", **program}],
    }
    event = FSTAT | {"prog": "p4"}
    with judging_by(policy, flags=["rules"]) as judge:
        usual, trial = judge.verdict_on(event), judge.verdict_on(event | {"trial": True})
    assert (usual["verdict"], usual["exemption"]) == ("allow", "r (owner: o)")
    assert (trial["verdict"], trial["exemption"]) == ("refuse", None)
    assert (trial["rules"][0]["acts_as"], trial["rules"][0]["exemptions"]) == ("enforce", [])


def rule(kind: str, **settings: Any) -> dict[str, Any]:
    return {"name": "r", "rule": kind, "mode": "enforce", "commands": ["sync"], **settings}


ROWS = rule("limit_scanned_rows", max_files=1)
SCOPE = rule("limit_command_scope", min_depth=1)
RATE = rule("limit_command_rate", limits=[{"per": ["args"], "allow": "1/s"}])
BUSY = rule(
    "limit_command_rate", limits=[{"per": ["user"], "allow": "1/s", "when_pressure": "high"}]
)
WEIGHED = RATE | {
    "weight": "files",
    "unknown_as": 1,
    "limits": [{"per": ["user"], "allow": "9/s"}],
}
OLD = rule("block_client_program", programs=[{"program": "p4", "below": "2019.1"}])


@pytest.mark.parametrize(
    ("one", "event", "why"),
    [
        (ROWS, {}, "args-left-out"),
        (ROWS, {"args": ["//depot/..."]}, "no-index"),
        (
            ROWS,
            {"args": ["//depot/..."], "facts": {"server_id": "edge"}},
            "index-of-another-server",
        ),
        (ROWS, {"args": [], "client": "none"}, "client-not-indexed"),
        (ROWS, {"args": ["/elsewhere/..."], "client": "ws"}, "path-local"),
        (ROWS, {"args": ["(12)"], "client": "ws"}, "args-left-out"),
        (SCOPE, {}, "args-left-out"),
        (SCOPE, {"args": ["here/..."], "client": "ws"}, "path-local"),
        (SCOPE, {"args": []}, "view-unknown"),
        (RATE, {}, "args-left-out"),
        (BUSY, {"pressure": "unknown"}, "pressure-unknown"),
        (WEIGHED, {"args": ["//depot/..."]}, "no-index"),
        (OLD, {}, "program-unknown"),
        (OLD, {"prog": "p4", "version": "mine"}, "version-unreadable"),
        (rule("limit_scanned_rows", max_files=1, commands=["flush"]), {}, "args-left-out"),
    ],
)
def test_an_answer_says_why_a_rule_about_commands_cannot_decide(
    one: dict[str, Any], event: dict[str, Any], why: str, tmp_path: Path
) -> None:
    has_index = why not in ("no-index", "args-left-out") or event.get("args") == ["(12)"]
    index = small_index(
        tmp_path, {"//depot/main": 5}, {"ws": ["//depot/... //ws/..."]}, server_id="main"
    )
    command = {"event": "command", "command": "sync", **event}
    with judging_by({"rules": [one]}, index=index if has_index else None) as judge:
        answer = judge.verdict_on(command)
    assert answer["verdict"] == "unknown"
    assert answer["unknown"] == [{"rule": "r", "why": why}]
