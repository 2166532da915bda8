"""Costly habits of known programs, with cause and remedy, from their data files.

`tests/support/write_offenders.py` writes the copy of the gate, `known_offenders.tsv`. Decision
records and replays name an offender by its key.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from p4warden.programs.known_programs import data_files


class Offender(NamedTuple):
    """A costly habit of a program.

    Attributes:
        key: the program's key and the name of the habit, as in `unity/status-and-incoming`.
        prog: the beginning of the program's name, as p4d passes it.
        command: the main name of the command.
        form: words that the form of the command's arguments has.
        cause, remedy: sentences for the user and the administrator.
    """

    key: str
    prog: str
    command: str
    form: tuple[str, ...]
    cause: str
    remedy: str


@cache
def offenders() -> dict[str, Offender]:
    """Return the known offenders by key."""
    found = {}
    for program, content in data_files():
        for row in content.get("offenders", ()):
            key = f"{program}/{row['name']}"
            texts = row["cause"], row["remedy"]
            found[key] = Offender(key, content["prog"], row["command"], tuple(row["form"]), *texts)
    return found
