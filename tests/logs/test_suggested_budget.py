"""Tests of `p4warden replay --suggest --index`: a budget of files derived from p4d's log."""

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
from p4warden.workbench.replay.suggested_budget import suggest_budget
from p4warden.workbench.replay.suggested_limits import (
    OTHERS,
    Budget,
    Margins,
    SuggestedLimit,
    UserRequests,
)
from p4warden.workbench.replay.suggested_policy import write
from support.small_index import small_index

if TYPE_CHECKING:
    import datetime
    from pathlib import Path

SERVER = {"//depot/main/lib": 700, "//depot/main/src": 3000, "//tools": 9}
UNKNOWN = "zed@no-ws 10.0.0.9 [p4/v93]"


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("index")
    return small_index(folder, SERVER, {"ann-ws": ["//depot/... //ann-ws/..."]})


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Fixture: users who read 3,700, 11,100 and 111,000 files at once, and two unknown syncs."""
    whole = "user-files //depot/..."
    text = "".join(
        start("12:00:00", 10 + n, whole, "ann@ann-ws 10.0.0.1 [p4/v93]") for n in range(3)
    )
    for minute in range(5):
        text += start(f"12:{minute:02}:10", 20, whole, "bob@bob-ws 10.0.0.2 [p4/v93]")
    text += "".join(
        start("12:05:00", 100 + n, whole, "eve@eve-ws 10.0.0.3 [p4/v93]") for n in range(30)
    )
    text += "".join(start("12:06:00", 200 + n, "user-sync", UNKNOWN) for n in range(2))
    return save(tmp_path / "log", text)


def test_a_suggested_budget_is_valid_and_stops_only_whom_it_names(
    tmp_path: Path, log: Path, index: Path, today: datetime.date
) -> None:
    text = run(log, "--suggest", "--percentile", "75", "--index", index)
    # Of the needs 3,700, 11,100, 20,000 (2 times unknown_as) and 111,000, the third covers 75 %.
    # 10,000 files a minute suffice for it, and the headroom is 2.
    budget = next(rule for rule in yaml.safe_load(text)["rules"] if "weight" in rule)
    assert budget == {
        "name": "file-budget",
        "rule": "limit_command_rate",
        "mode": "observe",
        "commands": ["files", "sync"],
        "weight": "files",
        "unknown_as": 10000,
        "limits": [{"per": ["user"], "allow": "20000/m", "burst": 40000}],
    }
    assert (
        "- name: file-budget\n"
        "  # 40 requests of 4 users; of 40 requests of all users 2 (5.0%) without estimate\n"
        "  # count as 10,000 files each; of the users in the logs it stops at most eve\n"
    ) in text
    policy_file = save(tmp_path / "suggested.yaml", text)
    assert not check_file(str(policy_file), today).problems
    results = report(log, "--policy", policy_file, "--enforce", "--index", index)
    [entry] = [rule for rule in results["rules"] if rule["name"] == "file-budget"]
    # Ten times 3,700 fit into 40,000.
    assert [(user["name"], user["hit"]) for user in entry["users"]] == [("eve", 20)]
    assert entry["verdicts"]["unknown"] == 2


def test_a_budget_for_all_users_stops_nobody_in_the_logs(
    tmp_path: Path, log: Path, index: Path
) -> None:
    text = run(log, "--suggest", "--index", index)
    assert "count as 10,000 files each; of the users in the logs it stops nobody\n" in text
    policy_file = save(tmp_path / "suggested.yaml", text)
    results = report(log, "--policy", policy_file, "--enforce", "--index", index)
    assert [rule["verdicts"]["refuse"] for rule in results["rules"]] == [0] * 3


def test_a_budget_is_for_the_commands_of_the_policy_and_counts_unknown_as_it_does(
    tmp_path: Path, log: Path, index: Path
) -> None:
    policy = """
version: 1
contact: admins
rules:
  - name: b
    rule: limit_command_rate
    mode: observe
    commands: [files]
    weight: files
    unknown_as: 7
    limits: [{per: [user], allow: 1/d}]
