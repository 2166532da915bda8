"""Commands that have several names.

`p4 help commands` gives them. Whether a server passes the name that was typed to a trigger, or the
main one, no source tells; so a rule that names all of them judges alike on either.
"""

from __future__ import annotations

from p4warden.core.light_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

NAMES = (
    ("change", "changelist"),
    ("changes", "changelists"),
    ("client", "workspace"),
    ("clients", "workspaces"),
    ("integrate", "integ"),
    ("move", "rename"),
    ("reconcile", "rec"),
    ("sync", "flush", "update"),
)


def doubts(rule: Mapping[str, Any]) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Yield the other names of a rule's commands that it leaves out: the place, and what to do."""
    commands = rule.get("commands")
    if not isinstance(commands, list):
        return
    for names in NAMES:
        named = [name for name in names if name in commands]
        missing = [name for name in names if name not in commands]
        if named and missing:
            what = (
                f"{named[0]} is also called {' and '.join(missing)}, and a server may pass either "
                f"name (add {', '.join(missing)})"
            )
            yield ("commands", commands.index(named[0])), what
