from __future__ import annotations

import contextlib
import os
import sqlite3
import subprocess
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from p4warden.core.plural import amount
from p4warden.home import trusted_files
from p4warden.workbench.logs import merged_commands
from p4warden.workbench.logs.database_reports import open_database
from p4warden.workbench.logs.reader import PROGRAM, LogError, started

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

EARLIEST = "name command argument table_use archive trigger_run error event log".split()
"""Tables that every log database has, even one built by an earlier release."""

TABLES = [*EARLIEST, *"server log_file log_kind not_understood proxy".split()]
"""In the order in which `p4warden-log load` expects their root pages."""

PAGE_BYTES = 16_384


def load(
    logs: Sequence[str],
    path: str,
    progress: Callable[[int, int], None],
    servers: Sequence[str] = (),
    zones: Sequence[str] = (),
) -> list[str]:
    """Build a log database, which replaces the file at its path once it is complete.

    Args:
        logs: paths, in any order; `-` is the standard input.
        path: of the database.
        progress: is called with the number of bytes read and their total.
        servers: `NAME`, of all `logs`, or `NAME=FILE`, of a further log.
        zones: `ZONE`, of text logs, or `NAME=ZONE`, of one server's.

    Returns:
        The problems that prevented reading a log, or reading it to its end.

    Raises:
        LogError: the database cannot be built; a file at the path is then unchanged.
    """
    if not _may_go(Path(path)):
        raise LogError(
            f"{path}: exists, but is not a database of logs; specify another --database"
        )
    fresh = trusted_files.beside(path, "new")
    try:
        os.close(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600))
        options = [f"--server={one}" for one in servers] + [f"--zone={one}" for one in zones]
        problems = _fill(fresh, _empty(fresh), [*options, "--", *logs], progress)
        _join(fresh)
        os.replace(fresh, path)
    except (OSError, sqlite3.Error) as error:
        raise LogError(f"{path}: {getattr(error, 'strerror', None) or error}") from error
    finally:
        trusted_files.forget(fresh)
    return problems


def summary(path: str) -> str:
    """Return a line with the number of commands, time span and lines not understood."""
    with contextlib.closing(sqlite3.connect(path)) as database:
        [(commands, first, last)] = database.execute(
            "SELECT count(*), datetime(min(start), 'unixepoch', 'localtime'),"
            " datetime(max(ifnull(end, start)), 'unixepoch', 'localtime') FROM command"
        )
        [(unknown, lines)] = database.execute("SELECT unknown, lines FROM log")
        [(duplicates,)] = database.execute("SELECT count(*) FROM in_both_logs")
    span = f" from {first} to {last}" if first else ""
    number = amount(commands, "command")
    duplicates_text = (
        f"; {duplicates:,} of them are in both a text and a structured log" if duplicates else ""
    )
    return (
        f"{number}{span}{duplicates_text}; {unknown:,} of {amount(lines, 'line')} not understood"
    )


def not_understood(path: str) -> list[str]:
    """Return a line with the number of lines not understood, and the first three, printable."""
    with contextlib.closing(sqlite3.connect(path)) as database:
        [(unknown, lines)] = database.execute("SELECT unknown, lines FROM log")
        rows = list(
            database.execute(
                "SELECT path, line, not_understood.text FROM not_understood"
                " JOIN log_file ON log_file.id = file ORDER BY file, line LIMIT 3"
            )
        )
    if not unknown:
        return []
    lines_text = f"{unknown:,} of {amount(lines, 'line')} not understood, the first of them:"
    return [lines_text, *(f"{file}:{line}: {_printable(text)}" for file, line, text in rows)]


def _printable(text: str) -> str:
    return "".join(c if c.isprintable() else "?" for c in text)


def _may_go(old: Path) -> bool:
    """It is missing, empty, or a log database."""
    if not os.path.lexists(old) or (old.is_file() and old.stat().st_size == 0):
        return True
    query = "SELECT name FROM sqlite_master WHERE type = 'table'"
    try:
        with open_database(str(old)) as database:
            return {*EARLIEST} <= {name for (name,) in database.execute(query)}
    except LogError:
        return False


def _empty(path: str) -> list[int]:
    """Return the root page numbers."""
    schema = resources.files("p4warden.workbench.logs").joinpath("schema.sql")
    with contextlib.closing(sqlite3.connect(path)) as database:
        database.execute(f"PRAGMA page_size = {PAGE_BYTES}")
        database.executescript(schema.read_text("utf-8"))
        roots = dict(database.execute("SELECT name, rootpage FROM sqlite_master"))
    return [roots[table] for table in TABLES]


def _fill(
    path: str, roots: list[int], words: Sequence[str], progress: Callable[[int, int], None]
) -> list[str]:
    pages = ",".join(map(str, roots))
    command = [PROGRAM.path(), "load", "--progress", f"--database={path}", f"--roots={pages}"]
    with started([*command, *words], stderr=subprocess.PIPE) as child:
        problems = PROGRAM.problems(child.stderr or (), progress)
    if child.returncode not in (0, 1) or (child.returncode and not _is_filled(path)):
        raise LogError("\n".join(problems) or f"{PROGRAM.name} ended with {child.returncode}")
    return problems


def _join(path: str) -> None:
    """A forwarded command is linked to its origin by the table `forwarded`."""
    with contextlib.closing(sqlite3.connect(path)) as database:
        merged_commands.join(database)
        if database.execute("SELECT count(*) FROM server").fetchone()[0] > 1:
            query = resources.files("p4warden.workbench.logs").joinpath("forwarded.sql")
            database.executescript(query.read_text("utf-8"))


def _is_filled(path: str) -> bool:
    with contextlib.closing(sqlite3.connect(path)) as database:
        return bool(database.execute("SELECT count(*) FROM log").fetchone()[0])
