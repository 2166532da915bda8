"""The variables of a trigger line (`p4 help triggers`), as far as the sandbox supports them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from p4warden_sandbox import arguments
from p4warden_sandbox.settings import Pressure, ServerVersion, Settings

if TYPE_CHECKING:
    from p4warden_sandbox.wire import Message

_PRESSURE_SINCE = ServerVersion(2023, 1)
_IDENT_SINCE = ServerVersion(2022, 2)
_LIMITS = ("maxResults", "maxScanRows", "maxLockTime", "maxOpenFiles")


class ServerFacts(NamedTuple):
    """The identity of a server: the address clients use, root folder, id, release, services."""

    address: str
    root: str
    server_id: str
    version: ServerVersion
    services: str = "standard"

    @property
    def version_text(self) -> str:
        """The version as `p4 info` shows it, which names the sandbox."""
        return f"P4D/P4WARDEN-SANDBOX/{self.version}/0 ({self.version.year}/01/01)"


class CommandFacts(NamedTuple):
    """The data of one command.

    Attributes:
        request: the client's message.
        name: the command, such as `fstat`.
        peer_ip: the client's address.
        client_level: the client's protocol level.
        groups: the user's groups, as `%groups%` has them.
    """

    request: Message
    name: str
    peer_ip: str
    client_level: str
    groups: str


def variables(
    server: ServerFacts, command: CommandFacts, pressure: Pressure, settings: Settings
) -> dict[str, str]:
    """Return every variable of a command in this release of the server.

    A variable of a later release is missing, so its `%name%` stays in the command line unchanged.
    """
    return {
        **_of_server(server),
        **_of_client(command),
        **_of_arguments(command, settings),
        **_of_later_releases(server.version, command.request, pressure),
    }


def _of_server(server: ServerFacts) -> dict[str, str]:
    host, _, _ = server.address.partition(":")
    return {
        "serverid": server.server_id,
        "servername": server.server_id,
        "serverhost": host,
        "serverip": host,
        "serverport": server.address,
        "serverroot": server.root,
        "serverpid": str(os.getpid()),
        "serverservices": server.services,
        "serverVersion": server.version_text,
    }


def _of_client(command: CommandFacts) -> dict[str, str]:
    """Return the variables about user and client.

    `peerhost` is the address, as for a host without a name.
    """
    request = command.request
    return {
        "user": request.text("user"),
        "groups": command.groups,
        "client": request.text("client"),
        "clienthost": request.text("host"),
        "clientip": command.peer_ip,
        "peerip": command.peer_ip,
        "peerhost": command.peer_ip,
        "clientcwd": request.text("cwd"),
        "clientprog": request.text("prog"),
        # That a client without a version counts as `v` and its level is inferred from the `/v99`
        # of server logs.
        "clientversion": request.get("version") or f"v{command.client_level}",
        "language": request.get("language") or "unset",
    }


def _of_arguments(command: CommandFacts, settings: Settings) -> dict[str, str]:
    words = command.request.arguments
    return {
        "command": f"user-{command.name}",
        "args": arguments.joined(words, settings.variant("args")),
        "argsQuoted": arguments.quoted(words, settings.variant("args-quoted")),
        "argc": str(len(words)),
        **{name: command.request.get(name) or "0" for name in _LIMITS},
    }


def _of_later_releases(
    version: ServerVersion, request: Message, pressure: Pressure
) -> dict[str, str]:
    """Return the variables of 2022.2 and 2023.1; pressure only while it is measured (inferred)."""
    values: dict[str, str | None] = {}
    if version >= _IDENT_SINCE:
        values |= {
            "serverprocesspid": str(os.getpid()),
            "maxMemory": request.get("maxMemory") or "0",
        }
    if version >= _PRESSURE_SINCE:
        values |= {"pressureCPU": pressure.cpu, "pressureMem": pressure.mem}
    return {name: value for name, value in values.items() if value is not None}
