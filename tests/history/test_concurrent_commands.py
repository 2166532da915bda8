"""Tests that a command neither fails nor undoes anything by what other processes do meanwhile."""

from __future__ import annotations

import functools
import gzip
import itertools
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from p4warden import cli
from p4warden.core.errors import P4WardenError
from p4warden.history import trail
from p4warden.history.undone import undone_on_failure
from p4warden.home import active_policy, locks, usable
from p4warden.home.decision_log import WholeDecisionLog
from support.interleaved import Meanwhile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

POLICY = Path(__file__).parents[2] / "policies" / "default.yaml"
LOG = "decisions.jsonl"


def record(user: str, number: int) -> str:
    fields = {"time": 1_803_636_000 + number, "event": "command", "verdict": "refuse", "rule": "r"}
    return json.dumps({**fields, "user": user}) + "\n"


def rotate(home: Path) -> None:
    """Rename the logs as logrotate does, and let the gate write the next line."""
    for number in (3, 2, 1):
        if (home / f"{LOG}.{number}").exists():
            (home / f"{LOG}.{number}").rename(home / f"{LOG}.{number + 1}")
    (home / LOG).rename(home / f"{LOG}.1")
    (home / LOG).write_text(record("late", 9))


def compress(home: Path) -> None:
    file = home / f"{LOG}.1"
    (home / f"{LOG}.1.gz").write_bytes(gzip.compress(file.read_bytes()))
    file.unlink()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    folder.mkdir(mode=0o700)
    names = {f"{LOG}.3": "ann", f"{LOG}.2": "bob", f"{LOG}.1": "cat", LOG: "dan"}
    for number, (name, user) in enumerate(names.items()):
        (folder / name).write_text(record(user, number))
    return folder


def copies(home: Path, folder: Path) -> Iterator[tuple[int, Path]]:
    """Yield 1, 2 and so on without end, each with a copy of a home in this folder."""
    for place in itertools.count(1):
        copy = folder / f"copy{place}"
        shutil.copytree(home, copy)
        yield place, copy


@pytest.mark.parametrize("act", [rotate, compress])
def test_a_log_that_is_rotated_while_it_is_read_is_read_once(
    tmp_path: Path, home: Path, act: Callable[[Path], None]
) -> None:
    for place, copy in copies(home, tmp_path):
        log = WholeDecisionLog(str(copy))
        with Meanwhile(place, functools.partial(act, copy)) as meanwhile:
            users = [one["user"] for one in log.records()]
        assert [user for user in users if user != "late"] == ["ann", "bob", "cat", "dan"], place
        assert (log.problems, users.count("late") <= 1) == ([], True)
        if not meanwhile.has_acted:
            break
    assert place > 5


def counted(home: Path) -> tuple[int, int]:
    """Run `p4warden metrics`; return the refusals and the gaps."""
    file = home.with_name("out.prom")
    assert cli.run(["metrics", "--home", str(home), "--output", str(file)]) == 0
    lines = [line.rsplit(" ", 1) for line in file.read_text().splitlines() if line[0] != "#"]
    totals = {name.partition("{")[0]: int(value) for name, value in lines}
    return totals["p4_warden_decisions_total"], totals["p4_warden_log_gaps_total"]


@pytest.mark.parametrize("act", [rotate, compress])
def test_metrics_lose_and_repeat_no_line_of_a_log_that_is_rotated_meanwhile(
    tmp_path: Path, home: Path, act: Callable[[Path], None]
) -> None:
    for place, copy in copies(home, tmp_path):
        assert counted(copy) == (4, 0)
        with Meanwhile(place, functools.partial(act, copy)) as meanwhile:
            during = counted(copy)
        assert during in ((4, 0), (5, 0)), place
        assert counted(copy) == (5 if act is rotate and meanwhile.has_acted else 4, 0), place
        if not meanwhile.has_acted:
            break


def test_a_file_that_goes_away_after_the_listing_is_no_problem_of_the_home(home: Path) -> None:
    usable.refuse_unreadable(str(home), [LOG, "policy.json.p4warden-1.new", "facts.json"])


def test_a_lock_whose_file_its_holder_removed_is_taken_again(home: Path) -> None:
    with (
        Meanwhile(1, (home / "one.lock").unlink, "fcntl.flock"),
        locks.file_lock(str(home), "one.lock") as descriptor,
    ):
        assert os.fstat(descriptor).st_ino == (home / "one.lock").stat().st_ino


def test_a_lock_in_a_home_that_a_failed_command_removed_is_taken_in_a_new_one(
    tmp_path: Path,
) -> None:
    home = tmp_path / "new"
    home.mkdir(mode=0o700)

    def remove() -> None:
        (home / "one.lock").unlink()
        home.rmdir()

    with Meanwhile(1, remove, "fcntl.flock"), locks.file_lock(str(home), "one.lock"):
        assert (home / "one.lock").exists()


def other_policy(folder: Path) -> Path:
    file = folder / "other.yaml"
    file.write_text(POLICY.read_text() + "# of the other process\n")
    return file


def activate_elsewhere(home: Path, policy: Path) -> None:
    command = [sys.executable, "-m", "p4warden", "activate", str(policy), "--home", str(home)]
    subprocess.run(command, check=True, capture_output=True)


@pytest.mark.parametrize("is_new", [False, True])
def test_a_command_that_fails_leaves_what_another_activated_while_it_waited(
    tmp_path: Path, *, is_new: bool
) -> None:
    home, own, other = tmp_path / "home", tmp_path / "own.yaml", other_policy(tmp_path)
    own.write_bytes(POLICY.read_bytes())
    if not is_new:
        activate_elsewhere(home, own)
        own.write_text(POLICY.read_text() + "# edited\n")

    def meanwhile() -> None:
        activate_elsewhere(home, other)
        own.write_text("the author saves the file again")

    with Meanwhile(1, meanwhile, "fcntl.flock"):
        assert cli.run(["activate", str(own), "--home", str(home)]) == 1
    digest = active_policy.policy(str(home)).digest
    last = trail.changes(str(home))[-1]
    assert (last.policy, last.action) == (digest, "activate")
    names = {file.name for file in (home / "history").iterdir()}
    assert {f"policy-{digest[:16]}.json", f"policy-{digest[:16]}.yaml"} <= names
    assert (home / "policy.source").read_text() == f"{other}\n"


def fail_meanwhile(home: Path, policy: Path) -> None:
    with undone_on_failure(str(home), ("facts.json",)):
        activate_elsewhere(home, policy)
        raise P4WardenError("the server is gone")


def test_a_new_home_that_another_process_uses_by_then_is_not_removed(tmp_path: Path) -> None:
    home = tmp_path / "new" / "home"
    with pytest.raises(P4WardenError):
        fail_meanwhile(home, other_policy(tmp_path))
    assert active_policy.policy(str(home)).rules


def test_files_that_another_process_keeps_in_the_history_stay(home: Path, tmp_path: Path) -> None:
    with pytest.raises(P4WardenError):
        fail_meanwhile(home, other_policy(tmp_path))
    assert len(list((home / "history").iterdir())) == 2
