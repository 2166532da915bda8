from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden.core.patterns import any_matches
from p4warden.logs.reader import LogError

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator

_LOCK_ENDS = ("(R)", "(W)")


def matching_numbers(
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
    numbers = list(matching(names, option, patterns))
    if not numbers:
        words = " or ".join(map(repr, patterns))
        raise LogError(f"no {option} in this log matches {words} (* stands for any text)")
    return numbers


def matching(
    names: Iterable[tuple[int, str]], option: str, patterns: Iterable[str]
) -> Iterator[int]:
    """Yield the ids of matching names; `names` are pairs (id, name)."""
    all_patterns = tuple(patterns)
    for number, text in names:
        if any_matches(all_patterns, _forms(option, text), case_sensitive=False):
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
