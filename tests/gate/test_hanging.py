"""Tests of a gate that waits for what does not come: its home, the time zone, a dictionary."""

from __future__ import annotations

import os
import subprocess
import time
from typing import TYPE_CHECKING, Any

import pytest

from gate.forms import NARROW, VIEWS
from gate.program import Home, policy, rate, rule
from support.kernel_answers import hanging, held, opened_in_home
from support.small_disks import mounted

if TYPE_CHECKING:
    from pathlib import Path

PATIENCE_S = 30
FAILED = "Your request was refused because p4warden, the program that checks requests"
WATCHDOG = "the watchdog: judging took 5 s"
NO_DICTIONARY = "the server did not write the whole dictionary of triggers.io=1 within 3.5 s"
WITHOUT_HOME: dict[str, Any] = {"close_fds": False}


class Waiting:
    """A gate that has been started; `more` are arguments of `Popen`."""

    def __init__(self, home: Home, event: str, *options: str, **more: Any) -> None:
        pipe = subprocess.PIPE
        words = home.line(event, *options)
        self._process: subprocess.Popen[Any] = subprocess.Popen(
            words, **{"stdin": subprocess.DEVNULL, "stdout": pipe, "stderr": pipe} | more
        )

    def reply(self) -> tuple[int, str]:
        with self._process as process:
            assert process.stdout is not None
            assert process.stderr is not None
            try:
                code = process.wait(PATIENCE_S)
            except subprocess.TimeoutExpired:
                process.kill()
                pytest.fail("the gate waits without end")
            assert process.stderr.read() == b""
            return code, process.stdout.read().decode()

    def write(self, text: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(text.encode())
        self._process.stdin.flush()

    def still_waits(self, time_s: float) -> bool:
        try:
            self._process.wait(time_s)
        except subprocess.TimeoutExpired:
            return True
        return False

    def end_input(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()


def test_a_home_that_does_not_answer_gets_the_declared_answer(gate_home: Home) -> None:
    gate_home.activate(policy(rule(rate("user")), VIEWS))
    form = gate_home.folder.with_name("form")
    form.write_text(NARROW)
    more = {"preexec_fn": hanging(opened_in_home()), **WITHOUT_HOME}
    started_s = time.monotonic()
    waiting = {
        (event, on_error): Waiting(gate_home, event, f"--on-error={on_error}", *words, **more)
        for event, words in {
            "command": ("--user=ann", "--command=user-fstat"),
            "form-save": ("--user=ann", "--type=client", f"--form={form}", "--name=ws"),
        }.items()
        for on_error in ("allow", "deny")
    }
    words = ("--on-error=deny", "--user=ann", "--command=user-admin")
    repair = Waiting(gate_home, "command", *words, **more)
    for (_, on_error), gate in waiting.items():
        code, text = gate.reply()
        assert (code, text[: len(FAILED)]) == ((1, FAILED) if on_error == "deny" else (0, ""))
    assert repair.reply() == (0, "")
    assert time.monotonic() - started_s > 4
    assert gate_home.log() == []


def test_a_network_where_no_signal_arrives_gets_the_declared_answer(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    # As a network, it has no device and knows of no immutable files.
    with mounted(tmp_path / "home", "mode=700", "ramfs"):
        home = Home(tmp_path / "home")
        home.activate(policy(rule(rate("user"))))
        log = home.folder / "decisions.jsonl"
        log.touch()
        words = ("--user=ann", "--command=user-fstat")
        with held(home.folder / "policy.json", log):
            gates = [
                Waiting(home, "command", f"--on-error={on_error}", *words)
                for on_error in ("allow", "deny")
            ]
            codes = [gate.reply()[0] for gate in gates]
    assert codes == [0, 1]


@pytest.mark.parametrize("on_error", ["allow", "deny"])
def test_a_time_zone_that_does_not_answer_is_logged(
    gate_home: Home, tmp_path: Path, on_error: str
) -> None:
    past = {"for": {"users": ["ann"]}, "until": "2020-01-01", "reason": "r", "owner": "o"}
    gate_home.activate(policy(rule(rate("user")), exemptions=[past], on_error=on_error))
    os.mkfifo(tmp_path / "zone")
    words = ("--on-error=allow", "--user=ann", "--command=user-fstat")
    environment = {"TZ": f":{tmp_path}/zone"}
    code, _ = Waiting(gate_home, "command", *words, env=environment).reply()
    [record] = gate_home.log()
    verdict = {"allow": "allow", "deny": "refuse"}[on_error]
    assert (code, record["verdict"]) == (int(on_error == "deny"), verdict)
    assert record["fault"] == WATCHDOG


def test_a_dictionary_that_does_not_come_whole_is_a_fault(gate_home: Home) -> None:
    scope = {"name": "narrow", "rule": "limit_command_scope", "mode": "enforce", "min_depth": 1}
    gate_home.activate(policy(scope | {"commands": ["files"]}, on_error="deny"))
    words = ("--on-error=deny", "--triggers-io=1", "--user=ann", "--command=user-files")
    gates = [
        Waiting(gate_home, "command", *words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        for _ in range(3)
    ]
    _, begun, late = gates
    begun.write("user:ann\nargs://depot/main/...\n")
    late.write("user:ann\n")
    assert late.still_waits(1)
    late.write("args://depot/...\n")
    late.end_input()
    answers = [gate.reply() for gate in gates]
    for code, text in answers[:2]:
        assert (code, text.startswith(f"action:fail\nmessage:{FAILED}")) == (0, True)
    assert "rule=narrow" in answers[2][1]
    faults = [record["fault"] for record in gate_home.log() if "fault" in record]
    assert set(faults) == {NO_DICTIONARY}
    assert gate_home.counts()["faults"] == 2
