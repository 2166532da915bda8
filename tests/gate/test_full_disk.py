"""Tests of a home on a full or read-only disk: gate, `metrics`, `status` and `doctor` say so."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from gate.program import Home, policy, rate, rule
from p4warden import cli
from support.small_disks import fill, make_read_only, mounted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

FULL, READ_ONLY = "No space left on device", "Read-only file system"
WAYS = [(fill, FULL), (make_read_only, READ_ONLY)]


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Home]:
    """A home on a disk of its own, after a refusal."""
    (tmp_path / "home").mkdir()
    with mounted(tmp_path / "home", "size=3m,mode=700"):
        home = Home(tmp_path / "home")
        home.activate(policy(rule(rate("user"))))
        assert [home.fstat().code for _ in range(2)] == [0, 1]
        yield home


def samples(file: Path) -> dict[str, str]:
    lines = (line for line in file.read_text().splitlines() if not line.startswith("#"))
    return dict(line.rsplit(" ", 1) for line in lines)


@pytest.mark.parametrize(("spoil", "reason"), WAYS)
def test_metrics_write_that_the_log_is_not_writable_and_end_with_an_error(
    small: Home,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    spoil: Callable[[Path], None],
    reason: str,
) -> None:
    file = tmp_path / "out.prom"
    words = ["metrics", "--home", str(small.folder), "--output", str(file)]
    assert cli.run(words) == 0
    assert samples(file)["p4_warden_log_writable"] == "1"
    spoil(small.folder)
    assert cli.run(words) == 1
    assert reason.casefold() in capsys.readouterr().err.casefold()
    assert samples(file)["p4_warden_log_writable"] == "0"
    assert "p4_warden_off" in samples(file)


@pytest.mark.parametrize(("spoil", "reason"), WAYS)
def test_doctor_and_status_say_that_state_and_log_are_not_usable(
    small: Home, capsys: pytest.CaptureFixture[str], spoil: Callable[[Path], None], reason: str
) -> None:
    spoil(small.folder)
    assert cli.run(["doctor", "--home", str(small.folder), "--port", "localhost:1", "--json"]) == 1
    checks = {check["name"]: check for check in json.loads(capsys.readouterr().out)}
    folder, gate = small.folder, checks["gate"]
    for part in (f"state: {folder}/state: {reason}", f"log: {folder}/decisions.jsonl: {reason}"):
        assert part in gate["message"]
    assert [checks[name]["state"] for name in ("gate", "disk", "ready")] == ["bad"] * 3
    assert str(folder) in checks["disk"]["message"]
    assert cli.run(["status", "--home", str(small.folder), "--port", "localhost:1"]) == 1
    assert f"bad: state: {folder}/state: {reason}" in capsys.readouterr().out


def test_a_self_test_leaves_nothing_beside_the_state(small: Home) -> None:
    words = ["doctor", "--home", str(small.folder), "--port", "localhost:1"]
    assert cli.run(words) == 0
    names = {file.name for file in small.folder.iterdir()}
    assert names == {"decisions.jsonl", "facts.json", "policy.json", "state"}


def test_on_a_full_disk_only_a_rate_that_cannot_be_kept_gets_the_declared_answer(
    small: Home,
) -> None:
    narrow = {"name": "narrow", "rule": "limit_command_scope", "mode": "enforce", "min_depth": 1}
    small.activate(policy({**narrow, "commands": ["fstat"]}))
    fill(small.folder)
    assert small.fstat("--args=//...", user="bob").code == 1
    assert small.fstat("--args=//depot/main/...", user="bob").code == 0
    (small.folder / "filler").unlink()
    small.activate(policy(rule(rate("user")), on_error="deny"))
    fill(small.folder)
    assert small.fstat(user="eve", on_error="deny").code == 1
