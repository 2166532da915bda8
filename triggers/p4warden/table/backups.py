"""Backups of the triggers table in the home folder, taken before p4warden writes the table.

A backup file has the text of `p4 triggers -o`, which `p4 triggers -i` accepts unchanged.
"""

from __future__ import annotations

import calendar
import time
from pathlib import Path
from typing import NamedTuple

from p4warden.core.errors import P4WardenError
from p4warden.home import trusted_files

PREFIX = "triggers-"
KEPT = 30
_STAMP = "%Y%m%dT%H%M%S"


class Backup(NamedTuple):
    """A backup of the triggers table.

    Attributes:
        name: the name of the backup file in the home folder.
        form: the text of the triggers table, as `p4 triggers -o` prints it.
    """

    name: str
    form: str


def keep(home: str, form: str, time_ns: int) -> str:
    """Store a backup of the triggers table and delete the oldest ones beyond `KEPT`.

    Returns:
        The name of the backup file.

    Raises:
        HomeError: the file cannot be written.
    """
    when = time.strftime(_STAMP, time.gmtime(time_ns // 10**9))
    name = f"{PREFIX}{when}.{time_ns % 10**9:09d}.txt"
    trusted_files.replace(home, name, form.encode())
    for old in names(home)[:-KEPT]:
        trusted_files.remove(home, old)
    return name


def names(home: str) -> list[str]:
    """Return the file names of all backups of the triggers table, the oldest first."""
    return sorted(file.name for file in Path(home).glob(f"{PREFIX}*.txt"))


def kept_at(name: str) -> str:
    """Return the local date and time of a triggers table's backup, given its file name.

    `?` if the name contains no time.
    """
    stamp = name.removeprefix(PREFIX).partition(".")[0]
    try:
        at_s = calendar.timegm(time.strptime(stamp, _STAMP))
    except ValueError:
        return "?"
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(at_s))


def load(home: str, name: str | None) -> Backup:
    """Return a backup of the triggers table by its file name, or without a name the newest.

    Raises:
        P4WardenError: there is no such backup, or its file is not trusted.
    """
    backups = names(home)
    if not backups:
        raise P4WardenError(f"{home}: no triggers table was kept here")
    file_name = backups[-1] if name is None else name
    if file_name not in backups:
        raise P4WardenError(
            f"{file_name}: there is no such backup; there are: {', '.join(backups)}"
        )
    return Backup(file_name, trusted_files.read(home, file_name).decode())
