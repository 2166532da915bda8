"""The gate: the static program that p4d starts for a trigger, and what it offers offline.

It is installed beside this Python, from the same wheel. Where it was not built (no cargo), form
triggers start the worker themselves and command rules cannot be judged.
"""

from __future__ import annotations

import contextlib
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from p4warden import facts, home
from p4warden.errors import P4WardenError
from p4warden.policy import compiled

if TYPE_CHECKING:
    from collections.abc import Iterator

NAME = "p4warden-gate"
POLICY_FILE = "gate.policy"
LAUNCHER = str(Path(__file__).resolve().with_name("launch_worker.py"))


class GateError(P4WardenError):
    """The gate is not installed, or it refuses what it was given; the text says why."""


def find() -> str | None:
    """Return the gate's path, None where it is not installed."""
    path = Path(sys.executable).with_name(NAME)
    return str(path) if path.is_file() else None


def form_program() -> tuple[str, ...]:
    """Return the words that start a form trigger: the gate, or the worker itself without one."""
    gate = find()
    return (gate,) if gate else (sys.executable, "-I", "-S", LAUNCHER)


def compile_policy(gate: str, policy: str, known_facts: str | None) -> bytes:
    """Return the form of a policy that the gate reads fastest.

    Args:
        gate: the gate's path.
        policy: the path of a policy.json.
        known_facts: the path of a facts.json, or None.

    Raises:
        GateError: the gate cannot be started or refuses the policy.
    """
    options = ["--policy", policy, "--worker", LAUNCHER, *_facts(known_facts)]
    try:
        done = subprocess.run([gate, "compile", *options], capture_output=True, check=False)
    except OSError as error:
        raise GateError(f"{gate}: cannot be started: {error.strerror}") from error
    if done.returncode:
        raise GateError(done.stderr.decode("utf-8", "replace").strip() or f"{gate}: failed")
    return done.stdout


def publish(folder: str) -> None:
    """Write what the gate reads into a home folder, after its policy or its facts changed.

    Without a gate, or without a policy yet, there is nothing to write. Without facts names are
    told apart by case.

    Raises:
        P4WardenError: the gate refuses the policy, or the file cannot be written.
    """
    gate = find()
    policy, known = Path(folder, compiled.FILE_NAME), Path(folder, facts.FILE_NAME)
    if gate and policy.exists():
        content = compile_policy(gate, str(policy), str(known) if known.exists() else None)
        home.replace(folder, POLICY_FILE, content)


def _facts(path: str | None) -> list[str]:
    return ["--facts", path] if path else []


class Judge:
    """A gate that judges command events one at a time; rates carry over from one to the next."""

    def __init__(self, child: subprocess.Popen[bytes]) -> None:
        self._child = child

    def ask(self, line: bytes) -> bytes:
        """Return the verdict on an event, both one JSON line.

        Raises:
            GateError: the gate died.
        """
        if self._child.stdin is None or self._child.stdout is None:
            raise GateError("the gate's judge has no pipes")
        with contextlib.suppress(BrokenPipeError):
            self._child.stdin.write(line.rstrip(b"\n") + b"\n")
            self._child.stdin.flush()
        answer = self._child.stdout.readline()
        if not answer:
            raise GateError("the gate's judge ended before its answer")
        return answer


@contextlib.contextmanager
def judging(policy: str) -> Iterator[Judge]:
    """Yield a judge for a policy.json; its memory of rates ends with it.

    Raises:
        GateError: the gate is not installed, or cannot be started.
    """
    gate = find()
    if gate is None:
        raise GateError(f"{NAME} is not installed beside {sys.executable}; command rules need it")
    command = [gate, "judge", "--policy", policy]
    try:
        child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    except OSError as error:
        raise GateError(f"{gate}: cannot be started: {error.strerror}") from error
    with child:
        yield Judge(child)
