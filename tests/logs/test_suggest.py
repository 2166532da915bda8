"""Tests of `p4warden replay --suggest`: a policy with limits derived from p4d's log."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import yaml
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from logs.blocks import start
from logs.test_replay import report, run, save
from p4warden.commands.replay import replay
from p4warden.policy.check import check_file
from p4warden.workbench.replay.suggested_limits import OTHERS, Margins, SuggestedLimit, suggest
from p4warden.workbench.replay.suggested_policy import write

if TYPE_CHECKING:
    import datetime
    from pathlib import Path


LESS_THAN_A_DAY = (
    "note: the logs are of less than a day, so that other hours may need more: suggest from a "
    "week\n"
)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Fixture: a p4d log with occasional commands of 15 users, and a build farm that polls."""
    text = ""
    for second in range(0, 600, 2):
        time = f"12:{second // 60:02}:{second % 60:02}"
        text += start(time, second, "user-fstat a", f"u{second % 30}@ws 10.0.0.1 [p4/v93]")
        for pid in range(5):
            text += start(time, 1000 + pid, "user-fstat //depot/...", "ci@ws 10.0.0.2 [ci/v93]")
    return save(tmp_path / "log", text + start("12:11:00", 7, "user-login -s"))


def test_a_suggestion_from_less_than_a_day_says_so(tmp_path: Path, log: Path) -> None:
    result = CliRunner().invoke(replay, [str(log), "--suggest"])
    assert result.stderr == LESS_THAN_A_DAY
    assert "# less than a day, so that other hours may need more: " in result.stdout
    next_day = start("12:11:00", 9, "user-fstat a", day="2026/03/03")
    whole = save(tmp_path / "whole", log.read_text() + next_day)
    result = CliRunner().invoke(replay, [str(whole), "--suggest"])
    assert (result.stderr, "less than a day" in result.stdout) == ("", False)


def test_a_suggested_policy_is_valid_and_refuses_no_command_of_the_log(
    tmp_path: Path, log: Path, today: datetime.date
) -> None:
    groups = save(tmp_path / "groups.yaml", "Build Farm: [ci]\n")
    for words in ((), ("--groups", groups)):
        text = run(log, "--suggest", *words)
        policy_file = save(tmp_path / "suggested.yaml", text)
        check = check_file(str(policy_file), today)
        assert not check.problems
        results = report(log, "--policy", policy_file, "--enforce", *words)
        assert [rule["verdicts"]["refuse"] for rule in results["rules"]] == [0] * len(
            results["rules"]
        )
    assert "exemptions:\n- groups: [Build Farm]\n  rules: [fstat-rate]" in text
    assert "- name: fstat-rate\n  # 300 requests of 15 users; 0 of them needed" in text
    assert "- name: fstat-rate-build-farm\n  # 1,500 requests of 1 user;" in text
    assert "login" not in text


def test_a_lower_limit_of_a_group_does_not_apply_to_users_outside_the_group(
    tmp_path: Path, log: Path
) -> None:
    quiet = ", ".join(f"u{number}" for number in range(0, 30, 2))
    groups = save(tmp_path / "groups.yaml", f"Quiet: [{quiet}]\n")
    text = run(log, "--suggest", "--groups", groups)
    policy_file = save(tmp_path / "suggested.yaml", text)
    results = report(log, "--policy", policy_file, "--enforce", "--groups", groups)
    assert [(rule["name"], rule["verdicts"]["refuse"]) for rule in results["rules"]] == [
        ("fstat-rate", 0)
    ]


CLASSES = """
version: 1
contact: admins
classes:
  builds: {groups: [Build Farm]}
  nights: {hours: {from: "22:00", to: "04:00", zone: UTC}, not: {programs: [p4v*]}}
  agents: {programs: [agent]}
rules:
  - name: any
    rule: limit_command_rate
    mode: observe
    commands: [fstat]
    limits: [{per: [user], allow: 1/d}]
"""


