from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from p4warden.core.plural import amount
from p4warden.workbench.tune.finding import Finding, Unjudged, finding, shown
from p4warden.workbench.tune.known_settings import known
from p4warden.workbench.tune.values import number

if TYPE_CHECKING:
    from collections.abc import Iterator

    from p4warden.workbench.tune.finding import Commands
    from p4warden.workbench.tune.known_settings import Property
    from p4warden.workbench.tune.server_state import ServerState, StoredProperty
    from p4warden.workbench.tune.site import Site


def judge(state: ServerState, site: Site) -> Iterator[Finding | Unjudged]:
    """Judge the value for everyone, and each value for a user or group."""
    for one in known().properties:
        if state.properties is None:
            yield Unjudged(one.name, "a record of db.property cannot be read")
        for row in state.properties or ():
            if row.name == one.name:
                yield from _judged(one, row, site)


def _judged(one: Property, row: StoredProperty, site: Site) -> Iterator[Finding | Unjudged]:
    value = number(row.value)
    where = f" for {shown(row.scope)}" if row.scope else ""
    if value is None:
        yield Unjudged(one.name, f"{shown(row.value)}{where} is no number")
    elif value < one.least:
        use = f"The log has {amount(site.log.p4v_commands, 'command')} of P4V" if site.log else ""
        here = (one.advice.why, use)
        yield finding(one.name, f"{value}{where}", one.advice, here, _commands(one, row))


def _commands(one: Property, row: StoredProperty) -> Commands:
    kind, _, name = row.scope.partition(" ")
    if not f"{row.scope}{row.value}".isprintable() or kind not in ("", "user", "group"):
        return (), ()
    where = [*([f"-{kind[0]}", name] if kind else []), "-s", str(row.sequence)]
    set_it, undo = (
        shlex.join(["p4", "property", "-a", "-n", one.name, "-v", value, *where])
        for value in (one.value, row.value)
    )
    return (set_it,), (undo,)
