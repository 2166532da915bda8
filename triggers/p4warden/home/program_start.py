from __future__ import annotations

import errno
import os
import shlex
import subprocess
import threading
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from p4warden.asking.gate_program import START_S, is_hanging
from p4warden.core.trigger_options import words_of
from p4warden.home import program_file

if TYPE_CHECKING:
    from collections.abc import Sequence

    from p4warden.home.account import Account

_END_S = 20
_NO_HOME = "/dev/null/p4warden"
"""A home that cannot exist: the program finds no policy, gives the answer of `on_error`, and
leaves no trace."""


_REFUSES = "p4d refuses {events}"
_BY_RELEASE = "p4d allows or refuses {events}, depending on its release"
_WAITS = "p4d waits for it, without a time limit, at {events}"
# p4d starts triggers by execvp, which takes what is no program for a script of sh.
_RUNS_SH = "p4d runs it as a shell script and allows {events} unjudged unless that fails"


class FailedStart(NamedTuple):
    """Why a program cannot be started.

    Attributes:
        remedy: a shell command against it if one is known.
        answer: what p4d does with `{events}` therefore.
    """

    problem: str
    remedy: str | None = None
    answer: str = _REFUSES

    def effect(self, events: str) -> str:
        """Return what p4d does with these events, those of trigger lines with this program."""
        return self.answer.format(events=events)


def try_start(program: Sequence[str], event: str, account: Account) -> FailedStart | None:
    """Start a trigger's program as p4d's account; return why that fails, None if it works.

    A file system that does not answer ends the wait after `START_S`, too.
    """
    if is_hanging(program[0]):
        return _late(program[0])
    results: list[FailedStart | None] = []
    thread = threading.Thread(
        target=lambda: results.append(_run(program, event, account)), daemon=True
    )
    thread.start()
    thread.join(START_S + 1)
    return results[0] if results else _late(program[0])


def ended(*command: str, within_s: float = _END_S) -> subprocess.CompletedProcess[bytes] | None:
    """Run a program to its end; None if it does not start, or not end in time."""
    try:
        return subprocess.run(command, capture_output=True, timeout=within_s, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None


def enter_command(folder: str, account: Account) -> str:
    """Return a shell command after which an account may enter a folder."""
    is_own = Path(folder).stat().st_uid == account.user_id
    return f"chmod {'u' if is_own else 'a'}+x {shlex.quote(folder)}"


def _run(program: Sequence[str], event: str, account: Account) -> FailedStart | None:
    words = words_of(event, {"home": _NO_HOME, "on-error": "allow", "triggers-io": "0"})
    try:
        process = subprocess.run(
            [*program, *words],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=START_S,
            check=False,
            cwd="/",
            env={"PATH": "/usr/bin:/bin"},
            **account.options(),
        )
    except subprocess.TimeoutExpired:
        return _late(program[0])
    except OSError as error:
        return _unstarted(program[0], error, account)
    if process.returncode == 0 and not process.stdout:
        return None
    answer = _BY_RELEASE if process.returncode < 0 else _REFUSES
    return FailedStart(f"{program[0]} {_end(process)}", answer=answer)


def _late(path: str) -> FailedStart:
    return FailedStart(f"{path} does not end within {START_S} s", answer=_WAITS)


def _end(process: subprocess.CompletedProcess[bytes]) -> str:
    if process.returncode < 0:
        return f"is ended by signal {-process.returncode} at once"
    lines = process.stdout.decode("utf-8", "replace").strip().splitlines()
    output = f": {lines[-1]}" if lines else ""
    return f"ends with exit code {process.returncode} at once{output}"


def _unstarted(path: str, error: OSError, account: Account) -> FailedStart:
    if error.errno == errno.EACCES:
        return _forbidden(path, account)
    if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP):
        return FailedStart(program_file.missing_part(path))
    if error.errno == errno.ENOEXEC:
        answer = _RUNS_SH if program_file.machine(path) is None else _REFUSES
        return FailedStart(f"{path} {program_file.foreign_kind(path)}", answer=answer)
    return FailedStart(f"{path}: {error.strerror}")


def _forbidden(path: str, account: Account) -> FailedStart:
    folder = program_file.closed_folder(path, account)
    if folder is not None:
        return FailedStart(
            f"{account.name} may not enter {folder}", enter_command(folder, account)
        )
    mount = program_file.noexec_mount(path)
    if mount is not None:
        remedy = f"mount -o remount,exec {shlex.quote(mount)}"
        return FailedStart(f"{path} is on {mount}, which is mounted noexec", remedy)
    if Path(path).is_dir():
        return FailedStart(f"{path} is a folder")
    if not os.access(path, os.X_OK) or not account.may_enter(Path(path).stat()):
        remedy = f"chmod 755 {shlex.quote(path)}"
        return FailedStart(f"{account.name} may not execute {path}", remedy)
    return FailedStart(f"{path}: {os.strerror(errno.EACCES)}")
