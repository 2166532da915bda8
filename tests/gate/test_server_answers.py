"""Tests of the gate with other programs in place of the one that asks the server."""

from __future__ import annotations

import json
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import cycle
from pathlib import Path
from typing import NamedTuple

import pytest

from gate.forms import DEPOTS, NEW, TOPS, prepare, printing, submit
from gate.forms import save as save_form
from gate.program import GO_ON, Home
from support.processes import wait_until_gone

FEW = {"name": "small", "rule": "limit_files", "mode": "enforce", "max": 2, "shelves": True}
FAILED = "the program that asks the server failed: "


class Row(NamedTuple):
    """A program, and a part of the logged fault (None for none)."""

    program: str
    fault: str | None


ROWS = {
    "names no new file": Row(printing({"files": [], "listed": 3, "judged": 3}), None),
    "names an existing directory": Row(
        printing(NEW | {"files": [["//depot/main/a", "add"]]}), None
    ),
    "says why not": Row(printing({"error": "no ticket"}), "no ticket"),
    "prints nothing": Row("", FAILED + "EOF while parsing"),
    "prints no JSON": Row("print('chatter')", FAILED + "expected value"),
    "prints no object": Row("print([1])", FAILED + "invalid"),
    "prints half of it": Row(f"print({json.dumps(NEW)[:-9]!r})", FAILED + "EOF while parsing"),
    "prints no UTF-8": Row("os.write(1, b'\\xff')", FAILED + "expected value"),
    "exit code 3": Row("print('text'); sys.exit(3)", FAILED + "exit code 3"),
    "a traceback": Row("1 / 0", FAILED + "exit code 1: ZeroDivisionError: division by zero"),
    "killed": Row("os.kill(0, signal.SIGKILL)", FAILED + "signal 9"),
    "a broken memory": Row("os.kill(os.getpid(), 11)", FAILED + "signal 11"),
    "floods": Row(
        "while True: os.write(1, b'x' * 65536)", FAILED + "it wrote over 268435456 bytes"
    ),
    "floods the other output": Row(
        "while True: os.write(2, b'x' * 9999)", FAILED + "it wrote over 65536 bytes"
    ),
}


@pytest.mark.parametrize(("row", "on_error"), [*zip(ROWS, cycle(["allow", "deny"]))])
def test_a_submit_is_judged_by_the_answer_and_a_failure_gets_the_declared_one(
    beside: Home, row: str, on_error: str
) -> None:
    program, fault = ROWS[row]
    prepare(beside, program, TOPS, DEPOTS, on_error=on_error)
    result = submit(beside)
    if fault is None:
        assert result == GO_ON
        assert beside.log() == []
        return
    assert (result == GO_ON) == (on_error == "allow")
    assert result == GO_ON or (result.code == 1 and "has failed" in result.text)
    [record] = beside.log()
    assert fault in record["fault"]
    assert record["verdict"] == {"allow": "allow", "deny": "refuse"}[on_error]
    assert (record["event"], record["change"], record["user"]) == ("change-submit", "12", "ann")
    assert beside.counts()["faults"] == 1


def test_a_new_directory_is_refused_also_if_files_were_left_out(beside: Home) -> None:
    for listed, trouble in (
        (1, None),
        (100_001, "of a submit with more files only the first 100,000 are judged"),
    ):
        answer = NEW | {"listed": listed, "judged": min(listed, 100_000)}
        prepare(beside, printing(answer), TOPS, DEPOTS)
        code, text = submit(beside, f"--user=user{listed}")
        assert code == 1
        assert "//depot/new/... " in text
        assert beside.log()[-1].get("trouble") == trouble


def test_a_submit_without_listed_files_is_not_judged(beside: Home) -> None:
    prepare(beside, printing({"files": [], "listed": 0}), TOPS, DEPOTS)
    assert submit(beside) == GO_ON
    [record] = beside.log()
    assert (record["verdict"], record["rule"]) == ("unknown", "tops")
    assert record["trouble"].startswith("change 12: the server names no file of it yet")


NO_ACCOUNT = (
    "no account to ask the server with; where one may be kept, p4warden refresh gives it one"
)


@pytest.mark.parametrize("on_error", ["allow", "deny"])
@pytest.mark.parametrize("event", ["change-submit", "shelve-submit", "form-save"])
def test_without_an_account_what_must_be_asked_is_unknown_and_no_program_starts(
    beside: Home, event: str, on_error: str
) -> None:
    script = "open(sys.argv[-1] + '/started', 'w')"
    prepare(beside, script, TOPS, DEPOTS, FEW, on_error=on_error)
    (beside.folder / "server.json").unlink()
    if event == "form-save":
        assert save_form(beside, "Depot: new\n", "--name=new", kind="depot") == GO_ON
    else:
        words = (f"--on-error={on_error}", "--user=ann", "--change=12")
        assert beside.run(event, *words) == GO_ON
    [record] = beside.log()
    assert (record["verdict"], record["trouble"]) == ("unknown", NO_ACCOUNT)
    assert beside.counts()["faults"] == 0
    assert not (beside.folder / "started").exists()


def test_a_depot_is_counted_by_the_last_refresh_if_the_server_is_silent(beside: Home) -> None:
    prepare(beside, printing({"error": "no ticket"}), TOPS, DEPOTS, on_error="deny")
    code, text = save_form(beside, "Depot: new\n", "--name=new", kind="depot")
    assert code == 1
    origin = "(as of the last p4warden refresh, because the server could not be reached)"
    assert f"this server already has 1 depot {origin}" in text
    assert beside.log()[-1]["trouble"] == "no ticket"


