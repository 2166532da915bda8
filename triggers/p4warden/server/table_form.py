from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from p4warden.asking import gate_program
from p4warden.core.errors import P4WardenError
from p4warden.core.releases import of_version
from p4warden.server.connection import connect_anew
from p4warden.server.questions import ask, form, setting
from p4warden.table.instances import Neighbour, name_of, neighbours
from p4warden.table.merge import Plan, TablePosition, merge
from p4warden.table.services import receive_the_table
from p4warden.table.trigger_lines import Installation, lines_for
from p4warden.table.triggers_table import TableError, entries

if TYPE_CHECKING:
    import P4

    from p4warden.core.releases import Release
    from p4warden.policy.compiled import Policy


class Server(NamedTuple):
    """`port` is as in P4PORT; the others are None if the server hides them.

    `root` is the server's root folder.
    """

    port: str
    version: str | None
    release: Release | None
    root: str | None


def receives_the_table(p4: P4.P4) -> bool:
    """Tell whether the server has its triggers table from another."""
    return receive_the_table(ask(p4, "info")[0].get("serverServices", ""))


def server_of(p4: P4.P4) -> Server:
    """Return a server as `p4 info` describes it."""
    info = ask(p4, "info")[0]
    version = info.get("serverVersion")
    releases = of_version(version or "")
    release = releases.first if releases else None
    return Server(p4.port, version, release, info.get("serverRoot"))


def spec_depot_revision(p4: P4.P4) -> str | None:
    """Return the newest revision of the triggers table in a spec depot, `//spec/...#3`, or None.

    A spec depot stores a revision of every saved form as `//DEPOT/TYPE/NAME` with the depot's
    suffix (`p4 help depot`); which name the table has, which has none, is not documented. Files
    with a former suffix stay, so the newest file counts.
    """
    depots = [row["name"] for row in ask(p4, "depots", "-t", "spec")]
    rows = [row for name in depots for row in ask(p4, "files", "-e", f"//{name}/triggers...")]
    newest = max(rows, key=lambda row: int(row["time"]), default=None)
    return f"{newest['depotFile']}#{newest['rev']}" if newest else None


def read_form(p4: P4.P4) -> str:
    """Return the form of `p4 triggers -o`; what triggers printed is no part of it.

    Raises: P4WardenError: the table has bytes that are not UTF-8. P4Python writes only text, so
    the table could not be written back unchanged.
    """
    text = form(p4, "triggers")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        line = text.count("\n", 0, error.start) + 1
        raise P4WardenError(
            f"line {line} of p4 triggers -o has bytes that are not UTF-8 and could not be "
            "written back unchanged; rewrite that line in ASCII first"
        ) from error
    return text


def refuse_changed(p4: P4.P4, plan: Plan) -> None:
    """Raise P4WardenError if the table is not the one that the plan is for."""
    if read_form(p4) != plan.before:
        raise P4WardenError(
            "the triggers table was changed meanwhile; nothing was done, try again"
        )


def write_form(p4: P4.P4, text: str) -> None:
    """Write the triggers table, and check that the server has stored it.

    A connection keeps the table that it first saw (P4Python's own test of the table reconnects for
    that reason, p4test.py), so the connection is opened again; from then on it fires the new
    triggers.

    Raises: P4WardenError: the server's table differs from the one written.
    """
    p4.input = text
    ask(p4, "triggers", "-i")
    connect_anew(p4)
    if entries(read_form(p4)) != entries(text):
        raise P4WardenError(
            "the triggers table differs from the one that was written; someone else may have "
            "changed it at the same moment. Check p4 triggers -o, then run p4warden deploy plan "
            "again"
        )


def installation(p4: P4.P4, home: str) -> Installation:
    """Return this host's installation, with `triggers_io` from the server."""
    triggers_io = setting(p4, "triggers.io") == "1"
    return Installation(gate_program.path(), home, triggers_io, name_of(home))


def plan_for(
    p4: P4.P4, policy: Policy, installation: Installation, place: TablePosition | None = None
) -> Plan:
    """Plan a policy's lines; P4WardenError for names in use, or a place not in the table."""
    text = read_form(p4)
    lines = lines_for(policy, installation)
    try:
        plan = merge(text, lines, installation.owner, place)
    except TableError as error:
        raise P4WardenError(str(error)) from error
    if any(line.name in plan.strangers for line in lines):
        own_installation = Neighbour(installation.home, installation.instance)
        raise P4WardenError(_conflict(own_installation, neighbours(text, installation.home)))
    return plan


def _conflict(own_installation: Neighbour, others: tuple[Neighbour, ...]) -> str:
    other = next((one for one in others if one.instance == own_installation.instance), others[0])
    return (
        "another p4warden installation has lines with these names in the triggers table: "
        f"{other}; this one is {own_installation}. To use that one, specify --home {other.home}; "
        "to use both, give this one a name: p4warden deploy plan "
        f"--home {own_installation.home} --instance NAME; if that "
        f"one no longer exists, remove its lines: p4warden deploy uninstall --home {other.home}"
    )
