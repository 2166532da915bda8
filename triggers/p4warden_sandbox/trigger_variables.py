# `p4 help triggers`. Variables that the sandbox does not support are missing.

from __future__ import annotations

import csv
import io
import os
import re
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote_from_bytes

from p4warden_sandbox.settings import Pressure, ServerVersion, Settings
from p4warden_sandbox.wire import to_bytes

if TYPE_CHECKING:
    from p4warden_sandbox.wire import Message

_PRESSURE_SINCE = ServerVersion(2023, 1)
_IDENT_SINCE = ServerVersion(2022, 2)
_LIMITS = ("maxResults", "maxScanRows", "maxLockTime", "maxOpenFiles")
_BLANK = re.compile(r"[ \t\n\v\f\r]")


class ServerFacts(NamedTuple):
    address: str
    root: str
    version: ServerVersion
    server_id: str = ""
    services: str = "standard"

    @property
    def version_text(self) -> str:
        return f"P4D/P4WARDEN-SANDBOX/{self.version}/0 ({self.version.year}/01/01)"


class CommandFacts(NamedTuple):
    request: Message
    name: str
    peer_ip: str
    client_level: str
    groups: str


def variables(
    server: ServerFacts, command: CommandFacts, pressure: Pressure, settings: Settings
) -> dict[str, str]:
    """Return values by name, without those of a form, a changelist or a trigger line."""
    return {
        **_server_variables(server),
        **_client_variables(command),
        **_argument_variables(command, settings),
        **_later_variables(server.version, command.request, pressure),
    }


def _server_variables(server: ServerFacts) -> dict[str, str]:
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


def _client_variables(command: CommandFacts) -> dict[str, str]:
    """`peerhost` is the client's IP address, as for a host without a name."""
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
        # A client that sends no version: inferred from `/v99` in server logs.
        "clientversion": request.get("version") or f"v{command.client_level}",
        "language": request.get("language") or "unset",
    }


def _argument_variables(command: CommandFacts, settings: Settings) -> dict[str, str]:
    words = command.request.arguments
    return {
        "command": f"user-{command.name}",
        "args": _joined(words, settings.variant("args")),
        "argsQuoted": quoted(words, settings.variant("args-quoted")),
        "argc": str(len(words)),
        **{name: command.request.get(name) or "0" for name in _LIMITS},
    }


def _joined(arguments: list[str], way: str) -> str:
    return " ".join(arguments if way == "plain" else [_in_quotes(a, way) for a in arguments])


def _in_quotes(argument: str, way: str) -> str:
    if way == "doubled":
        argument = argument.replace('"', '""')
    return f'"{argument}"' if not argument or _BLANK.search(argument) else argument


def quoted(arguments: list[str], way: str) -> str:
    """Return `%argsQuoted%`; `way` is a value of the variant `args-quoted`.

    With `comma`, only `%` and `,` are encoded, as trigger scripts decode only those two (release
    notes 2014.2 introduce the variable; that blanks are not encoded is inferred).
    """
    if way == "csv":
        text = io.StringIO()
        csv.writer(text, lineterminator="").writerow(arguments)
        return text.getvalue()
    if way == "percent":
        return ",".join(quote_from_bytes(to_bytes(a), safe="") for a in arguments)
    return ",".join(a.replace("%", "%25").replace(",", "%2C") for a in arguments)


def _later_variables(
    version: ServerVersion, request: Message, pressure: Pressure
) -> dict[str, str]:
    """2022.1 lacks these; pressure variables exist only if it is measured (inferred)."""
    values: dict[str, str | None] = {}
    if version >= _IDENT_SINCE:
        values |= {
            "serverprocesspid": str(os.getpid()),
            "maxMemory": request.get("maxMemory") or "0",
        }
    if version >= _PRESSURE_SINCE:
        values |= {"pressureCPU": pressure.cpu, "pressureMem": pressure.mem}
    return {name: value for name, value in values.items() if value is not None}
