"""Tests of many submits and depot forms at once: each is judged in its turn, or refused."""

from __future__ import annotations

import contextlib
import fcntl
import os
import struct
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from gate.connections import Connection
from gate.forms import DEPOTS, NEW, TOPS, prepare, printing, save, submit
from gate.program import GO_ON, policy

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gate.program import Home

AT_ONCE = 16
PATHS = {"name": "paths", "rule": "limit_path_length", "mode": "enforce", "max_leading": 90}


@contextlib.contextmanager
def held(home: Home, first: int, count: int) -> Iterator[None]:
    """Hold places as other triggers do."""
    with (home.folder / "turns").open("wb") as file:
        place = struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, first, count, 0)
        fcntl.fcntl(file, fcntl.F_OFD_SETLK, place)
        yield


def use_one_processor() -> None:
    """Let this thread and what it starts run on one processor alone."""
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


def test_only_so_many_ask_at_once_and_the_next_waits(beside: Home) -> None:
    prepare(beside, "open(sys.argv[-1] + '/go').readline()\n" + printing(NEW), TOPS)
    go = beside.folder / "go"
    os.mkfifo(go)
    line = beside.line("change-submit", "--on-error=allow", "--user=ann", "--change=12")
    with held(beside, 0, AT_ONCE - 1), contextlib.ExitStack() as stack:
        first = Connection(line)
        stack.callback(first.kill)
        with go.open("w") as asked_by_first:
            second = Connection(line)
            stack.callback(second.kill)
            second.waiting_gate()
            asked_by_first.write("\n")
        assert first.answer().code == 1
        go.write_text("\n")
        assert second.answer().code == 1
    assert beside.counts()["faults"] == 0


@pytest.mark.parametrize("on_error", ["allow", "deny"])
def test_beyond_a_users_bound_a_submit_is_refused_whatever_on_error_says(
    beside: Home, on_error: str
) -> None:
    observed = PATHS | {"submits": True, "mode": "observe"}
    doubtful = observed | {"name": "far", "mode": "enforce", "for": {"servers": ["edge-*"]}}
    prepare(beside, printing(NEW), TOPS, observed, on_error=on_error)
    with held(beside, AT_ONCE, 1 << 60):
        code, text = submit(beside)
        [first, contact, last] = text.splitlines()
        assert (code, contact) == (1, "Questions: admins@example.com")
        assert first == (
            "The check of your change 12 was not made: 128 others of this user are waiting. "
            "Try again in a minute."
        )
        assert last.startswith("p4warden: rule=tops retry-after=60 id=")
        for rules in ([observed], [observed, doubtful]):
            beside.activate(policy(*rules, on_error=on_error))
            assert submit(beside) == GO_ON
    assert [record["verdict"] for record in beside.log()] == ["refuse", "observe", "unknown"]
    assert beside.counts()["faults"] == 0


def test_a_depot_without_a_turn_is_judged_by_the_last_refresh(beside: Home) -> None:
    prepare(beside, printing({"depots": {}}), DEPOTS, on_error="deny")
    with held(beside, AT_ONCE, 1 << 60):
        code, text = save(beside, "Depot: new\n", "--name=new", kind="depot")
    assert code == 1
    assert "this server already has 1 depot (as of the last p4warden refresh" in text
    trouble = "the server was not asked: 128 others of this user are waiting"
    assert beside.log()[-1]["trouble"] == trouble


def test_a_server_that_runs_too_many_commands_is_asked_again(beside: Home) -> None:
    full = """\
try: os.mkdir(sys.argv[-1] + "/asked")
except FileExistsError: pass
else: sys.exit(print(json.dumps({"error": "Request refused", "is_full": True})))
"""
    prepare(beside, full + printing(NEW), TOPS)
    assert submit(beside).code == 1
    assert beside.counts()["faults"] == 0


@pytest.mark.long
def test_without_a_turn_for_a_minute_a_submit_is_refused_whatever_on_error_says(
    beside: Home,
) -> None:
    prepare(beside, printing(NEW), TOPS)
    with held(beside, 0, AT_ONCE):
        code, text = submit(beside)
    assert code == 1
    assert "was not made: its turn did not come, or end, within 60 s. Try again" in text
    assert beside.counts()["faults"] == 0


@pytest.mark.long
@pytest.mark.parametrize("kind", ["submit", "depot"])
def test_as_many_at_once_as_one_processor_judges_in_ten_seconds_are_judged(
    beside: Home, kind: str
) -> None:
    answer = printing(NEW | {"depots": {"depot": "local"}})
    prepare(beside, f"while time.process_time() < 0.1: pass\n{answer}", TOPS, DEPOTS)
    count = {"submit": 90, "depot": 128}[kind]

    def run(number: int) -> int:
        if kind == "submit":
            return submit(beside, f"--change={number}").code
        form, name = f"Depot: new{number}\n", f"--name=new{number}"
        return save(beside, form, name, kind="depot").code

    with ThreadPoolExecutor(count, initializer=use_one_processor) as pool:
        assert list(pool.map(run, range(count))) == [1] * count
    assert beside.counts()["faults"] == 0
    assert not [record for record in beside.log() if "trouble" in record]


@pytest.mark.long
def test_waiting_for_a_processor_counts_towards_no_limit(beside: Home) -> None:
    prepare(beside, f"while time.process_time() < 1: pass\n{printing(NEW)}", TOPS)
    spin = [sys.executable, "-c", "while True: pass"]
    with ThreadPoolExecutor(1, initializer=use_one_processor) as pool:
        others = [pool.submit(subprocess.Popen, spin).result() for _ in range(7)]
        try:
            assert pool.submit(submit, beside).result().code == 1
        finally:
            for other in others:
                other.kill()
                other.wait()
    assert beside.counts()["faults"] == 0


@pytest.mark.long
def test_82_000_new_files_with_long_paths_are_judged(beside: Home) -> None:
    script = """\
files = [[f"//depot/main/{number:0811}", "add"] for number in range(82_000)]
files[-1][0] = "//depot/new/file"
directories = {"depot": {"names": ["main"], "all": True}}
print(json.dumps({"files": files, "listed": 82000, "judged": 82000, "directories": directories}))
"""
    prepare(beside, script, TOPS)
    code, text = submit(beside)
    assert (code, "//depot/new/..." in text) == (1, True)
