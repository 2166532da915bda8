"""Tests of rate limits that apply while sessions wait for locks, by a server's monitor file."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from gate.program import policy, rate, rule
from support.monitor_file import END, lock_waiters

if TYPE_CHECKING:
    from pathlib import Path

    from gate.program import Home


def content(waiters: int) -> bytes:
    return lock_waiters(waiters) + END


def fstat(home: Home) -> int:
    return home.fstat("--args=a.c").code


@pytest.fixture
def file(gate_home: Home, tmp_path: Path) -> Path:
    file = tmp_path / "monfile.mem"
    limit = rate("user", when_pressure={"lock_waiters": 5})
    gate_home.activate(policy(rule(limit), pressure={"monitor_file": str(file)}))
    return file


def test_the_limit_applies_only_while_enough_sessions_wait(gate_home: Home, file: Path) -> None:
    for waiters, codes in ((4, [0, 0]), (5, [0, 1]), (0, [0, 0]), (9, [1, 1])):
        file.write_bytes(content(waiters))
        assert [fstat(gate_home), fstat(gate_home)] == codes, waiters


@pytest.mark.parametrize(
    "odd", [None, b"", b"text", END, content(9)[:-8], content(-1), b"\0" * 100_000]
)
def test_a_file_in_doubt_refuses_nothing_and_is_counted_as_unknown(
    gate_home: Home, file: Path, odd: bytes | None
) -> None:
    if odd is not None:
        file.write_bytes(odd)
    assert [fstat(gate_home) for _ in range(3)] == [0, 0, 0]
    assert gate_home.counts()["unknown"] == 3


def test_a_file_that_is_no_file_delays_nothing(gate_home: Home, file: Path) -> None:
    os.mkfifo(file)
    assert [fstat(gate_home), fstat(gate_home)] == [0, 0]
