from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, NamedTuple

from p4warden.core.errors import P4WardenError, os_errors_as
from p4warden.core.json_lines import object_in
from p4warden.core.printable import cut
from p4warden.core.time_spans import LATEST_S
from p4warden.home import synced_log
from p4warden.home.rotated_files import lines_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

FILE_NAME = "pulse.jsonl"

CONNECT = "connect"
"""Command of a measurement for which the server could not be reached."""


class Measurement(NamedTuple):
    time_s: float  # of its start, since the epoch
    server: str
    command: str
    lapse_ns: int | None  # by a monotonic clock; None for a failure
    error: str | None = None  # None if the command succeeded


class Load(NamedTuple):
    time_s: float  # since the epoch
    server: str
    running: int  # commands that were not idle, without the one that counted them


def append(path: Path, beats: Iterable[Measurement | Load]) -> None:
    """Append measurements to a log; a new file is readable for this account only.

    Raises:
        P4WardenError: the log cannot be written; it is then unchanged.
    """
    lines = "".join(f"{json.dumps(_record(beat))}\n" for beat in beats)
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    with os_errors_as(P4WardenError, f"{path}: cannot be written"):
        descriptor = os.open(path, flags, 0o600)
        try:
            synced_log.write_whole(descriptor, lines.encode())
        finally:
            os.close(descriptor)


def read(path: Path) -> Iterator[Measurement | Load | None]:
    """Yield the measurements and loads in a log, None for a line that is neither.

    Raises:
        LogFileError: the log cannot be read.
    """
    for line in lines_of(path):
        record = object_in(line)
        yield None if record is None else _beat(record)


def _record(beat: Measurement | Load) -> dict[str, Any]:
    head: dict[str, Any] = {"time": round(beat.time_s, 3), "server": beat.server}
    if isinstance(beat, Load):
        return {**head, "running": beat.running}
    head["command"] = beat.command
    if beat.lapse_ns is None:
        return {**head, "error": cut(beat.error or "")}
    return {**head, "lapse_s": beat.lapse_ns / 10**9}


def _beat(record: dict[str, Any]) -> Measurement | Load | None:
    time_s, lapse_s = _number(record.get("time")), _number(record.get("lapse_s"))
    server, command, error = (record.get(name) for name in ("server", "command", "error"))
    if time_s is None or not isinstance(server, str):
        return None
    running = record.get("running")
    if _number(running) is not None and isinstance(running, int):
        return Load(time_s, cut(server), running)
    if not isinstance(command, str):
        return None
    if isinstance(error, str):
        return Measurement(time_s, cut(server), cut(command), None, cut(error))
    if lapse_s is None:
        return None
    return Measurement(time_s, cut(server), cut(command), round(lapse_s * 10**9))


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if 0 <= value <= LATEST_S else None