@pytest.fixture
def mixed(tmp_path: Path, log: Path) -> tuple[str | Path, ...]:
    """Fixture: the words of a replay of a log with builds, agents and people.

    The user u4 is one of the people, and has an agent as well, which sends more.
    """
    text = log.read_text()
    for second in range(60):
        for pid in range(9):
            text += start(
                f"12:12:{second:02}", 20 + pid, "user-fstat a", "u4@ws 10.0.0.3 [agent/v93]"
            )
    return (
        save(tmp_path / "mixed", text),
        "--groups",
        save(tmp_path / "groups.yaml", "Build Farm: [ci]\n"),
    )


def test_a_suggestion_names_the_class_of_the_commands_that_need_more(
    tmp_path: Path, mixed: tuple[str | Path, ...], today: datetime.date
) -> None:
    policy = ("--policy", save(tmp_path / "classes.yaml", CLASSES))
    text = run(*mixed, "--suggest", *policy)
    document = yaml.safe_load(text)
    assert document["classes"] == {
        "builds": {"groups": ["Build Farm"]},
        "agents": {"programs": ["agent"]},
    }
    assert [(one["name"], one.get("for")) for one in document["rules"]] == [
        ("fstat-rate", None),
        ("fstat-rate-builds", {"classes": ["builds"]}),
        ("fstat-rate-agents", {"classes": ["agents"]}),
    ]
    assert [(one["classes"], one["rules"]) for one in document["exemptions"]] == [
        (["builds"], ["fstat-rate"]),
        (["agents"], ["fstat-rate", "fstat-rate-builds"]),
    ]
    forged = "any user can choose this client or program name (add a group as well)"
    assert [line for line in text.splitlines() if line.startswith("# class")] == [
        f"# class agents: {forged}"
    ]
    check = check_file(str(save(tmp_path / "suggested.yaml", text)), today)
    assert not check.problems
    assert [(one.path, one.text) for one in check.warnings if one.path[0] == "exemptions"] == [
        (("exemptions", 1), forged)
    ]


def test_the_exemption_of_a_class_exempts_it_and_nobody_else(
    tmp_path: Path, mixed: tuple[str | Path, ...]
) -> None:
    policy = ("--policy", save(tmp_path / "classes.yaml", CLASSES))
    document = yaml.safe_load(run(*mixed, "--suggest", *policy))
    refused = []
    for number in range(3):
        fewer = document | {"exemptions": document["exemptions"][number:]}
        file = save(tmp_path / "suggested.yaml", yaml.safe_dump(fewer))
        rules = report(*mixed, "--policy", file, "--enforce")["rules"]
        [base] = [one for one in rules if one["name"] == "fstat-rate"]
        refused.append({name: count > 0 for name, count in base["classes"]["top"]})
        others = [one["verdicts"]["refuse"] for one in rules if one is not base]
        assert others == [0, 0]
    assert refused == [{}, {"builds": True}, {"agents": True, "builds": True}]


def test_without_classes_in_the_policy_a_suggestion_names_groups(
    tmp_path: Path, log: Path
) -> None:
    lines = CLASSES.splitlines(keepends=True)
    policy = save(tmp_path / "plain.yaml", "".join(lines[:3] + lines[7:]))
    groups = save(tmp_path / "groups.yaml", "Build Farm: [ci]\n")
    document = yaml.safe_load(run(log, "--suggest", "--policy", policy, "--groups", groups))
    assert "classes" not in document
    assert [one["groups"] for one in document["exemptions"]] == [["Build Farm"]]


def test_without_groups_a_note_names_the_classes_that_depend_on_them(
    tmp_path: Path, log: Path
) -> None:
    policy = save(tmp_path / "classes.yaml", CLASSES)
    result = CliRunner().invoke(replay, [str(log), "--suggest", "--policy", str(policy)])
    note = "note: who is of class builds is unknown without --groups or --checkpoint\n"
    assert result.stderr == note + LESS_THAN_A_DAY
    assert "classes" not in yaml.safe_load(result.stdout)


