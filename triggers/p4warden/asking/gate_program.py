"""The gate is the static program that p4d starts for each trigger, of the same version."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

from p4warden import __version__
from p4warden.core.errors import P4WardenError

NAME = "p4warden-gate"
START_S = 3
"""Seconds within which the gate ends if nothing is asked; p4d itself would wait for ever."""
_WITHIN_S = 20
_OWN_CODES = (1, 2)
_EFFECT = (
    "without it there are no verdicts, and p4d may refuse what the trigger lines judge; p4warden "
    "doctor says how to put it back, and p4warden deploy uninstall takes the lines out"
)


class GateError(P4WardenError):
    """Error: the gate program cannot be started or fails; the text gives the reason."""


class GateGoneError(GateError):
    """Error: the gate cannot be started, or does not end as it does; `reason` says why."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"{reason}; {_EFFECT}")
        self.reason = reason


def path() -> str:
    """Return the path of the gate program, whether it is there or not.

    If deploy/install.sh installed this version, and it is the current one, the path contains
    `current` instead of the version, because trigger lines outlive upgrades.
    """
    return str(_programs() / NAME)


def is_installed() -> bool:
    """Tell whether the gate is there; prove's single file runs on hosts without it."""
    return Path(path()).is_file()


def find() -> str:
    """Return the path of the gate program.

    Raises:
        GateGoneError: it is not installed, or did not end before.
    """
    if not is_installed():
        raise GateGoneError(f"{path()} is missing")
    if is_hanging(path()):
        raise _late(START_S)
    return path()


def find_answering() -> str:
    """As `find`, for a process without a time limit: the gate has ended at least once."""
    if _file(path()) not in _answered:
        refuse_gone()
    return find()


def is_hanging(program: str) -> bool:
    """Tell whether a program is the gate that did not end when this process started it."""
    return bool(_hanging) and _file(program) in _hanging


def _file(program: str) -> tuple[int, int, int] | None:
    try:
        status = Path(program).stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino, status.st_mtime_ns


def install_again() -> str:
    """Return what to do if a part of this version is missing, as a command if it was installed."""
    installed = prefix()
    return f"run {install_command(installed)}" if installed else "install p4warden again"


def prefix() -> str | None:
    """Return the folder into which deploy/install.sh installed p4warden; None if it did not."""
    version = Path(sys.executable).parents[1]
    return str(version.parents[1]) if version.parent.name == "versions" else None


def file_name() -> str:
    """Return the name of the one file from which this version is installed."""
    return f"p4warden-{__version__}.pyz"


def install_command(prefix: str) -> str:
    """Return the shell command that installs this version from its file, where the file is."""
    return shlex.join(["python3", file_name(), "install", "--prefix", prefix])


def _programs() -> Path:
    own = Path(sys.executable).parent
    version = own.parent
    current = version.parent.parent / "current" / own.name
    return current if version.parent.name == "versions" and _is_same(current, own) else own


def _is_same(one: Path, other: Path) -> bool:
    """False also if an account may not enter a folder, as p4d's, which root acts as."""
    try:
        return one.samefile(other)
    except OSError:
        return False


def answer(*words: str, text: bytes = b"") -> Any:
    """Return the JSON that a gate command prints, as `output` runs it."""
    return json.loads(output(*words, text=text))


_answered, _hanging = set[object](), set[object]()
"""Gates that ended, and that did not, in this process."""


def output(*words: str, text: bytes = b"", within_s: float = _WITHIN_S) -> bytes:
    """Run a gate command with a text as standard input, and return its standard output.

    Raises:
        GateGoneError: the gate cannot be started, or ends without a word of its own.
        GateError: the gate ends with an error; the text gives the reason.
    """
    gate = find()
    try:
        process = subprocess.run(
            [gate, *words], input=text, capture_output=True, check=False, timeout=within_s
        )
    except OSError as error:
        raise unstarted(error) from error
    except subprocess.TimeoutExpired as error:
        _hanging.add(_file(gate))
        raise _late(within_s) from error
    if process.returncode:
        raise _failure(process.returncode, process.stderr.decode("utf-8", "replace").strip())
    _answered.add(_file(gate))
    return process.stdout


def _late(within_s: float) -> GateGoneError:
    return GateGoneError(f"{path()} does not end within {within_s:.0f} s")


def unstarted(error: OSError) -> GateGoneError:
    """Return the error for a gate that the kernel does not start."""
    return GateGoneError(f"{path()} cannot be started ({error.strerror})")


def problem() -> str:
    """Return why the gate does not start; empty if it does."""
    try:
        refuse_gone()
    except GateGoneError as gone:
        return gone.reason
    return ""


def refuse_gone() -> None:
    """Raise `GateGoneError` if the gate does not start."""
    output("--version", within_s=START_S)


def _failure(code: int, problem: str) -> GateError:
    if code < 0:
        return GateGoneError(f"{path()} is ended by signal {-code} at once")
    if code in _OWN_CODES and problem:
        return GateError(problem)
    words = f": {problem.splitlines()[-1]}" if problem else ""
    return GateGoneError(f"{path()} ends with exit code {code} at once{words}")
