"""Tests of `p4warden replay` with a rule that limits how many commands run at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from logs.blocks import done, start
from logs.test_replay import report, save

if TYPE_CHECKING:
    from pathlib import Path

POLICY = """
version: 1
contact: admins
rules:
  - name: syncs-at-once
    rule: limit_concurrent_commands
    mode: {mode}
    commands: [sync]
    limits: [{{per: [], at_most: 2}}]
    {action}
"""


def sync(number: int, begins: int, runs_s: int | None = None) -> list[tuple[int, str]]:
    """Return the blocks of a sync, each with the second in which it is written."""
    times = [
        f"12:{second // 60:02}:{second % 60:02}" for second in (begins, begins + (runs_s or 0))
    ]
    blocks = [(begins, start(times[0], number, "user-sync //depot/..."))]
    if runs_s is not None:
        blocks.append((begins + runs_s, done(times[1], number, f"{runs_s}")))
    return blocks


def counted(tmp_path: Path, *syncs: list[tuple[int, str]], **policy: str) -> dict[str, Any]:
    """Return the rule's part of the report about a log."""
    blocks = sorted(block for one in syncs for block in one)
    log = save(tmp_path / "log", "".join(text for _, text in blocks))
    text = POLICY.format(**{"mode": "enforce", "action": "", **policy})
    [rule] = report(log, "--policy", save(tmp_path / "p.yaml", text))["rules"]
    return dict(rule)


def test_commands_are_counted_from_their_start_to_their_end(tmp_path: Path) -> None:
    rule = counted(tmp_path, sync(1, 0, 10), sync(2, 1, 30), sync(3, 5, 10), sync(4, 12, 5))
    assert rule["verdicts"] == verdicts(allow=3, refuse=1)


def test_a_command_that_would_wait_ends_later_by_its_wait(tmp_path: Path) -> None:
    syncs = [sync(number, 0, 10) for number in range(1, 6)]
    rule = counted(tmp_path, *syncs, action="action: delay\n    max_delay: 15s")
    assert rule["verdicts"] == verdicts(allow=2, delay=2, refuse=1)


def test_a_command_whose_end_is_not_logged_is_unknown(tmp_path: Path) -> None:
    rule = counted(tmp_path, sync(1, 0), sync(2, 1, 30))
    assert rule["verdicts"] == verdicts(allow=1, unknown=1)


def test_an_observing_rule_reports_what_it_would_stop(tmp_path: Path) -> None:
    rule = counted(tmp_path, *[sync(number, 0, 10) for number in range(1, 5)], mode="observe")
    assert rule["verdicts"] == verdicts(allow=2, observe=2)


def verdicts(**counts: int) -> dict[str, int]:
    none = dict.fromkeys(("allow", "observe", "unknown", "delay", "refuse"), 0)
    return {**none, **counts}
