"""Tests of `p4warden replay` with a rule that limits how many commands run at once."""

from __future__ import annotations

import gzip
import json
import subprocess
from typing import TYPE_CHECKING

import pytest

from gate.program import policy
from logs.blocks import done, start
from logs.test_observing import replayed
from p4warden.workbench.logs.reader import PROGRAM

if TYPE_CHECKING:
    from pathlib import Path

RULE = {
    "name": "syncs-at-once",
    "rule": "limit_concurrent_commands",
    "mode": "enforce",
    "commands": ["sync"],
    "limits": [{"per": [], "at_most": 2}],
}


def sync(number: int, begins: int, runs_s: int | None = None) -> list[tuple[int, str]]:
    """Return the blocks of a sync, each with the second in which it is written."""
    times = [
        f"12:{second // 60:02}:{second % 60:02}" for second in (begins, begins + (runs_s or 0))
    ]
    blocks = [(begins, start(times[0], number, "user-sync //depot/..."))]
    if runs_s is not None:
        blocks.append((begins + runs_s, done(times[1], number, f"{runs_s}")))
    return blocks


def counted(*syncs: list[tuple[int, str]], **settings: str) -> dict[str, int]:
    """Return the rule's verdicts about a log, without those that it did not give."""
    [rule] = replayed([RULE | settings], log_of(*syncs)).values()
    return {verdict: count for verdict, count in rule["verdicts"].items() if count}


def log_of(*syncs: list[tuple[int, str]]) -> str:
    return "".join(text for _, text in sorted(block for one in syncs for block in one))


def test_commands_are_counted_from_their_start_to_their_end() -> None:
    syncs = sync(1, 0, 10), sync(2, 1, 30), sync(3, 5, 10), sync(4, 12, 5)
    assert counted(*syncs) == {"allow": 3, "refuse": 1}


def test_a_command_that_would_wait_ends_later_by_its_wait() -> None:
    syncs = [sync(number, 0, 10) for number in range(1, 6)]
    verdicts = counted(*syncs, action="delay", max_delay="15s")
    assert verdicts == {"allow": 2, "delay": 2, "refuse": 1}


def test_a_command_whose_end_is_not_logged_is_unknown() -> None:
    assert counted(sync(1, 0), sync(2, 1, 30)) == {"allow": 1, "unknown": 1}


def run(tmp_path: Path, *words: str, text: str = "") -> subprocess.CompletedProcess[str]:
    """Run the program that replays."""
    file = tmp_path / "policy.json"
    file.write_text(json.dumps(policy(RULE)))
    words = (PROGRAM.path(), "replay", f"--policy={file}", *words)
    return subprocess.run(words, input=text, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("word", ["-", "/dev/stdin", "--server=a=-"])
def test_a_log_that_can_be_read_only_once_is_read_once(tmp_path: Path, word: str) -> None:
    result = run(tmp_path, word, text=log_of(sync(1, 0, 10), sync(2, 1, 30)))
    [rule] = json.loads(result.stdout)["rules"]
    assert (rule["judged"], rule["verdicts"]["unknown"]) == (2, 2)


def test_both_readings_report_one_progress_and_each_problem_once(tmp_path: Path) -> None:
    log = tmp_path / "log.gz"
    text = log_of(*(sync(number, number, 5) for number in range(1, 2000)))
    log.write_bytes(gzip.compress(text.encode())[:-500])
    lines = run(tmp_path, "--progress", str(log)).stderr.splitlines()
    progress = [json.loads(line) for line in lines if line.startswith("{")]
    assert [line for line in lines if not line.startswith("{")] == [
        f"p4warden-log: {log}: the compressed data end early"
    ]
    read_bytes = [one["read_bytes"] for one in progress]
    assert read_bytes == sorted(read_bytes)
    assert {one["of_bytes"] for one in progress} == {2 * log.stat().st_size}


def test_an_observing_rule_reports_what_it_would_stop() -> None:
    syncs = [sync(number, 0, 10) for number in range(1, 5)]
    assert counted(*syncs, mode="observe") == {"allow": 2, "observe": 2}
