"""Properties, and replicas that need the programs of triggers."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from p4warden.core.plural import amount, listed
from p4warden.workbench.tune.finding import Finding, Unjudged, finding, shown
from p4warden.workbench.tune.known_settings import known
from p4warden.workbench.tune.values import number

if TYPE_CHECKING:
    from collections.abc import Iterator

    from p4warden.workbench.tune.finding import Commands, Site
    from p4warden.workbench.tune.known_settings import Property
    from p4warden.workbench.tune.server_state import ServerState, StoredProperty


def judge_properties(state: ServerState, site: Site) -> Iterator[Finding | Unjudged]:
    """Judge the value for everyone, and each value for a user or group."""
    for one in known().properties:
        if state.properties is None:
            yield Unjudged(one.name, "a record of db.property cannot be read")
            continue
        stored = [row for row in state.properties if row.name == one.name]
        if not any(not row.scope for row in stored):
            yield _property(one, None, f"not set; the default is {one.default}", site)
        for row in stored:
            value = number(row.value)
            where = f" for {shown(row.scope)}" if row.scope else ""
            if value is None:
                yield Unjudged(one.name, f"{shown(row.value)}{where} is no number")
            elif value < one.least:
                yield _property(one, row, f"{value}{where}", site)


def _property(one: Property, row: StoredProperty | None, present: str, site: Site) -> Finding:
    use = f"The log has {amount(site.log.p4v_commands, 'command')} of P4V" if site.log else ""
    commands = _commands(one, row)
    return finding(one.name, present, one.advice, (one.advice.why, use), commands)


def _commands(one: Property, row: StoredProperty | None) -> Commands:
    where: list[str] = []
    if row is not None:
        kind, _, name = row.scope.partition(" ")
        if not f"{row.scope}{row.value}".isprintable() or kind not in ("", "user", "group"):
            return (), ()
        where = [f"-{kind[0]}", name] if kind else []
        where += ["-s", str(row.sequence)]
    add = ["p4", "property", "-a", "-n", one.name]
    undo = ["p4", "property", "-d", "-n", one.name]
    if row is not None:
        undo = [*add, "-v", row.value, *where]
    return (shlex.join([*add, "-v", one.value, *where]),), (shlex.join(undo),)


def judge_replicas(state: ServerState) -> Iterator[Finding | Unjudged]:
    """Name the other servers on which the programs of trigger lines must exist."""
    if state.replicas is None or state.trigger_count is None:
        table = "db.server" if state.replicas is None else "db.trigger"
        yield Unjudged("programs of triggers", f"a record of {table} cannot be read")
    elif state.replicas and state.trigger_count:
        yield Finding(
            "programs of triggers",
            f"{amount(state.trigger_count, 'trigger')} with a program of the host",
            "each server that runs triggers has every program under the same path "
            "(P4 Server Administrator Guide)",
            "the triggers table replicates, files do not: "
            f"{listed([*map(shown, state.replicas)])} also run triggers",
            "p4d refuses a command whose trigger's program is missing",
        )
