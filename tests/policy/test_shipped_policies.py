"""Tests of policies shipped with p4warden: a source for each number, no warnings, a case file.

Also that two of them have every rule in one mode.
"""

from __future__ import annotations

import csv
import datetime
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from p4warden.policy.check import check_file
from p4warden.table.trigger_lines import Installation, lines_for
from support.judged import judging_by
from support.sources import unsourced

if TYPE_CHECKING:
    from p4warden.policy.compiled import Policy, PolicyRule

FOLDER = Path(__file__).parents[2] / "policies"
POLICIES = sorted(f for f in FOLDER.glob("*.yaml") if ".cases." not in f.name)
TABLE = FOLDER.parent / "triggers" / "gate" / "src" / "paths" / "command_bounds.tsv"
SYNONYMS = FOLDER.parent / "tests" / "cases" / "command_names" / "synonyms.json"
SCANS = ("limit_command_scope", "limit_scanned_rows")
NOT_JUDGED = {"not known", "files of a stream"}
# `p4 help COMMAND` asks for `admin` or `operator` access.
ADMINISTRATORS = {"verify", "obliterate", "archive", "restore", "retype", "duplicate"}
TODAY = datetime.date(2026, 11, 21)


def policy(name: str) -> Policy:
    policy = check_file(str(FOLDER / name), TODAY).policy
    assert policy is not None
    return policy


def rules_of(name: str) -> list[dict[str, Any]]:
    rules: list[dict[str, Any]] = yaml.safe_load((FOLDER / name).read_text("utf-8"))["rules"]
    return rules


@pytest.mark.parametrize("file", POLICIES, ids=lambda file: file.stem)
def test_every_number_of_a_shipped_policy_has_a_source(file: Path) -> None:
    assert unsourced(file.read_text("utf-8")) == []


@pytest.mark.parametrize("file", POLICIES, ids=lambda file: file.stem)
def test_a_shipped_policy_has_no_problems_and_no_warnings(file: Path) -> None:
    result = check_file(str(file), TODAY)
    assert (result.problems, result.warnings) == ((), ())


@pytest.mark.parametrize("file", POLICIES, ids=lambda file: file.stem)
def test_a_shipped_rate_is_by_user_alone_and_never_by_address_alone(file: Path) -> None:
    rates = [rule for rule in rules_of(file.name) if rule["rule"] == "limit_command_rate"]
    for rule in rates:
        keys = [limit["per"] for limit in rule["limits"]]
        assert ["user"] in keys, rule["name"]
        assert ["ip"] not in keys, rule["name"]


@pytest.mark.parametrize("name", ["user", "ip"])
@pytest.mark.parametrize("file", POLICIES, ids=lambda file: file.stem)
def test_hosts_of_one_account_and_people_behind_one_proxy_keep_every_shipped_rate(
    file: Path, name: str, tmp_path: Path
) -> None:
    source = tmp_path / "policy.yaml"
    source.write_text(file.read_text("utf-8").replace("mode: observe", "mode: enforce"))
    enforced = check_file(str(source), TODAY).policy
    assert enforced
    common = {"event": "command", "command": "changes", "time": 1000, name: "common"}
    common |= {"args": ["-m1", "//depot/main/rel/..."]}
    events = [
        {"user": f"user{n}", "ip": f"10.0.0.{n}", "client": f"host{n}"} | common for n in range(50)
    ]
    with judging_by(enforced) as judge:
        verdicts = {answer["verdict"] for answer in judge.answers(events)}
    assert verdicts <= {"allow", "unknown"}


@pytest.mark.parametrize("file", POLICIES, ids=lambda file: file.stem)
def test_a_shipped_policy_has_a_case_file(file: Path) -> None:
    assert file.with_suffix(".cases.yaml").exists()


@pytest.mark.parametrize(
    ("names", "mode"),
    [(["observe-everything", "observe-arguments"], "observe"), (["strict"], "enforce")],
)
def test_the_observing_policies_and_strict_contain_every_rule_in_a_single_mode(
    names: list[str], mode: str
) -> None:
    rules = [rule for name in names for rule in rules_of(f"{name}.yaml")]
    assert {rule["mode"] for rule in rules if rule["name"] != "administrators-commands"} == {mode}
    schemas = FOLDER.parent.glob("triggers/p4warden/policy/schema/rules/*.json")
    assert {rule["rule"] for rule in rules} == {file.stem for file in schemas}