HANGING = [
    "time.sleep(600)",
    "signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65)); time.sleep(600)",
    "os.close(1); os.close(2); time.sleep(600)",
    "os.kill(os.getpid(), signal.SIGSTOP)",
    "while True: pass",
    "os.write(1, b'{'); time.sleep(600)",
]


@pytest.mark.long
def test_programs_that_hang_end_at_their_deadline(beside: Home) -> None:
    def hang(number: int) -> tuple[int, str]:
        folder = beside.folder.with_name(f"bin{number}")
        folder.mkdir()
        (folder / "python3").touch()
        (folder / "p4warden-gate").hardlink_to(beside.program)
        home = Home(beside.folder / str(number), folder / "p4warden-gate")
        prepare(home, HANGING[number], TOPS, DEPOTS, on_error="deny")
        code = submit(home).code
        [record] = home.log()
        return code, record["fault"]

    with ThreadPoolExecutor(len(HANGING)) as pool:
        answers = list(pool.map(hang, range(len(HANGING))))
    silent, busy = (
        "the server did not answer within 3.5 s",
        FAILED + "it took over 20 s of processor time",
    )
    assert answers == [(1, busy if "pass" in one else silent) for one in HANGING]


LEAVES_A_CHILD = """\
pid = os.path.join(sys.argv[-1], "pid")
if os.fork() == 0:
    open(pid + ".new", "w").write(str(os.getpid()))
    os.rename(pid + ".new", pid)
    time.sleep(600)
while not os.path.exists(pid): pass
print('{"files": [], "listed": 1, "judged": 1}')
"""


def test_child_processes_end_with_the_program_and_its_answer_counts(beside: Home) -> None:
    prepare(beside, LEAVES_A_CHILD, TOPS, DEPOTS)
    assert submit(beside) == GO_ON
    assert beside.log() == []
    assert wait_until_gone(int((beside.folder / "pid").read_text()))


def test_the_program_gets_its_home_a_request_and_an_environment_of_its_own(
    beside: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("P4PORT", "elsewhere:1666")
    told = (
        "told = [sys.argv[1:], json.load(sys.stdin), dict(os.environ)]\n"
        "told.append(os.getpid() == os.getpgrp())\n"
        "open(os.path.join(sys.argv[-1], 'told'), 'w').write(json.dumps(told))\n"
    )
    prepare(beside, told + printing({"files": [], "listed": 1, "judged": 1}), TOPS, DEPOTS)
    assert submit(beside) == GO_ON
    words, request, environment, leads_group = json.loads((beside.folder / "told").read_text())
    assert words == ["-I", "-m", "p4warden.server.answers", "--home", str(beside.folder)]
    assert request == {
        "wanted": ["directories", "files"],
        "change": "12",
        "large": [],
        "most_files": 100_000,
        "most_judged": 100_000,
        "most_bytes": 209_715_200,
        "shelves": False,
        "client": "",
    }
    assert environment.keys() <= {"PATH", "LC_CTYPE"}
    assert leads_group


def test_a_program_that_reads_no_request_is_no_obstacle(beside: Home) -> None:
    depots = {f"{n:04}" + "x" * 90: {"type": "local", "count": 30_000} for n in range(2000)}
    prepare(beside, printing({"files": [], "listed": 1, "judged": 1}), TOPS, DEPOTS)
    beside.know({"depots": depots})
    assert submit(beside) == GO_ON
    assert beside.log() == []


def missing(python: Path) -> None:
    python.unlink()


def not_executable(python: Path) -> None:
    python.unlink()
    python.write_text("#!/bin/sh\nexit 0\n")


def no_program(python: Path) -> None:
    python.unlink()
    python.write_text("\0\1\2")
    python.chmod(0o755)


def no_interpreter(python: Path) -> None:
    python.unlink()
    python.write_text("#!/nonexistent/python\n")
    python.chmod(0o755)


@pytest.mark.parametrize(
    ("spoil", "fault"),
    [
        (missing, "No such file"),
        (not_executable, "ermission denied"),
        (no_program, "xec format error"),
        (no_interpreter, "No such file"),
    ],
)
def test_an_unusable_python_beside_the_gate_is_a_fault_despite_a_python_in_path(
    beside: Home, spoil: object, fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert callable(spoil)
    prepare(beside, "", TOPS, DEPOTS, on_error="deny")
    spoil(beside.program_folder / "python3")
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=os.pathsep)
    answer = submit(beside)
    assert answer.code == 1
    assert "has failed" in answer.text
    [record] = beside.log()
    assert fault in record["fault"]


@pytest.mark.parametrize("event", ["change-submit", "shelve-submit"])
@pytest.mark.parametrize(
    ("listed", "code"), [(0, 0), (1, 0), (2, 0), (3, 1)], ids=["unknown", "one", "all", "more"]
)
def test_a_submit_and_a_shelve_are_counted_up_to_one_file_more_than_allowed(
    beside: Home, event: str, listed: int, code: int
) -> None:
    script = (
        "request = json.load(sys.stdin)\n"
        "assert request['wanted'] == ['count'] and request['most_files'] == 2, request\n"
        f"assert request['shelves'] is {event == 'shelve-submit'}, request\n"
    )
    prepare(beside, script + printing({"listed": listed}), FEW, on_error="deny")
    reply = beside.run(event, "--on-error=deny", "--user=ann", "--change=12")
    assert reply.code == code, reply.text
    records = beside.log()
    assert [record["verdict"] for record in records] == {0: ["unknown"], 3: ["refuse"]}.get(
        listed, []
    )
    if listed == 0:
        assert "is not judged" in records[0]["trouble"]
