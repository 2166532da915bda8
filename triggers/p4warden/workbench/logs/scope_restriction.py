"""Restrict a log database, for one connection, to the part of the log that a report covers.

Temporary views with the names of tables hide these, so that the SQL of a report needs no changes.
The views `any_command` and `any_use` also have commands outside of the part that ran at the same
time, because a command may have waited for one of them. The table `class` has the first matching
`UserClass` of each user.
"""

from __future__ import annotations

import bisect
from importlib import resources
from typing import TYPE_CHECKING

from p4warden.core.patterns import any_matches
from p4warden.workbench.logs.reader import LogError

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator

    from p4warden.workbench.logs.scope import Scope, UserClass

_TABLES = """
CREATE TEMP TABLE wanted (option TEXT, id INTEGER, PRIMARY KEY (option, id)) WITHOUT ROWID;
CREATE TEMP TABLE chosen (id INTEGER PRIMARY KEY);
CREATE TEMP TABLE bound (name TEXT PRIMARY KEY, value REAL);
"""
_CHOOSE = """
INSERT INTO chosen SELECT id FROM main.command
WHERE (:from_s IS NULL OR ifnull(end, start) >= :from_s) AND (:to_s IS NULL OR start < :to_s)
AND (NOT :user OR user IN (SELECT id FROM wanted WHERE option = 'user'))
AND (NOT :command OR command IN (SELECT id FROM wanted WHERE option = 'command'))
AND (NOT :program OR prog IN (SELECT id FROM wanted WHERE option = 'program'))
AND (NOT :server OR server IN (SELECT id FROM wanted WHERE option = 'server'))
AND (NOT :pid OR pid IN (SELECT id FROM wanted WHERE option = 'pid'))
"""
_SPAN = """
SELECT min(id), max(id) + 1, min(start) - 1, max(ifnull(end, start)) + 1 FROM main.command
WHERE id IN (SELECT id FROM chosen)
"""
_MEANWHILE = """
SELECT min(id), max(id) + 1 FROM main.command
WHERE start <= :till_s AND ifnull(end, start) >= :since_s
"""
_WITH_TABLE = """
DELETE FROM chosen WHERE id NOT IN (
    SELECT command FROM table_use WHERE name IN (SELECT id FROM wanted WHERE option = 'table'))
"""
_ALL = """
CREATE TEMP VIEW any_command AS SELECT * FROM main.command;
CREATE TEMP VIEW any_use AS SELECT * FROM main.table_use;
"""
_FAR_S = 1e18
_LOCK_ENDS = ("(R)", "(W)")


def narrow(database: sqlite3.Connection, scope: Scope, classes: tuple[UserClass, ...]) -> None:
    """Raise `LogError` if the patterns in one field of `scope` match no name in the log."""
    database.execute("PRAGMA temp_store = MEMORY")
    _classify(database, classes)
    if not any(scope[2:]) and scope.from_s is None and scope.to_s is None:
        database.executescript(_ALL)
        return
    database.executescript(_TABLES)
    _want(database, scope)
    _choose(database, scope)
    _bound(database, scope)
    views = resources.files("p4warden.workbench.logs").joinpath("restricted.sql")
    database.executescript(views.read_text("utf-8"))
    if scope.tables:
        database.execute(_WITH_TABLE)
    own_views = "SELECT sql FROM main.sqlite_master WHERE type = 'view'"
    for (sql,) in database.execute(own_views).fetchall():
        database.execute(sql.replace("CREATE VIEW", "CREATE TEMP VIEW", 1))


def _classify(database: sqlite3.Connection, classes: tuple[UserClass, ...]) -> None:
    database.execute("CREATE TEMP TABLE class (user INTEGER PRIMARY KEY, name TEXT)")
    names = database.execute("SELECT id, text FROM main.name").fetchall() if classes else []
    for one in classes:
        rows = [(number, one.name) for number in _matching(names, "user", one.patterns)]
        database.executemany("INSERT OR IGNORE INTO class VALUES (?, ?)", rows)


def _want(database: sqlite3.Connection, scope: Scope) -> None:
    rows = [("pid", pid) for pid in scope.pids]
    for option, patterns in scope.names.items():
        rows += [(option, number) for number in _matching_numbers(database, option, patterns)]
    database.executemany("INSERT OR IGNORE INTO wanted VALUES (?, ?)", rows)


def _choose(database: sqlite3.Connection, scope: Scope) -> None:
    is_limited = {
        option: option in scope.names for option in ("user", "command", "program", "server")
    }
    span = {"from_s": scope.from_s, "to_s": scope.to_s}
    database.execute(_CHOOSE, {**span, **is_limited, "pid": bool(scope.pids)})


def _bound(database: sqlite3.Connection, scope: Scope) -> None:
    """The times are a second longer on both sides: text logs state starts in whole seconds."""
    first, end, since_s, till_s = database.execute(_SPAN).fetchone()
    span = {"since_s": since_s, "till_s": till_s}
    any_first, any_end = database.execute(_MEANWHILE, span).fetchone()
    bounds = {
        **span,
        "first": _place(database, first or 0),
        "end": _place(database, end or 0),
        "any_first": _place(database, any_first or 0),
        "any_end": _place(database, any_end or 0),
        "from_s": -_FAR_S if scope.from_s is None else scope.from_s,
        "to_s": _FAR_S if scope.to_s is None else scope.to_s,
        "anybody": not scope.pids and not scope.names.keys() - {"server"},
    }
    database.executemany("INSERT INTO bound VALUES (?, ?)", bounds.items())


def _place(database: sqlite3.Connection, command: int) -> int:
    """Return the first row in `table_use` of this or a later command, by a binary search.

    It needs no index: the rows are numbered without gaps, in the order of the commands' ids.
    """
    [(rows,)] = database.execute("SELECT ifnull(max(rowid), 0) FROM main.table_use")

    def owner(row: int) -> int:
        query = "SELECT command FROM main.table_use WHERE rowid = ?"
        return int(database.execute(query, (row,)).fetchone()[0])

    return 1 + bisect.bisect_left(range(1, rows + 1), command, key=owner)


def _matching_numbers(
    database: sqlite3.Connection, option: str, patterns: tuple[str, ...]
) -> list[int]:
    """Return the ids of names that match a pattern, whatever the case of ASCII letters.

    A pattern may omit `user-` of a command, `db.` of a table, the `(R)` or `(W)` at the end of a
    lock, and the part of a program's name from its first `/` on.

    Raises:
        LogError: no name matches.
    """
    servers = "SELECT id, name FROM main.server WHERE name IS NOT NULL"
    query = servers if option == "server" else "SELECT id, text FROM main.name"
    names = database.execute(query)
    numbers = list(_matching(names, option, patterns))
    if not numbers:
        words = " or ".join(map(repr, patterns))
        raise LogError(f"no {option} in this log matches {words} (* stands for any text)")
    return numbers


def _matching(
    names: Iterable[tuple[int, str]], option: str, patterns: tuple[str, ...]
) -> Iterator[int]:
    """Yield the ids of matching names; `names` are pairs (id, name)."""
    for number, text in names:
        if any_matches(patterns, _forms(option, text), case_sensitive=False):
            yield number


def _forms(option: str, text: str) -> tuple[str, ...]:
    if option == "command":
        return text, text.removeprefix("user-")
    if option == "table":
        lock = text[:-3] if text.endswith(_LOCK_ENDS) else text
        return text, lock, text.removeprefix("db.")
    if option == "program":
        return text, text.partition("/")[0]
    return (text,)
