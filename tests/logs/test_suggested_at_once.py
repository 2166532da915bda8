"""Tests of `p4warden replay --suggest` for a rule that limits how many commands run at once."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest
import yaml
from click.testing import CliRunner

from logs.blocks import done, start
from logs.test_replay import report, run, save
from logs.test_suggest import LESS_THAN_A_DAY
from p4warden.commands.replay import replay
from p4warden.policy.check import check_file

if TYPE_CHECKING:
    import datetime
    from collections.abc import Sequence
    from pathlib import Path

POLICY = """
version: 1
contact: admins
classes: {builds: {groups: [farm]}}
rules:
  - name: any
    rule: limit_concurrent_commands
    mode: observe
    commands: [sync]
    limits: [{per: [], at_most: 1}]
"""


def log_of(syncs: Sequence[tuple[int, int | None, str]]) -> str:
    """Return the log of syncs, each with its first second, for how long it runs, and its user."""
    blocks = []
    for pid, (second, runs_s, user) in enumerate(syncs):
        sender = f"{user}@ws 10.0.0.1 [p4/v93]"
        blocks.append((second, start(time(second), pid, "user-sync //depot/...", sender)))
        if runs_s is not None:
            blocks.append((second + runs_s, done(time(second + runs_s), pid, f"{runs_s}.4")))
    return "".join(text for _, text in sorted(blocks, key=lambda block: block[0]))


def time(second: int) -> str:
    return f"{12 + second // 3600}:{second // 60 % 60:02}:{second % 60:02}"


@pytest.fixture
def words(tmp_path: Path) -> tuple[str | Path, ...]:
    """Fixture: the words of a replay of a log with a user of a build farm, and nine others."""
    rnd = random.Random(4)  # noqa: S311 - a stream that is the same each time
    people = [(rnd.randrange(3000), rnd.randrange(90), f"u{rnd.randrange(9)}") for _ in range(300)]
    builds = [(600 * hour, 20 + number, "ci") for hour in range(5) for number in range(40)]
    log = save(tmp_path / "log", log_of(people + builds))
    groups = save(tmp_path / "groups.yaml", "farm: [ci]\n")
    return log, "--groups", groups


@pytest.mark.parametrize(("percentile", "headroom"), [(100, 1), (50, 1), (99, 2)])
def test_a_suggested_number_is_valid_and_stops_only_users_who_ran_more(
    tmp_path: Path,
    words: tuple[str | Path, ...],
    today: datetime.date,
    percentile: int,
    headroom: int,
) -> None:
    policy = save(tmp_path / "policy.yaml", POLICY)
    margins = ("--percentile", str(percentile), "--headroom", str(headroom))
    text = run(*words, "--suggest", "--policy", policy, *margins)
    file = save(tmp_path / "suggested.yaml", text)
    assert not check_file(str(file), today).problems
    rules = {one["name"]: one for one in yaml.safe_load(text)["rules"]}
    assert rules["sync-at-once-builds"] == {
        "name": "sync-at-once-builds",
        "rule": "limit_concurrent_commands",
        "mode": "observe",
        "for": {"classes": ["builds"]},
        "commands": ["sync"],
        "limits": [{"per": ["user"], "at_most": 40 * headroom}],
    }
    assert "  # 200 requests of 1 user; 0 of them ran more than 40 at once\n" in text
    most = rules["sync-at-once"]["limits"][0]["at_most"] // headroom
    [above] = [n for n in range(9) if f"of 9 users; {n} of them ran more than {most} at" in text]
    replayed = report(*words, "--policy", file, "--enforce")["rules"]
    stopped = {rule["name"]: len(rule["users"]) for rule in replayed if "once" in rule["name"]}
    assert stopped == {"sync-at-once": above, "sync-at-once-builds": 0}
    assert (above > 0) == (percentile == 50)


def test_one_less_than_the_most_at_once_would_have_stopped_somebody(
    tmp_path: Path, words: tuple[str | Path, ...]
) -> None:
    policy = save(tmp_path / "policy.yaml", POLICY)
    text = run(*words, "--suggest", "--policy", policy, "--percentile", "100", "--headroom", "1")
    document = yaml.safe_load(text)
    for rule in document["rules"]:
        for limit in rule["limits"]:
            limit["at_most"] = limit.get("at_most", 2) - 1
    document["rules"] = [one for one in document["rules"] if "at-once" in one["name"]]
    document["exemptions"][0]["rules"] = ["sync-at-once"]
    file = save(tmp_path / "suggested.yaml", yaml.safe_dump(document))
    rules = report(*words, "--policy", file, "--enforce")["rules"]
    assert all(rule["verdicts"]["refuse"] > 0 for rule in rules)


NO_ENDS = (
    "the logs have no end of one (p4d writes ends with server=2 or more), or can be read only once"
)


@pytest.mark.parametrize(
    ("syncs", "note"),
    [
        ([(0, None, "ann")], NO_ENDS),
        ([(0, 9, "ann")] * 101, "101 of a user ran at once, and a rule lets run at most 100"),
    ],
)
def test_a_note_says_why_no_number_at_once_is_suggested(
    tmp_path: Path, syncs: Sequence[tuple[int, int | None, str]], note: str
) -> None:
    policy = save(tmp_path / "policy.yaml", POLICY.replace("groups: [farm]", "users: [ci]"))
    log = save(tmp_path / "log", log_of(syncs))
    result = CliRunner().invoke(replay, [str(log), "--suggest", "--policy", str(policy)])
    text = f"note: no number of sync at once is suggested: {note}\n"
    assert result.stderr == text + LESS_THAN_A_DAY
    assert [one["name"] for one in yaml.safe_load(result.stdout)["rules"]] == ["sync-rate"]


def test_a_rule_that_is_off_gets_no_number_and_no_note(tmp_path: Path) -> None:
    policy = save(tmp_path / "policy.yaml", POLICY.replace("mode: observe", "mode: off"))
    log = save(tmp_path / "log", log_of([(0, 9, "ann")]))
    result = CliRunner().invoke(replay, [str(log), "--suggest", "--policy", str(policy)])
    assert "at once" not in result.stderr
    assert [one["name"] for one in yaml.safe_load(result.stdout)["rules"]] == ["sync-rate"]


def test_commands_without_an_end_are_named_where_others_have_one(tmp_path: Path) -> None:
    policy = save(tmp_path / "policy.yaml", POLICY.replace("groups: [farm]", "users: [ci]"))
    log = save(tmp_path / "log", log_of([(0, 9, "ann"), (1, 9, "ann"), (2, None, "ann")]))
    text = run(log, "--suggest", "--policy", policy)
    assert (
        "  # 3 requests of 1 user; 0 of them ran more than 2 at once, 1 without an end in the log "
        "left out\n"
    ) in text
