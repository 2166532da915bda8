from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from p4warden.core.time_spans import LATEST_S
from p4warden.home import json_file

if TYPE_CHECKING:
    from collections.abc import Mapping

FILE_NAME = "servers.json"


class NamedServer(NamedTuple):
    """A server of the installation that is ready to run p4warden's lines, or excluded.

    Attributes:
        program: the paths and the form of the lines that it is ready for; "" if it is excluded.
        reason: the reason for its exclusion; "" if it is ready.
    """

    server_id: str
    program: str
    reason: str
    version: str
    account: str
    time_s: float


def load(home: str) -> dict[str, NamedServer]:
    """Return the named servers of a home folder, by ID.

    Raises:
        HomeError: the file is damaged or not trusted.
    """
    damaged = " is damaged; remove it, then name the other servers again"
    return json_file.load(home, FILE_NAME, _servers, damaged) or {}


def keep(home: str, servers: Mapping[str, NamedServer]) -> None:
    """Write the named servers to the home folder."""
    json_file.keep(home, FILE_NAME, [server._asdict() for server in servers.values()])


def _servers(document: Any) -> dict[str, NamedServer]:
    servers = [NamedServer(**fields) for fields in document]
    if not all(map(_is_sound, servers)):
        raise ValueError(document)
    return {server.server_id: server for server in servers}


def _is_sound(server: NamedServer) -> bool:
    *texts, time_s = server
    has_time = isinstance(time_s, int | float) and not isinstance(time_s, bool)
    return all(isinstance(text, str) for text in texts) and has_time and 0 <= time_s <= LATEST_S
