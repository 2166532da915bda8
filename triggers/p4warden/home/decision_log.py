from __future__ import annotations

import contextlib
import fcntl
import os
import re
import stat
from pathlib import Path
from typing import TYPE_CHECKING, Any

from p4warden.core.errors import os_errors_as
from p4warden.core.json_lines import object_in
from p4warden.home import locks
from p4warden.home.rotated_files import (
    LogFileError,
    MissingLogFileError,
    OpenLogFile,
    lines_of,
)
from p4warden.home.trusted_files import HomeError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

FILE_NAME = "decisions.jsonl"
MAX_STEP_BACK_S = 86_400
_LOOK_BYTES = 64 * 1024
_TIME = re.compile(rb'^\{"time": (\d{1,15}(?:\.\d+)?)[,}]', re.MULTILINE)
_MOST_ROTATIONS = 20
"""While the files are opened; then the log is read as far as it was found."""
# Names of decision logs as logrotate gives them: decisions.jsonl.1, decisions.jsonl-20270301, with
# or without .gz.
_ROTATED = re.compile(re.escape(FILE_NAME) + r"[.-][0-9][0-9.-]*(\.gz)?")


def append(home: str, record: str) -> None:
    """Append a record of the gate as it does: with one write, so that lines stay whole.

    A line that a full disk cut is ended first.

    Raises:
        HomeError: the log cannot be written.
    """
    path, line = str(Path(home, FILE_NAME)), f"{record}\n".encode()
    descriptor = locks.open_owned_file(home, path)
    try:
        with os_errors_as(HomeError, f"{path}: cannot be written"):
            end_bytes = os.lseek(descriptor, 0, os.SEEK_END)
            if end_bytes and os.pread(descriptor, 1, end_bytes - 1) != b"\n":
                line = b"\n" + line
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
        return size_bytes(self._path)


def size_bytes(log: Path) -> int:
    """Return the size of a log; 0 if it does not exist, as just after it was rotated."""
    try:
        return log.stat().st_size
    except FileNotFoundError:
        return 0


def is_writable(home: str) -> bool:
    """Tell whether the log is a regular file that this account can write, or does not exist."""
    path = Path(home, FILE_NAME)
    try:
        is_file = stat.S_ISREG(path.lstat().st_mode)
    except FileNotFoundError:
        return True
    return is_file and (os.access(path, os.W_OK) or not path.exists())


class WholeDecisionLog:
    """All lines of a home folder's decision logs, of rotated ones too, oldest first.

    Attributes:
        problems: one line for each file that could not be read to its end.
    """

    def __init__(self, home: str, since_s: float = 0) -> None:
        """Read all lines from a time on, and some before it."""
        self._home, self._since_s = home, since_s
        self.files = 0
        self.problems: list[str] = []

    def records(self) -> Iterator[dict[str, Any]]:
        return records(self.lines())

    def lines(self) -> Iterator[bytes]:
        with opened(self._home) as files:
            self.files = len(files)
            for file in files:
                yield from self._lines(file)

    def _lines(self, file: OpenLogFile) -> Iterator[bytes]:
        try:
            start_bytes = place_of(file, self._since_s)
            if start_bytes is not None:
                lines = file.lines(start_bytes)
                if start_bytes:
                    next(lines, None)  # the rest of a line
                yield from lines
        except LogFileError as error:
            self.problems.append(str(error))


def place_of(file: OpenLogFile, since_s: float) -> int | None:
    """Return a place before which no line is of that time or later; None if none in the file is.

    It is sought by halves, by the latest time of some lines at a place: single ones are about
    decisions that were counted before. It holds as well if the clock was set back, by up to a day.

    Raises:
        LogFileError: the file cannot be read.
    """
    early_s = since_s - MAX_STEP_BACK_S
    if file.is_packed and file.modified_s() < early_s:
        return None
    low, high = 0, file.plain_bytes()
    while high - low > _LOOK_BYTES:
        middle = (low + high) // 2
        times = _TIME.findall(file.part(middle, _LOOK_BYTES))
        if times and max(map(float, times)) < early_s:
            low = middle
        else:
            high = middle
    return low


@contextlib.contextmanager
def opened(home: str) -> Iterator[list[OpenLogFile]]:
    """Open a home's decision logs: rotated ones by first record's time, then the current.

    They are those of one moment, none twice and none missing, although logs are rotated meanwhile.
    """
    with contextlib.ExitStack() as stack:
        files: list[OpenLogFile] = []
        for _ in range(_MOST_ROTATIONS):
            stack.close()
            files.clear()
            before = _numbers(home)
            with contextlib.suppress(MissingLogFileError):
                for path in _paths(before):
                    file = OpenLogFile(path)
                    stack.callback(file.close)
                    files.append(file)
                if _numbers(home) == before:
                    break
        yield sorted(files, key=_order)


def newest(home: str, word: bytes) -> Iterator[dict[str, Any]]:
    """Yield the records with a word in the two newest logs; a damaged rest is skipped."""
    with opened(home) as files:
        for file in files[-2:]:
            with contextlib.suppress(LogFileError):
                yield from records(line for line in file.lines() if word in line)


def paths(home: str) -> list[Path]:
    """Return the present paths of a home's decision logs."""
    return _paths(_numbers(home))


def _numbers(home: str) -> dict[Path, int]:
    """Return the inode number of each decision log; one that goes away meanwhile is left out."""
    numbers = {}
    with contextlib.suppress(OSError):
        for path in Path(home).iterdir():
            if path.name == FILE_NAME or _ROTATED.fullmatch(path.name):
                with contextlib.suppress(FileNotFoundError):
                    numbers[path] = path.lstat().st_ino
    return numbers


def _paths(numbers: Mapping[Path, int]) -> list[Path]:
    # While logrotate compresses a log, both copies exist; the compressed one is then left out.
    return [
        path for path in numbers if path.suffix != ".gz" or path.with_suffix("") not in numbers
    ]


def _order(file: OpenLogFile) -> tuple[bool, float, str]:
    return file.path.name == FILE_NAME, _first_s(file), file.path.name


def _first_s(file: OpenLogFile) -> float:
    try:
        first = next(records(file.lines()), {})
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
