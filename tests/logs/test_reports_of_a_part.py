"""Tests that a report on a part of the log equals the report on a log of that part alone.

Commands may be in a text log, in a structured log of the same server, or in both.
"""

from __future__ import annotations

import contextlib
import sqlite3
from importlib import resources
from typing import Any, NamedTuple

from hypothesis import example, given
from hypothesis import strategies as st

from p4warden.workbench.logs import merged_commands
from p4warden.workbench.logs.database_reports import answer, titles
from p4warden.workbench.logs.scope import Division, Scope
from p4warden.workbench.logs.scope_restriction import narrow

FORMS = ("text", "structured")
NAMES = dict(enumerate(("ann", "bob", "user-sync", "user-fstat", "db.rev", "db.have", "p4"), 1))
OTHERS_TOO = {"blockers", "blocking", "lock-waiters"}
"""Names of reports that also show commands outside of the selected part of a log."""


class Command(NamedTuple):
    """A command: user, name, start in s, and its tables in each log (`text`, `structured`)."""

    user: str
    name: str
    second: int
    tables: dict[str, list[str]]


COMMANDS = st.builds(
    Command,
    st.sampled_from(("ann", "bob")),
    st.sampled_from(("user-sync", "user-fstat")),
    st.integers(1, 30),
    st.dictionaries(
        st.sampled_from(FORMS),
        st.lists(st.sampled_from(("db.rev", "db.have")), unique=True),
        min_size=1,
    ),
)
SCOPES = st.sampled_from(
    (Scope(users=("bob",)), Scope(commands=("sync",)), Scope(from_s=11, to_s=21))
)


def is_within(command: Command, scope: Scope) -> bool:
    return (
        command.user in (scope.users or ("ann", "bob"))
        and command.name.removeprefix("user-") in (scope.commands or ("sync", "fstat"))
        and (scope.from_s or 0) <= command.second < (scope.to_s or 99)
    )


def database_of(commands: dict[int, Command]) -> sqlite3.Connection:
    """Return a database of a text log and a structured log with these commands, by process id."""
    database = sqlite3.connect(":memory:")
    database.executescript(
        resources.files("p4warden.workbench.logs").joinpath("schema.sql").read_text()
    )
    database.executemany("INSERT INTO name VALUES (?, ?)", NAMES.items())
    database.execute("INSERT INTO server VALUES (1, NULL)")
    for file, form in enumerate(FORMS, 1):
        database.execute(
            "INSERT INTO log_file (id, path, form) VALUES (?, ?, ?)", (file, form, form)
        )
        for pid, command in commands.items():
            if form in command.tables:
                _insert(database, pid, command, form)
    merged_commands.join(database)
    return database


def _insert(database: sqlite3.Connection, pid: int, command: Command, form: str) -> None:
    numbers = {text: number for number, text in NAMES.items()}
    row = (pid, command.second, command.second, 1, numbers[command.user], 7)
    cursor = database.execute(
        "INSERT INTO command (pid, start, end, lapse_s, user, prog, command, server, file)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, 1, ?)",
        (*row, numbers[command.name], 1 + FORMS.index(form)),
    )
    for table in command.tables[form]:
        database.execute(
            "INSERT INTO table_use (command, name, pages_in, pages_out, read_locks, write_locks,"
            " scan_rows, put_rows, del_rows, read_wait_ms, write_wait_ms, read_held_ms,"
            " write_held_ms) VALUES (?, ?, ?, 1, 1, 1, ?, 0, 0, ?, 0, 1, 0)",
            (cursor.lastrowid, numbers[table], pid, pid, pid),
        )


def reports(commands: dict[int, Command], scope: Scope, part: Scope) -> dict[str, list[Any]]:
    """Return the sorted rows of each report but `OTHERS_TOO`, on a database cut to a part."""
    with contextlib.closing(database_of(commands)) as database:
        narrow(database, part, ())
        return {
            name: sorted(answer(database, name, scope, Division(999, 30)).rows, key=repr)
            for name in titles().keys() - OTHERS_TOO
        }


@given(st.lists(COMMANDS, max_size=8), SCOPES)
@example(
    [
        Command("ann", "user-sync", 1, {"text": ["db.rev"], "structured": ["db.rev"]}),
        Command("bob", "user-sync", 2, {"text": [], "structured": ["db.rev"]}),
        Command("ann", "user-sync", 3, {"text": ["db.rev"]}),
    ],
    Scope(users=("bob",)),
)
def test_reports_on_a_part_equal_reports_on_a_log_of_that_part_alone(
    commands: list[Command], scope: Scope
) -> None:
    numbered = dict(enumerate(commands, 1))
    part = {pid: command for pid, command in numbered.items() if is_within(command, scope)}
    if len(part) == 0 or {form for one in commands for form in one.tables} != {*FORMS}:
        return
    assert reports(numbered, scope, scope) == reports(part, scope, Scope())
