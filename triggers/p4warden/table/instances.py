from __future__ import annotations

import re
from typing import NamedTuple

from p4warden.asking import gate_program
from p4warden.core.errors import P4WardenError
from p4warden.home import trusted_files
from p4warden.table import triggers_table
from p4warden.table.trigger_lines import Installation

FILE_NAME = "instance"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,31}")
_LINE_NAME = re.compile(r"p4warden(?:-([A-Za-z0-9][A-Za-z0-9_-]{0,31}))?\.")
_HOME = re.compile(r"--home=(.*?)%quote%")


def name_of(home: str) -> str:
    """Return the instance name of a p4warden installation from its home folder; "" for none.

    Raises:
        P4WardenError: the file with the name is not trusted, or the name is not valid.
    """
    name = trusted_files.read_if_there(home, FILE_NAME)
    return "" if name is None else _checked(name.decode("ascii", "replace").strip())


def installed(home: str) -> Installation:
    """Return the installation on this host; raise P4WardenError as `name_of` does."""
    return Installation(gate_program.path(), home, instance=name_of(home))


def give(home: str, name: str) -> None:
    """Store the instance name of a p4warden installation in its home folder.

    Raises:
        P4WardenError: the installation has another name, or the name cannot be part of a trigger's
            name.
    """
    present_name = name_of(home)
    if present_name not in ("", name):
        raise P4WardenError(
            f"{home} is already named {present_name}; remove its lines with p4warden deploy "
            f"uninstall --home {home}, then remove {home}/{FILE_NAME}"
        )
    trusted_files.replace(home, FILE_NAME, f"{_checked(name)}\n".encode())


def _checked(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise P4WardenError(f"{name!r}: a name has letters, digits, _ and -, 32 at most")
    return name


class Neighbour(NamedTuple):
    home: str
    instance: str = ""

    def __str__(self) -> str:
        instance_text = f"the instance {self.instance}" if self.instance else "no instance name"
        return f"{self.home} ({instance_text})"


def neighbours(form: str, home: str) -> tuple[Neighbour, ...]:
    """Return the other p4warden installations in a triggers table, in table order, once each."""
    installations = (_neighbour_in(row) for row in triggers_table.entries(form))
    return tuple(dict.fromkeys(one for one in installations if one and one.home != home))


def _neighbour_in(row: str) -> Neighbour | None:
    name, home = _LINE_NAME.match(triggers_table.name_of(row) or ""), _HOME.search(row)
    # The triggers table doubles the percent signs of a path.
    return Neighbour(home[1].replace("%%", "%"), name[1] or "") if name and home else None
