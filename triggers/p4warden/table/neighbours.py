from __future__ import annotations

import re
from typing import NamedTuple

from p4warden.table.triggers_table import entries, name_of

_NAME = re.compile(r"p4warden(?:-([A-Za-z0-9][A-Za-z0-9_-]{0,31}))?\.")
_HOME = re.compile(r"--home=(.*?)%quote%")


class Neighbour(NamedTuple):
    home: str
    instance: str = ""

    def __str__(self) -> str:
        instance_text = f"the instance {self.instance}" if self.instance else "no instance name"
        return f"{self.home} ({instance_text})"


def neighbours(form: str, home: str) -> tuple[Neighbour, ...]:
    """Return the other p4warden installations in a triggers table, in table order, once each."""
    installations = (_of_row(row) for row in entries(form))
    return tuple(dict.fromkeys(one for one in installations if one and one.home != home))


def _of_row(row: str) -> Neighbour | None:
    name, home = _NAME.match(name_of(row) or ""), _HOME.search(row)
    # The triggers table doubles the percent signs of a path.
    return Neighbour(home[1].replace("%%", "%"), name[1] or "") if name and home else None
