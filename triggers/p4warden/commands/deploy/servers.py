from __future__ import annotations

import os
import shlex
import time
from typing import TYPE_CHECKING, NamedTuple

import click

from p4warden import __version__
from p4warden.commands.options import together
from p4warden.core.columns import aligned
from p4warden.core.errors import P4WardenError
from p4warden.core.printable import printable
from p4warden.history import person
from p4warden.history.record import record
from p4warden.home import named_servers, own_program
from p4warden.home.named_servers import NamedServer
from p4warden.server import other_servers
from p4warden.table import instances
from p4warden.table.triggers_table import name_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    import P4

    from p4warden.server.other_servers import OtherServer, OtherServers
    from p4warden.table.merge import Plan


class Names(NamedTuple):
    ready: tuple[str, ...]
    excluded: tuple[str, ...]
    reason: str

    def words(self) -> list[str]:
        words = [word for name in self.ready for word in ("--ready-on", name)]
        words += [word for name in self.excluded for word in ("--exclude", name)]
        return [*words, "--reason", self.reason] if self.reason else words


names_options = together(
    click.option(
        "--ready-on",
        multiple=True,
        metavar="ID",
        help="Another server that runs this table, where p4warden is ready; repeatable.",
    ),
    click.option(
        "--exclude",
        multiple=True,
        metavar="ID",
        help="Another server, retired or unreachable, that need not be ready; repeatable.",
    ),
    click.option("--reason", default="", metavar="TEXT", help="Why servers are excluded."),
)


def apply_command(home: str, policy_file: str | None, names: Names) -> str:
    """Return the command line of a `deploy apply`."""
    policy = ["--policy", policy_file] if policy_file else []
    command = [*own_program.words(), "deploy", "apply"]
    words = [*command, *policy, "--home", home, *names.words()]
    return shlex.join(words)


def names_of(ready_on: tuple[str, ...], exclude: tuple[str, ...], reason: str) -> Names:
    """Return the servers that the command line names.

    Raises:
        click.UsageError: an exclusion has no reason, or a server is both ready and excluded.
    """
    if bool(exclude) != bool(reason.strip()):
        raise click.UsageError("--exclude ID and --reason TEXT belong together")
    if both := sorted({*ready_on} & {*exclude}):
        raise click.UsageError(f"{both[0]} is named by --ready-on and by --exclude; choose one")
    return Names(ready_on, exclude, reason.strip())


def read(p4: P4.P4, home: str, names: Names) -> OtherServers:
    """Return the other servers as they will be known once `names` are remembered.

    Raises:
        P4WardenError: there is no other server with a given ID, or the home's file is damaged.
    """
    others = other_servers.read(p4, home)
    known_ids = [server.server_id for server in others.servers]
    for server_id in (*names.ready, *names.excluded):
        if server_id not in known_ids:
            raise P4WardenError(
                f"no other server has the ID {printable(server_id)}; p4 servers lists: "
                f"{', '.join(map(printable, known_ids)) or 'none'}"
            )
    account = person.present_person(os.environ, p4.user).names()
    return others._replace(
        servers=tuple(_named(server, names, account) for server in others.servers)
    )


def remember(p4: P4.P4, home: str, names: Names, others: OtherServers) -> None:
    """Write the names given on the command line to the home folder and its history.

    Raises:
        P4WardenError: a file cannot be written.
    """
    if not names.ready and not names.excluded:
        return
    known = named_servers.load(home)
    for server in others.servers:
        if server.named and server.server_id in (*names.ready, *names.excluded):
            known[server.server_id] = server.named
    named_servers.keep(home, known)
    parts = [f"ready on {', '.join(names.ready)}"] if names.ready else []
    parts += [f"without {', '.join(names.excluded)}: {names.reason}"] if names.excluded else []
    record(home, "servers", p4user=p4.user, server=p4.port, note="; ".join(parts))


def has_own_lines(home: str, plan: Plan) -> bool:
    """Tell whether the planned table has lines of this installation."""
    return bool(instances.installed(home).owner.rows_in(plan.after))


def has_new_lines(home: str, plan: Plan) -> bool:
    """Tell whether the planned table has a line of ours that the present one lacks."""
    owner = instances.installed(home).owner
    after, before = (map(name_of, owner.rows_in(form)) for form in (plan.after, plan.before))
    return not {*after} <= {*before}


def refuse_unnamed(others: OtherServers, command: str, ready: str) -> None:
    """Check that each other server that runs the table is named.

    Raises:
        P4WardenError: some are not; the text lists all servers, and the options to add.
    """
    if others.unnamed:
        raise P4WardenError("\n".join([*lines(others), *_advice(others, command, ready)]))


def lines(others: OtherServers) -> Iterator[str]:
    """Yield lines about the other servers, for people."""
    if others.servers:
        yield "Other servers of this installation:"
    rows = [(one.server_id, one.services, one.address, one.words()) for one in others.servers]
    yield from (f"  {line}" for line in aligned([[*map(printable, row)] for row in rows]))
    if others.doubt:
        yield f"Note: {printable(others.doubt)}"


def warnings(others: OtherServers) -> Iterator[str]:
    """Yield lines about the unnamed servers, for a command that they do not hold up."""
    if others.unnamed:
        names = ", ".join(map(printable, others.unnamed))
        yield f"Warning: these servers run the same lines and are not named as ready: {names}"


def document(others: OtherServers) -> list[dict[str, str]]:
    """Return the other servers for `--json`."""
    return [
        {
            "id": server.server_id,
            "services": server.services,
            "address": server.address,
            "state": server.state,
            "words": server.words(),
        }
        for server in others.servers
    ]


def _advice(others: OtherServers, command: str, ready: str) -> Iterator[str]:
    yield (
        "Nothing was written: p4d on these servers refuses commands and forms if it cannot start "
        "the programs that the lines name. Make each ready (docs/servers.md), until p4warden "
        "status on its host shows"
    )
    yield f"  ready  {ready}"
    yield "Then name it:"
    yield f"  {command} {shlex.join(Names(tuple(others.unnamed), (), '').words())}"
    yield "For one that is retired or unreachable, replace --ready-on ID by:"
    yield f"  {shlex.join(Names((), (others.unnamed[0],), 'TEXT').words())}"


def _named(server: OtherServer, names: Names, account: str) -> OtherServer:
    is_ready = server.server_id in names.ready
    if not is_ready and server.server_id not in names.excluded:
        return server
    program, reason = (server.program, "") if is_ready else ("", names.reason)
    statement = NamedServer(
        server.server_id, program, reason, __version__, account, round(time.time(), 3)
    )
    return server._replace(named=statement)
