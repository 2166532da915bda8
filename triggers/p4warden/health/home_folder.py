from __future__ import annotations

import os
import shlex
import shutil
import stat
from pathlib import Path
from typing import TYPE_CHECKING

from p4warden.asking import gate_program
from p4warden.core.printable import printable
from p4warden.health import BAD, GOOD, WARNING, Check
from p4warden.health.steps import step
from p4warden.history import local_time, trail
from p4warden.home import (
    decision_log,
    off_mark,
    program_file,
    trial_client,
    trusted_files,
    usable,
)
from p4warden.home.account import owner_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from p4warden.health import CheckedInstallation
    from p4warden.home.off_mark import OffMark

MIN_FREE_BYTES = 200 * 1024 * 1024
FULL_BYTES = 1024 * 1024
LARGE_LOG_BYTES = 1024**3


def checks(place: CheckedInstallation) -> Iterator[Check]:
    """Yield the results of checking p4warden's home folder and the files in it."""
    home = Path(place.home)
    try:
        has_none = is_missing(place.home)
    except OSError as error:
        line = f"{home} cannot be accessed: {error.strerror}"
        yield Check("home folder", BAD, line, "run this as p4d's account")
        return
    if has_none:
        remedy = "check --home; the first deployment creates the folder"
        yield Check("home folder", BAD, f"{home} does not exist", remedy)
        return
    rights = _rights(home)
    yield rights
    if rights.state == BAD:
        return  # in a home folder that others own or can write, no file is trusted
    yield _room(home)
    yield _log(home)
    yield from _switch(place)
    trial = trial_client.announced(place.home)
    if trial and trial.until_s < place.now_ns // 10**9:
        line = f"a test of the triggers was interrupted; its client {trial.client} may still exist"
        yield Check("trial", WARNING, line, f"p4warden deploy verify --home {home}")


def is_of_another_account(home: str) -> bool:
    """Tell whether a home folder exists and belongs neither to this account nor to root."""
    try:
        return owner_of(home).user_id not in (0, os.geteuid())
    except OSError:
        return False


def is_missing(home: str) -> bool:
    """Tell whether the path of the home folder is missing or not a folder.

    Raises:
        OSError: the folder cannot be looked at.
    """
    try:
        return not stat.S_ISDIR(Path(home).stat().st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return True


def _rights(home: Path) -> Check:
    status, name = home.stat(), owner_of(str(home)).name
    if is_of_another_account(str(home)):
        line = f"{home} belongs to {name}, so nothing else is checked"
        return Check("home folder", BAD, line, f"run this as {name}, p4d's account")
    needed = os.R_OK | os.X_OK | (0 if usable.is_read_only(str(home)) else os.W_OK)
    if not os.access(home, needed):
        line = f"{home} belongs to {name} and cannot be used by this account"
        return Check("home folder", BAD, line, f"run this as {name}")
    if status.st_mode & 0o022:
        return Check(
            "home folder", BAD, f"others have write access to {home}", f"chmod 700 {home}"
        )
    return Check("home folder", GOOD, f"{home}, mode {status.st_mode & 0o777:o}")


def _room(home: Path) -> Check:
    unwritable, remedy = usable.unwritable(str(home)), make_room(str(home))
    if usable.is_read_only(str(home)):
        line = f"{unwritable}: decisions are neither logged nor counted"
        return Check("disk", BAD, line, remedy)
    free_bytes = shutil.disk_usage(home).free
    line = f"{free_bytes // 1024**2} MiB free for {home}"
    if unwritable or free_bytes < FULL_BYTES:
        line += "; decisions that find no room are neither logged nor counted"
        return Check("disk", BAD, line, remedy)
    if free_bytes < MIN_FREE_BYTES:
        return Check("disk", WARNING, line, remedy)
    return Check("disk", GOOD, line)


def make_room(home: str) -> str:
    """Return the step after which a home on a full or read-only disk takes writes again."""
    if usable.is_read_only(home):
        mount = shlex.quote(program_file.mount_point(home))
        return step("as root, make it writable again", f"mount -o remount,rw {mount}")
    return step("free disk space; this names the file system", f"df -h {shlex.quote(home)}")


def _log(home: Path) -> Check:
    file = home / decision_log.FILE_NAME
    if not file.exists():
        return Check("decision log", GOOD, f"{file} does not exist yet: no decisions so far")
    if not decision_log.is_writable(str(home)) and not usable.is_read_only(str(home)):
        path = shlex.quote(str(file))
        remedy = step("move it away; the gate makes a new one", f"mv {path} {path}.aside")
        return Check("decision log", BAD, f"{file} cannot be written", remedy)
    size_bytes = decision_log.size_bytes(file)
    if size_bytes > LARGE_LOG_BYTES:
        remedy = (
            f"rotate it; p4warden units /etc --home {home} writes a configuration for logrotate"
        )
        return Check("decision log", WARNING, f"{file} has {size_bytes // 1024**2} MiB", remedy)
    return Check("decision log", GOOD, f"{file}, {size_bytes} bytes")


def _switch(place: CheckedInstallation) -> Iterator[Check]:
    """Yield a result about the file `off`, which switches triggers off; nothing without it."""
    mark = off_mark.read(place.home)
    if mark is None:
        return
    if not mark.is_empty:
        line = "uninstalled: triggers that older connections still run allow everything"
        rest = removal(place.home, "once doctor lists no account with old trigger lines")
        again = "or install p4warden again with p4warden deploy plan and apply"
        yield Check("switch", WARNING, line, f"{rest}\n{again}")
    elif mark.holds(place.now_ns):
        message = (
            f"switched off{_end(mark)}: every trigger allows everything{_last_change(place.home)}"
        )
        yield Check("switch", BAD, message, f"p4warden on --home {place.home}")
    else:
        end_text = local_time.time_text(mark.end_ns / 10**9)
        yield Check("switch", GOOD, f"on: the timed switch-off ended at {end_text}")


def removal(home: str, when: str) -> str:
    """Return the step that removes what connections opened earlier may still need."""
    folders = [folder for folder in (gate_program.prefix(), home) if folder]
    words = f"{when}, as root, and if no other server of this host uses them"
    return step(words, shlex.join(["rm", "-r", *folders]))


def _end(mark: OffMark) -> str:
    return f" until {local_time.time_text(mark.end_ns / 10**9)}" if mark.has_end else ""


def _last_change(home: str) -> str:
    try:
        changes = trail.changes(home)
    except trusted_files.HomeError:
        return ""
    last = next((change for change in reversed(changes) if change.action in ("off", "on")), None)
    if last is None or last.action == "on":
        return ""
    start_text = local_time.time_text(last.time_s)
    reason = f" ({printable(last.message)})" if last.message else ""
    return f", since {start_text}, by {printable(last.person.names())}{reason}"
