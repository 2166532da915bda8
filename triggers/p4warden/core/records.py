from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

VERDICTS = ("allow", "observe", "unknown", "delay", "refuse")
"""From the mildest to the most severe."""


class Depot(NamedTuple):
    type: str  # `local`, `stream`, `spec`, ...
    directories: tuple[str, ...] | None  # top ones; None if unknown or too many to store
    directory_count: int  # 0 if unknown
    stream_depth: int | None = None  # levels below the depot that name a stream; None if unknown
    streams: tuple[str, ...] | None = None  # as `//depot/main`, mainlines first; None if unknown


class Facts(NamedTuple):
    case_sensitive: bool = True
    depots: Mapping[str, Depot] = {}
    depots_as_of: str = ""  # words after `as of` about an outdated list; empty for a current one
    server_id: str | None = None
    unicode: bool = False  # also if unknown
    release: str | None = None  # such as `2026.1`; None if unknown
    limit_view: bool = False  # whether client forms have the field LimitView; also if unknown