"""
    words = ("--suggest", "--index", index, "--policy", save(tmp_path / "policy.yaml", policy))
    text = run(log, *words)
    [budget] = [rule for rule in yaml.safe_load(text)["rules"] if "weight" in rule]
    assert (budget["commands"], budget["unknown_as"]) == (["files"], 7)
    assert "38 requests of 3 users; of 38 requests of all users 0 (0.0%) without estimate" in text


def test_no_budget_is_suggested_if_most_commands_have_no_estimate(
    tmp_path: Path, index: Path
) -> None:
    known, unknown = start("12:00:00", 1, "user-files //depot/..."), ""
    for pid in (2, 3):
        unknown += start("12:00:00", pid, "user-sync", UNKNOWN)
    for text, has_budget in ((known * 3 + unknown, True), (known + unknown, False)):
        log = save(tmp_path / "log", text)
        result = CliRunner().invoke(replay, [str(log), "--suggest", "--index", str(index)])
        assert ("file-budget" in result.stdout) == has_budget
        note = "note: no budget of files is suggested: the index has no estimate for most commands"
        assert (note in result.stderr) == (not has_budget)
    assert "file-budget" not in run(log, "--suggest")


def test_a_budget_names_the_users_of_a_group_whose_own_budget_would_be_no_higher() -> None:
    history = {
        "intervals_ms": [100, 60_000],
        "records_per_interval": 10_000,
        "commands": {"files": [20, 1]},
        "users": [
            ["ann", 5, [900, 900]],
            ["q1", 5, [100, 100]],
            ["q2", 5, [200, 200]],
            ["q3", 5, [2000, 5000]],
        ],
    }
    groups = {"quiet": ["q1", "q2", "q3"]}
    margins = Margins(percentile=60, headroom=2)
    limits = suggest_budget(history, 9, groups, margins)
    assert [(one.group, one.allow, one.burst, one.may_stop) for one in limits] == [
        (OTHERS, "20000/m", 1800, []),
        ("quiet", "20000/m", 400, ["q3"]),
    ]
    text = write(limits, margins, "a day", {})
    assert "it stops at most q3\n" in text
    assert "file-budget-quiet" not in text


def test_names_of_many_and_of_hostile_users_stay_in_the_comment() -> None:
    names = ["a\nversion: 2", "\x85\u2028b"]
    users = [[name, 1, [10**6]] for name in (*names, *(f"u{n}" for n in range(20)))]
    history = {
        "intervals_ms": [60_000],
        "records_per_interval": 10_000,
        "commands": {"files": [99, 0]},
        "users": [["ann", 1, [1]]] * 99 + users,
    }
    text = write(suggest_budget(history, 9, {}, Margins(50, 1)), Margins(50, 1), "a day", {})
    assert (
        "at most a\\x0aversion: 2, \\x85\\u2028b, u0, u1, u2, u3, u4, u5, u6, u7 and 12 more"
        in text
    )
    assert yaml.safe_load(text)["version"] == 1


@given(st.lists(st.integers(0, 10**14), min_size=1, max_size=9), st.floats(1, 1000))
def test_a_suggested_budget_can_be_written_in_a_policy(needs: list[int], headroom: float) -> None:
    users = [UserRequests(f"u{n}", 1, (need, need)) for n, need in enumerate(needs)]
    history = {
        "intervals_ms": [10, 60_000],
        "records_per_interval": 10_000,
        "commands": {"files": [9, 0]},
        "users": users,
    }
    [limit] = suggest_budget(history, 9, {}, Margins(100, headroom))
    number, unit = limit.allow.split("/")
    assert len(number) <= 7
    per_minute = int(number) * {"m": 1, "s": 60, "ms": 60_000}[unit]
    assert per_minute >= headroom * 10_000
    assert 1 <= limit.burst <= min(10**12, per_minute * 1_440_000)
    assert limit.may_stop == [user.name for user in users if user.bursts[0] > limit.burst]


def test_a_budget_and_a_limit_of_a_command_of_the_same_name_stay_apart() -> None:
    budget = Budget(("files",), 9, 5, 0, 10_000)
    limits = [
        SuggestedLimit("file-budget", OTHERS, 1, 5, per_minute=60, burst=3, above=0),
        SuggestedLimit("file-budget", OTHERS, 1, 5, 60_000, 9000, above=0, budget=budget),
    ]
    rules = yaml.safe_load(write(limits, Margins(), "a day", {}))["rules"]
    assert [(rule["name"], rule["commands"]) for rule in rules] == [
        ("file-budget-rate", ["file-budget"]),
        ("file-budget", ["files"]),
    ]
