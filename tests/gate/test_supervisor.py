"""Tests of the gate's supervision of workers that crash, hang or misbehave.

`tests/server` tests the same through a server; the tests in this file check details that clients
do not see, such as leftover processes, the chosen Python, and the received arguments.
"""

from __future__ import annotations

import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import pytest

from gate.program import GateReply, Home, policy
from gate.workers import put, save
from support.processes import wait_until_gone

GO_ON = GateReply(0, "")
REFUSAL = "client ws is refused.\nDo this instead.\np4warden: rule=x\n"


class Row(NamedTuple):
    """Test case: a worker script, and the gate's logged fault (None for none) and reply."""

    worker: str
    fault: str | None
    answer: GateReply = GO_ON


ROWS = {
    "goes on": Row("", None),
    "goes on and chatters": Row("print('chatter'); sys.stderr.write('more')", None),
    "chatters without end of line": Row("os.write(1, b'x' * 3000)", None),
    "refuses": Row(f"print({REFUSAL!r}, end=''); sys.exit(1)", None, GateReply(1, REFUSAL)),
    "refuses beyond ASCII": Row(
        "os.write(1, 'nein: \u20ac\\n'.encode()); sys.exit(1)",
        None,
        GateReply(1, "nein: \u20ac\n"),
    ),
    "refuses without a text": Row("sys.exit(1)", "the worker refused without a text"),
    "refuses with blanks": Row("print(' '); sys.exit(1)", "the worker refused without a text"),
    "exit code 2": Row("print('text'); sys.exit(2)", "the worker ended with exit code 2"),
    "exit code 255": Row("os._exit(255)", "the worker ended with exit code 255"),
    "a traceback": Row("1 / 0", "refused without a text: ZeroDivisionError: division by zero"),
    "a syntax error": Row("def (", "SyntaxError: invalid syntax"),
    "killed": Row("os.kill(0, signal.SIGKILL)", "the worker was ended by signal 9"),
    "terminated": Row("os.kill(os.getpid(), 15)", "the worker was ended by signal 15"),
    "aborts": Row("os.abort()", "the worker was ended by signal 6"),
    "floods": Row("while True: os.write(1, b'x' * 9999)", "the worker wrote over 65536 bytes"),
    "floods the other output": Row(
        "while True: os.write(2, b'x' * 9999)", "the worker wrote over 65536 bytes"
    ),
    "no UTF-8": Row("os.write(1, b'\\xff'); sys.exit(1)", "the worker's refusal is not UTF-8"),
}


@pytest.mark.parametrize("on_error", ["allow", "deny"])
@pytest.mark.parametrize("row", ROWS)
def test_a_worker_result_gives_the_expected_answer_and_fault(
    beside: Home, row: str, on_error: str
) -> None:
    worker, fault, answer = ROWS[row]
    put(beside, worker, on_error=on_error)
    result = save(beside)
    if fault is None:
        assert result == answer
        assert beside.log() == []
        return
    assert (result == GO_ON) == (on_error == "allow")
    assert result == GO_ON or (result.code == 1 and "has failed" in result.text)
    [record] = beside.log()
    assert fault in record["fault"]
    assert record["verdict"] == {"allow": "allow", "deny": "refuse"}[on_error]
    assert (record["event"], record["type"], record["user"]) == ("form-save", "client", "ann")
    assert beside.counts()["faults"] == 1


HANGING = [
    "time.sleep(600)",
    "signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65)); time.sleep(600)",
    "os.close(1); os.close(2); time.sleep(600)",
    "os.kill(os.getpid(), signal.SIGSTOP)",
    "while True: pass",
    "os.write(1, b'text'); time.sleep(600)",
]


def test_workers_that_hang_end_at_their_deadline(beside: Home) -> None:
    def hang(number: int) -> tuple[int, str]:
        home = Home(beside.folder / str(number), Path(beside.program))
        put(home, HANGING[number], on_error="deny")
        code = save(home).code
        [record] = home.log()
        return code, record["fault"]

    with ThreadPoolExecutor(len(HANGING)) as pool:
        answers = list(pool.map(hang, range(len(HANGING))))
    assert answers == [(1, "the worker took over 5 s")] * len(HANGING)


LEAVES_A_CHILD = """\
pid = os.path.join(os.path.dirname(__file__), "pid")
if os.fork() == 0:
    open(pid + ".new", "w").write(str(os.getpid()))
    os.rename(pid + ".new", pid)
    time.sleep(600)
while not os.path.exists(pid): pass
"""


def test_child_processes_of_a_worker_end_with_the_worker(beside: Home) -> None:
    put(beside, LEAVES_A_CHILD)
    assert save(beside) == GO_ON
    assert wait_until_gone(int((beside.folder / "pid").read_text()))


def test_a_refusal_of_over_2048_bytes_is_cut(beside: Home) -> None:
    put(beside, "print('\u20ac' * 3000); sys.exit(1)")
    code, text = save(beside)
    assert code == 1
    assert set(text) == {"\u20ac", "\n"}
    assert 2000 < len(text.encode()) <= 2049


def test_triggers_io_1_gives_refusals_and_faults_as_a_dictionary(beside: Home) -> None:
    arguments = "print(sys.argv); sys.exit(1)"
    put(beside, arguments)
    code, text = save(beside, "--triggers-io=1", input="user:ann\n")
    assert code == 0
    assert text.startswith("action:fail\nmessage:[")
    put(beside, "1 / 0", on_error="deny")
    code, text = save(beside, "--triggers-io=1", input="user:ann\n")
    assert code == 0
    assert text.startswith("action:fail\nmessage:Your request was refused because p4warden")


def test_a_worker_receives_the_arguments_of_the_gate_and_runs_isolated(beside: Home) -> None:
    put(beside, "print(sys.argv[1:], sys.flags.isolated, sys.flags.no_site); sys.exit(1)")
    words = beside.line("form-save", "--user=a\u00fc", "--client=", "--name=a b")[1:]
    code, text = beside.run_words(*words, "stray")
    assert code == 1
    assert text == f"{[*words, 'stray']} 1 1\n"


def test_a_worker_has_empty_input_and_its_own_process_group(beside: Home) -> None:
    put(beside, "print(sys.stdin.read() == '', os.getpid() == os.getpgrp()); sys.exit(1)")
    assert save(beside) == GateReply(1, "True True\n")


@pytest.mark.parametrize(
    "event", ["form-in", "form-out", "form-save", "form-commit", "form-delete", "change-submit"]
)
def test_every_event_reaches_the_worker(beside: Home, event: str) -> None:
    put(beside, "print(sys.argv[1]); sys.exit(1)")
    assert beside.run(event, "--on-error=allow") == GateReply(1, f"{event}\n")


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
    put(beside, "print('the wrong one'); sys.exit(1)", on_error="deny")
    spoil(Path(beside.program).with_name("python3"))
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=os.pathsep)
    answer = save(beside)
    assert answer.code == 1
    assert "has failed" in answer.text
    [record] = beside.log()
    assert fault in record["fault"]


def test_a_relative_worker_path_starts_at_the_folder_of_the_gate(beside: Home) -> None:
    put(beside, "print('the worker'); sys.exit(1)")
    beside.activate(policy(), f"../{beside.folder.name}/worker.py")
    assert save(beside) == GateReply(1, "the worker\n")


def test_a_policy_without_a_worker_is_a_fault(beside: Home) -> None:
    beside.activate(policy(on_error="deny"))
    assert save(beside).code == 1
    assert "policy.json: it cannot be read: it names no worker" in beside.log()[0]["fault"]
