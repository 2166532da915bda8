from __future__ import annotations

import contextlib
import subprocess
import tempfile
from typing import TYPE_CHECKING

from p4warden.asking import gate_program

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import IO


class GateJudge:
    """A gate process that judges command events one at a time; rates carry over between events."""

    def __init__(self, child: subprocess.Popen[bytes], errors: IO[bytes]) -> None:
        self._child, self._errors = child, errors

    def ask(self, line: bytes) -> bytes:
        """Return the gate's verdict on a command event; both are JSON on one line.

        Raises:
            GateError: the gate process died.
        """
        if self._child.stdin is None or self._child.stdout is None:
            raise gate_program.GateError("the gate's judge has no pipes")
        with contextlib.suppress(BrokenPipeError):
            self._child.stdin.write(line.rstrip(b"\n") + b"\n")
            self._child.stdin.flush()
        answer = self._child.stdout.readline()
        if not answer:
            raise gate_program.GateError(self._reason())
        return answer

    def _reason(self) -> str:
        if self._child.stdin is not None:
            with contextlib.suppress(BrokenPipeError):
                self._child.stdin.close()
        self._child.wait()
        self._errors.seek(0)
        lines = self._errors.read().decode(errors="replace").splitlines()
        reason = lines[-1] if lines else "the gate's judge ended before its answer"
        return reason.removeprefix(f"{gate_program.NAME}: ")


@contextlib.contextmanager
def judging(policy: str, index: str | None = None, *, texts: bool = False) -> Iterator[GateJudge]:
    """Yield a gate process that judges by a policy.json; its rates end with the context.

    Raises:
        GateError: the gate is not installed, or cannot be started.
    """
    program = gate_program.find()
    command = [program, "judge", "--policy", policy, *(["--texts"] if texts else [])]
    command += [f"--index={index}"] if index is not None else []
    with tempfile.TemporaryFile() as errors:
        try:
            child = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                # The gate's standard error goes to a file, which is read only if the process ends
                # before it has judged an event.
                stderr=errors,
            )
        except OSError as error:
            problem = f"{program}: cannot be started: {error.strerror}"
            raise gate_program.GateError(problem) from error
        with child:
            yield GateJudge(child, errors)
