from __future__ import annotations

import fcntl
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from p4warden.core.errors import os_errors_as
from p4warden.core.json_lines import object_in
from p4warden.home import locks
from p4warden.home.rotated_files import LogFileError, lines_of
from p4warden.home.trusted_files import HomeError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

FILE_NAME = "decisions.jsonl"
# Names of decision logs as logrotate gives them: decisions.jsonl.1, decisions.jsonl-20270301, with
# or without .gz.
_ROTATED = re.compile(re.escape(FILE_NAME) + r"[.-][0-9][0-9.-]*(\.gz)?")


def append(home: str, record: str) -> None:
    """Append a record of the gate as it does: with one write, so that lines stay whole.

    Raises:
        HomeError: the log cannot be written.
    """
    path, line = str(Path(home, FILE_NAME)), f"{record}\n".encode()
    descriptor = locks.open_owned_file(home, path)
    try:
        with os_errors_as(HomeError, f"{path}: cannot be written"):
            fcntl.fcntl(descriptor, fcntl.F_SETFL, os.O_APPEND)
            written_bytes = os.write(descriptor, line)
    finally:
        os.close(descriptor)
    if written_bytes < len(line):
        raise HomeError(f"{path}: cannot be written: the disk is full")


class DecisionLogTail:
    def __init__(self, home: str) -> None:
        self._path = Path(home, FILE_NAME)
        self._start_bytes = self._size_bytes()

    def has(self, **fields: object) -> bool:
        size_bytes = self._size_bytes()
        # A decision log that is shorter than before was rotated: read it from the beginning.
        start_bytes = self._start_bytes if size_bytes >= self._start_bytes else 0
        new = records(lines_of(self._path, start_bytes)) if size_bytes else ()
        return any(fields.items() <= record.items() for record in new)

    def _size_bytes(self) -> int:
        return self._path.stat().st_size if self._path.exists() else 0


class WholeDecisionLog:
    """All decision records of a home folder, from rotated logs too, oldest first.

    Attributes:
        problems: one line for each file that could not be read to its end.
    """

    def __init__(self, home: str) -> None:
        self._paths = paths(home)
        self.files = len(self._paths)
        self.bad_lines = 0
        self.problems: list[str] = []

    def records(self) -> Iterator[dict[str, Any]]:
        for path in self._paths:
            for line in self._lines(path):
                line_records = list(records([line]))
                self.bad_lines += not line_records
                yield from line_records

    def _lines(self, path: Path) -> Iterator[bytes]:
        try:
            yield from lines_of(path)
        except LogFileError as error:
            self.problems.append(str(error))


def paths(home: str) -> list[Path]:
    """Return a home's decision logs: rotated ones by first record's time, then the current."""
    try:
        names = [path for path in Path(home).iterdir() if _ROTATED.fullmatch(path.name)]
    except OSError:
        return []
    current_path = Path(home, FILE_NAME)
    # While logrotate compresses a log, both copies exist; the compressed one is then left out.
    names = [path for path in names if path.suffix != ".gz" or path.with_suffix("") not in names]
    rotated_paths = sorted(names, key=lambda path: (_first_s(path), path.name))
    return [*rotated_paths, current_path] if current_path.exists() else rotated_paths


def _first_s(path: Path) -> float:
    try:
        first = next(records(lines_of(path)), {})
    except LogFileError:
        return 0.0
    time_s = first.get("time")
    # Limit the time: in a damaged decision record it may be an integer too large for a float.
    return float(max(0, min(time_s, 2**53))) if isinstance(time_s, int | float) else 0.0


def records(lines: Iterable[bytes]) -> Iterator[dict[str, Any]]:
    """Parse lines of the decision log; yield the records and skip other lines."""
    for line in lines:
        record = object_in(line)
        if record is not None:
            yield record