@pytest.mark.parametrize("name", ["strict", "observe-arguments"])
def test_a_policy_with_arguments_judges_each_command_that_can_read_a_depot_and_starts_for_no_other(
    name: str,
) -> None:
    rules = rules_of(f"{name}.yaml")
    scans = [rule for rule in rules if rule["rule"] in SCANS]
    assert {name for rule in scans for name in rule["commands"]} == depot_readers()
    rates = [rule for rule in rules if rule["rule"] == "limit_command_rate"]
    named = {name for rule in rates for name in rule["commands"]} | depot_readers()
    synonyms = json.loads(SYNONYMS.read_text("utf-8"))["synonyms"]
    mains = {synonym["name"]: synonym["main"] for synonym in synonyms}
    started = re.findall(r"pre-user-\(([a-z0-9|]+)\)\$", lines(policy(f"{name}.yaml")))
    assert {mains.get(name, name) for names in started for name in names.split("|")} == named


def test_strict_only_observes_commands_that_need_operator_or_admin_access() -> None:
    [rule] = [rule for rule in rules_of("strict.yaml") if rule["mode"] == "observe"]
    assert rule["rule"] == "limit_command_scope"
    assert {*rule["commands"]} == ADMINISTRATORS


def depot_readers() -> set[str]:
    """Return the commands whose file arguments make p4d read a depot, by the table of bounds."""
    with TABLE.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    paths = [row for row in rows if row["form"] == "PATH" and row["reads"] not in NOT_JUDGED]
    return {name for row in paths for name in row["commands"].split()} - {"every"}


@pytest.mark.parametrize(
    ("name", "rules"),
    [
        ("default", []),
        ("builds", ["throw-away-syncs", "fresh-syncs"]),
        (
            "agents",
            ["no-whole-depots", "row-budget", "short-lists", "short-descriptions", "own-files"],
        ),
        ("observe-everything", []),
        (
            "observe-arguments",
            ["wide-commands", "many-files", "repeated-commands", "files-of-others"],
        ),
        (
            "strict",
            [
                *("narrow-commands", "administrators-commands", "many-files"),
                *("files-of-others", "polling"),
            ],
        ),
    ],
)
def test_the_trigger_lines_of_a_shipped_policy_pass_arguments_only_for_these_rules(
    name: str, rules: list[str]
) -> None:
    whole = policy(f"{name}.yaml")
    assert ("%args%" in lines(whole)) == bool(rules)
    assert [rule.name for rule in whole.rules if "%args%" in lines(alone(whole, rule))] == rules
    text = (FOLDER / f"{name}.yaml").read_text("utf-8").split("\nversion:")[0]
    assert ("128 KiB" in text) == bool(rules)


def test_the_trigger_lines_of_every_shipped_policy_are_tested() -> None:
    tested = {"default", "observe-everything", "observe-arguments", "strict", "builds", "agents"}
    assert {file.stem for file in POLICIES} == tested


def alone(whole: Policy, rule: PolicyRule) -> Policy:
    return whole._replace(rules=(rule,))


def lines(policy: Policy) -> str:
    place = Installation("/opt/gate", "/var/lib/p4warden")
    return "".join(line.text() for line in lines_for(policy, place))


@pytest.mark.parametrize(
    ("comment", "settings", "missing"),
    [
        ('max 500 ("A Paper", Conference 2009)', "max: 500", []),
        ("max 500: our choice: enough", "max: 500", []),
        ("500 was seen (someone's issue 12)", "max: 500", []),
        ("this server has 400 of 500", "max: 500", []),
        ("max 500", "max: 500", ["a: 500"]),
        ("max 500: our choice", "max: 500", ["a: 500"]),
        ("max 1500, 500.5: our choice: enough", "max: 500", ["a: 500"]),
        ("max 5: our choice: enough", "max: 500", ["a: 500"]),
        ("allow 5 per 1s: our choice: enough", "allow: 5 per 2s", ["a: 2"]),
        ("share 0.8: our choice: enough", "max_share: 0.8", []),
        ("share 0.8: our choice: enough", 'max_delay: "3s"', ["a: 3"]),
        ("share 0.8: our choice: enough", "submits: true", []),
        ("share 0.8: our choice: enough", 'below: "2019.2"', ["a: 2019.2"]),
        ("", "depots: {x: 7}", ["a: 7"]),
    ],
)
def test_a_number_without_a_source_in_its_comment_is_reported(
    comment: str, settings: str, missing: list[str]
) -> None:
    text = f"rules:\n  # {comment}\n  - name: a\n    {settings}\n  # 7 is another rule's\n"
    assert unsourced(text) == missing
    assert unsourced(f"rules:\n  - name: a\n    {settings}  # {comment}\n") == missing
