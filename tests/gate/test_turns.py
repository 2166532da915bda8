"""Tests of many submits and depot forms at once: each is judged in its turn, or refused."""

from __future__ import annotations

import fcntl
import json
import os
import struct
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from gate.forms import DEPOTS, TOPS, answer_by, save, submit
from gate.program import GateReply, policy
from support.home_files import facts_file

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gate.program import Home

GO_ON = GateReply(0, "")
AT_ONCE = 16
PATHS = {"name": "paths", "rule": "limit_path_length", "mode": "enforce", "max_leading": 90}
FACTS = {"case_sensitive": True, "depots": {"depot": {"type": "local", "directories": ["main"]}}}
WRONG = {
    "files": [["//depot/new/a", "add"]],
    "listed": 1,
    "judged": 1,
    "directories": {"depot": {"names": ["main"], "all": True}},
}


def prepare(home: Home, script: str, *rules: dict[str, object], on_error: str = "allow") -> None:
    answer_by(home, script)
    (home.folder / "facts.json").write_bytes(facts_file(FACTS))
    home.activate(policy(*rules, on_error=on_error))


@contextmanager
def held(home: Home, first: int, count: int) -> Iterator[None]:
    """Hold places as other triggers do."""
    with (home.folder / "turns").open("wb") as file:
        place = struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, first, count, 0)
        fcntl.fcntl(file, fcntl.F_OFD_SETLK, place)
        yield


def after(work: str, answer: object) -> str:
    return f"{work}\nprint({json.dumps(answer)!r})"


def at_once(home: Home, count: int) -> list[GateReply]:
    def run(number: int) -> GateReply:
        return submit(home, f"--user=user{number % 3}", f"--change={number}")

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(run, range(count)))


def use_one_processor() -> None:
    """Let this thread and what it starts run on one processor alone."""
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


COUNTS_ITSELF = f"""\
home = sys.argv[-1]
os.close(os.open(f"{{home}}/asks-{{os.getpid()}}", os.O_CREAT))
at_once = sum(name.startswith("asks-") for name in os.listdir(home))
if at_once > {AT_ONCE}: open(f"{{home}}/too-many", "w").close()
time.sleep(0.3)
os.remove(f"{{home}}/asks-{{os.getpid()}}")
"""


def test_only_so_many_ask_at_once_and_each_is_judged(beside: Home) -> None:
    prepare(beside, after(COUNTS_ITSELF, WRONG), TOPS)
    answers = at_once(beside, AT_ONCE + 8)
    assert [answer.code for answer in answers] == [1] * (AT_ONCE + 8)
    assert beside.counts()["faults"] == 0
    assert not (beside.folder / "too-many").exists()


@pytest.mark.parametrize("on_error", ["allow", "deny"])
def test_beyond_a_users_bound_a_submit_is_refused_whatever_on_error_says(
    beside: Home, on_error: str
) -> None:
    observed = PATHS | {"submits": True, "mode": "observe"}
    prepare(beside, after("", WRONG), TOPS, observed, on_error=on_error)
    with held(beside, AT_ONCE, 1 << 60):
        code, text = submit(beside)
        [first, contact, last] = text.splitlines()
        assert (code, contact) == (1, "Questions: admins@example.com")
        assert first == (
            "The check of your change 12 was not made: 128 others of this user are waiting. "
            "Try again in a minute."
        )
        assert last.startswith("p4warden: rule=tops retry-after=60 id=")
        beside.activate(policy(observed, on_error=on_error))
        assert submit(beside) == GO_ON
    refused, observed_record = beside.log()
    assert [refused["verdict"], observed_record["verdict"]] == ["refuse", "observe"]
    assert beside.counts()["faults"] == 0


def test_a_depot_without_a_turn_is_judged_by_the_last_refresh(beside: Home) -> None:
    prepare(beside, after("", {"depots": {}}), DEPOTS, on_error="deny")
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
    prepare(beside, after(full, WRONG), TOPS)
    assert submit(beside).code == 1
    assert beside.counts()["faults"] == 0


@pytest.mark.long
def test_without_a_turn_for_a_minute_a_submit_is_refused_whatever_on_error_says(
    beside: Home,
) -> None:
    prepare(beside, after("", WRONG), TOPS)
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
    work = "while time.process_time() < 0.1: pass"
    answer = WRONG | {"depots": {"depot": "local"}}
    prepare(beside, after(work, answer), TOPS, DEPOTS)
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
    prepare(beside, after("while time.process_time() < 1: pass", WRONG), TOPS)
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
