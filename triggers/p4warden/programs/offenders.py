"""Costly habits of known programs, with cause and remedy, from their data files.

`tests/support/write_offenders.py` writes the copy of the gate, `known_offenders.tsv`. Decision
records and replays name an offender by its key.
"""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, NamedTuple

from p4warden.core import shipped_yaml

if TYPE_CHECKING:
    from collections.abc import Iterator


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
    return {one.key: one for one in _read()}


def _read() -> Iterator[Offender]:
    folder = resources.files("p4warden.programs").joinpath("known")
    for file in sorted(folder.iterdir(), key=lambda one: one.name):
        if not file.name.endswith(".yaml"):
            continue
        content = shipped_yaml.load(file.read_text("utf-8"))
        for row in content.get("offenders", ()):
            key = f"{file.name.removesuffix('.yaml')}/{row['name']}"
            texts = row["cause"], row["remedy"]
            yield Offender(key, content["prog"], row["command"], tuple(row["form"]), *texts)
