"""Tests of synonyms of p4 commands: the table shared with Rust, and its use by rules."""

from __future__ import annotations

import datetime
import json
from pathlib import Path
from typing import Any

import pytest

from p4warden.asking import tables
from p4warden.policy import meaning
from p4warden.policy.check import check_file
from p4warden.policy.compiled import compile_policy
from p4warden.table.trigger_lines import Installation, lines_for, subscribed_commands

CASES = Path(__file__).parents[1] / "cases" / "command_names" / "synonyms.json"
DOCUMENT = json.loads(CASES.read_text("utf-8"))
PLACE = Installation("/opt/gate", "/home")


def test_the_synonym_table_equals_the_case_file_and_each_entry_has_a_source() -> None:
    synonyms = {
        entry["name"]: tables.Synonym(entry["main"], entry["added"])
        for entry in DOCUMENT["synonyms"]
    }
    assert synonyms == tables.synonyms()
    assert all(entry["source"] for entry in DOCUMENT["synonyms"])


@pytest.mark.parametrize("kind", ["limit_command_rate", "limit_command_scope"])
@pytest.mark.parametrize("case", DOCUMENT["cases"], ids=lambda c: f"{c['rule']}-{c['command']}")
def test_a_trigger_line_fires_for_every_name_of_a_command_that_a_rule_judges(
    case: dict[str, Any], kind: str
) -> None:
    rule = {"name": "r", "rule": kind, "mode": "enforce", "commands": case["rule"]}
    document = {"contact": "admins", "rules": [{**rule, **_needed_settings(kind)}]}
    events = {*subscribed_commands(compile_policy(document, ""))}
    if case["covered"] is not False:
        assert case["command"].removeprefix("user-") in events
    main = tables.synonym_of(case["rule"][0]).main_name
    assert {main, *case["rule"]} <= events


def _needed_settings(kind: str) -> dict[str, Any]:
    return {"limits": [{"per": ["user"], "allow": "1 per 1s"}]} if kind.endswith("rate") else {}


def line_for(command: str) -> str:
    rates = {"rule": "limit_command_rate", "limits": [{"per": ["user"], "allow": "1 per 1s"}]}
    rules = [{"name": "r", "mode": "enforce", "commands": [command], **rates}]
    [line] = lines_for(compile_policy({"contact": "admins", "rules": rules}, ""), PLACE)
    return f"{line.path} {line.command}"


def test_a_trigger_line_lists_synonyms_and_passes_arguments_that_distinguish_them() -> None:
    line = line_for("changelists")
    assert line.startswith("pre-user-(changelists|changes)$ ")
    assert "%args%" not in line
    line = line_for("flush")
    assert line.startswith("pre-user-(flush|sync|update)$ ")
    assert "--args=%args%" in line


def test_check_reports_a_synonym_of_a_rescue_command(tmp_path: Path) -> None:
    file = tmp_path / "policy.yaml"
    file.write_text(
        "version: 1\ncontact: admins\nrules:\n- {name: r, rule: limit_command_scope, "
        "mode: enforce, commands: [password]}\n"
    )
    [problem] = check_file(str(file), datetime.date(2026, 11, 21)).problems
    assert "password is a rescue command" in problem.line("")


@pytest.mark.parametrize(
    ("commands", "names"),
    [
        (["flush"], ["flush"]),
        (["flush", "sync", "changelists"], []),
        (["status", "clean"], ["status", "clean"]),
        ([5, None], []),
        (5, []),
    ],
)
def test_a_synonym_listed_without_its_main_command_gets_a_warning(
    commands: object, names: list[str]
) -> None:
    rule = {"rule": "limit_command_scope", "commands": commands}
    results = [*meaning.warnings({"rules": [rule]}, datetime.date(2026, 11, 21))]
    assert [warning.text.partition(" is ")[0] for warning in results] == names
