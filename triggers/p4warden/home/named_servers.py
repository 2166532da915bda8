from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

from p4warden.core.errors import P4WardenError
from p4warden.core.time_spans import LATEST_S
from p4warden.home import trusted_files

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
        P4WardenError: the file is damaged or not trusted.
    """
    text = trusted_files.read_if_there(home, FILE_NAME)
    if text is None:
        return {}
    servers = _parse(text)
    if servers is None:
        raise P4WardenError(
            f"{home}/{FILE_NAME} is damaged; remove it, then name the other servers again"
        )
    return {server.server_id: server for server in servers}


def keep(home: str, servers: Mapping[str, NamedServer]) -> None:
    """Write the named servers to the home folder."""
    document = [server._asdict() for server in servers.values()]
    trusted_files.replace(home, FILE_NAME, json.dumps(document, indent=1).encode())


def _parse(text: bytes) -> list[NamedServer] | None:
    try:
        servers = [NamedServer(**fields) for fields in json.loads(text)]
    except (ValueError, TypeError, RecursionError):
        return None
    return servers if all(map(_is_sound, servers)) else None


def _is_sound(server: NamedServer) -> bool:
    *texts, time_s = server
    has_time = isinstance(time_s, int | float) and not isinstance(time_s, bool)
    return all(isinstance(text, str) for text in texts) and has_time and 0 <= time_s <= LATEST_S