def test_a_class_and_a_group_of_one_name_stay_apart() -> None:
    limits = [
        SuggestedLimit("sync", OTHERS, 9, 90, per_minute=60, burst=30, above=0),
        SuggestedLimit("sync", "ci", 9, 90, per_minute=60, burst=90, above=0),
        SuggestedLimit("sync", "ci", 9, 90, per_minute=60, burst=60, above=0, is_of_class=True),
    ]
    classes = {"ci": {"users": ("ci",)}, "people": {"groups": ("dev",)}}
    policy = yaml.safe_load(write(limits, Margins(), "a day", classes))
    assert policy["classes"] == {"ci": {"users": ["ci"]}}
    exempt = [
        (one.get("groups"), one.get("classes"), one["rules"]) for one in policy["exemptions"]
    ]
    assert exempt == [
        (None, ["ci"], ["sync-rate"]),
        (["ci"], None, ["sync-rate"]),
    ]


def test_a_group_is_exempt_from_each_limit_lower_in_rate_or_burst() -> None:
    limits = [
        SuggestedLimit("sync", OTHERS, 9, 90, per_minute=60, burst=30, above=0),
        SuggestedLimit("sync", "bursts", 9, 90, per_minute=60, burst=500, above=0),
        SuggestedLimit("sync", "rates", 9, 90, per_minute=600, burst=20, above=0),
        SuggestedLimit("sync", "rests", 9, 90, per_minute=60, burst=20, above=0),
    ]
    policy = yaml.safe_load(write(limits, Margins(), "a day", {}))
    rules = {
        rule["name"]: (rule["limits"][0]["allow"], rule["limits"][0]["burst"])
        for rule in policy["rules"]
    }
    assert rules == {
        "sync-rate": ("1/s", 30),
        "sync-rate-bursts": ("1/s", 500),
        "sync-rate-rates": ("10/s", 30),
    }
    exempt = {one["groups"][0]: one["rules"] for one in policy["exemptions"]}
    assert exempt == {
        "bursts": ["sync-rate", "sync-rate-rates"],
        "rates": ["sync-rate", "sync-rate-bursts"],
    }


def test_suggested_rules_of_groups_with_similar_names_get_different_names() -> None:
    limits = [
        SuggestedLimit("sync", group, 9, 90, per_minute=60, burst=30, above=0)
        for group in ("dev", "dev-3", "dev.", "Dev")
    ]
    policy = yaml.safe_load(write(limits, Margins(), "a day", {}))
    names = [rule["name"] for rule in policy["rules"]]
    assert names == ["sync-rate-dev", "sync-rate-dev-3", "sync-rate-dev-2", "sync-rate-dev-4"]


def test_the_suggested_rate_is_the_lowest_with_a_small_burst_times_the_headroom() -> None:
    history = {
        "intervals_ms": [100, 1000, 10_000],
        "commands": {
            "fstat": [["ann", 90, [8, 12, 70]], ["bob", 10, [1, 1, 4]], ["eve", 5, [9, 50, 90]]]
        },
    }
    [limit] = suggest(history, ["fstat", "sync"], {}, Margins(percentile=60, headroom=2))
    assert limit[:7] == ("fstat", OTHERS, 3, 105, 120, 24, 1)
    assert limit.allow == "2/s"


@given(
    st.lists(st.lists(st.integers(1, 10**6), min_size=3, max_size=3), min_size=1, max_size=20),
    st.floats(1, 100),
    st.floats(1, 10),
)
def test_a_suggested_limit_is_at_least_the_headroom_and_covers_the_percentile(
    bursts: list[list[int]], percentile: float, headroom: float
) -> None:
    rows = [[f"u{n}", 1, sorted(burst)] for n, burst in enumerate(bursts)]
    history = {"intervals_ms": [100, 1000, 60_000], "commands": {"fstat": rows}}
    [limit] = suggest(history, ["fstat"], {}, Margins(percentile, headroom))
    assert limit.per_minute >= headroom
    assert limit.above <= len(bursts) * (1 - percentile / 100)
