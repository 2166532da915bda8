"""Triggers tables as they were before p4warden wrote them, as files of the home folder.

A file is the text of `p4 triggers -o`, which `p4 triggers -i` takes as it is.
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
    """A table that was kept.

    Attributes:
        name: the file's name in the home folder.
        form: its text.
    """

    name: str
    form: str


def keep(home: str, form: str, time_ns: int) -> str:
    """Keep a table and drop the oldest ones beyond `KEPT`; return the file's name.

    Raises:
        HomeError: it cannot be written.
    """
    when = time.strftime(_STAMP, time.gmtime(time_ns // 10**9))
    name = f"{PREFIX}{when}.{time_ns % 10**9:09d}.txt"
    trusted_files.replace(home, name, form.encode())
    for old in names(home)[:-KEPT]:
        trusted_files.remove(home, old)
    return name


def names(home: str) -> list[str]:
    """Return the names of all that are kept, the oldest first."""
    return sorted(file.name for file in Path(home).glob(f"{PREFIX}*.txt"))


def kept_at(name: str) -> str:
    """Return when a table was kept, by its file's name: date and time as clocks here show them."""
    stamp = name.removeprefix(PREFIX).partition(".")[0]
    try:
        at_s = calendar.timegm(time.strptime(stamp, _STAMP))
    except ValueError:
        return "?"
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(at_s))


def load(home: str, name: str | None) -> Backup:
    """Return one that was kept: the last where no name is given.

    Raises:
        P4WardenError: there is none of that name, or it is not to be trusted.
    """
    kept = names(home)
    if not kept:
        raise P4WardenError(f"{home}: no triggers table was kept here")
    chosen = kept[-1] if name is None else name
    if chosen not in kept:
        raise P4WardenError(f"{chosen}: there is no such backup; there are: {', '.join(kept)}")
    return Backup(chosen, trusted_files.read(home, chosen).decode())
