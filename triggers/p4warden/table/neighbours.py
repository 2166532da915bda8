"""Other p4warden installations on the same server, found by their lines in the triggers table."""

from __future__ import annotations

import re
from typing import NamedTuple

from p4warden.table.triggers_table import entries, name_of

_NAME = re.compile(r"p4warden(?:-([A-Za-z0-9][A-Za-z0-9_-]{0,31}))?\.")
_HOME = re.compile(r"--home=(.*?)%quote%")


class Neighbour(NamedTuple):
    """Another p4warden installation on the same Perforce server.

    Attributes:
        home: the path of that installation's home folder.
        instance: the name that distinguishes it from other installations; "" for none.
    """

    home: str
    instance: str = ""

    def __str__(self) -> str:
        """Return a p4warden installation's home and instance name, for messages."""
        instance_text = f"the instance {self.instance}" if self.instance else "no instance name"
        return f"{self.home} ({instance_text})"


def neighbours(form: str, home: str) -> tuple[Neighbour, ...]:
    """Return the other p4warden installations in a triggers table, in table order, once each.

    Args:
        form: the table, as `p4 triggers -o` prints it.
        home: the home folder of this installation, which is left out.

    Raises:
        TableError: the form has no `Triggers:` field.
    """
    installations = (_of_row(row) for row in entries(form))
    return tuple(dict.fromkeys(one for one in installations if one and one.home != home))


def _of_row(row: str) -> Neighbour | None:
    name, home = _NAME.match(name_of(row) or ""), _HOME.search(row)
    # The triggers table doubles the percent signs of a path.
    return Neighbour(home[1].replace("%%", "%"), name[1] or "") if name and home else None
