"""Tests of blame for lock waits: the command that can have held the lock longest during a wait."""

from __future__ import annotations

import contextlib
import sqlite3
from importlib import resources
from typing import NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from p4warden.workbench.logs.database_reports import answer
from p4warden.workbench.logs.scope import Division, Scope
from p4warden.workbench.logs.scope_restriction import narrow

NO_ONE = "no command in this log held the lock long enough"
LOCKS = ("db.rev", "db.have", "clientEntity/ws(R)", "clientEntity/ws(W)")


class LockUse(NamedTuple):
    """A command that used one lock: start and duration in s, waits and holds in ms."""

    start: int
    lapse: int
    server: int
    lock: str
    read_wait: int
    write_wait: int
    read_held: int
    write_held: int

    @property
    def end(self) -> int:
        return self.start + self.lapse

    @property
    def base(self) -> str:
        return self.lock.removesuffix("(R)").removesuffix("(W)")


MS = st.sampled_from((0, 0, 1, 700, 1_500, 3_000, 60_000))
USES = st.builds(
    LockUse,
    st.integers(1, 40),
    st.integers(0, 30),
    st.integers(1, 2),
    st.sampled_from(LOCKS),
    MS,
    MS,
    MS,
    MS,
)


def could_hold_ms(holder: LockUse, waiter: LockUse) -> int:
    """Return the longest time in ms for which command `holder` can have delayed `waiter`."""
    if (holder.server, holder.base) != (waiter.server, waiter.base):
        return 0
    held_ms = holder.write_held + (holder.read_held if waiter.write_wait else 0)
    together = min(holder.end, waiter.end) - max(holder.start, waiter.start) + 1
    return max(0, min(held_ms, together * 1000))


def database_of(uses: list[LockUse]) -> sqlite3.Connection:
    """Return a log database of commands with one lock use each; each user's name is a number."""
    database = sqlite3.connect(":memory:")
    database.executescript(
        resources.files("p4warden.workbench.logs").joinpath("schema.sql").read_text()
    )
    names = {text: number for number, text in enumerate(LOCKS, 1)}
    rows = [
        *((number, text) for text, number in names.items()),
        *((100 + n, str(n)) for n in range(len(uses))),
    ]
    database.executemany("INSERT INTO name VALUES (?, ?)", rows)
    for number, use in enumerate(uses):
        database.execute(
            "INSERT INTO command (id, start, end, user, server) VALUES (?, ?, ?, ?, ?)",
            (number + 1, use.start, use.end, 100 + number, use.server),
        )
        database.execute(
            "INSERT INTO table_use (command, name, read_wait_ms, write_wait_ms, read_held_ms, "
            "write_held_ms) VALUES (?, ?, ?, ?, ?, ?)",
            (number + 1, names[use.lock], *use[4:]),
        )
    return database


@given(st.lists(USES, max_size=12), st.sampled_from((Scope(), Scope(from_s=15, to_s=30))))
def test_the_reported_blocker_held_the_lock_at_least_as_long_as_any_other_command(
    uses: list[LockUse], scope: Scope
) -> None:
    with contextlib.closing(database_of(uses)) as database:
        narrow(database, scope, ())
        results = answer(database, "blocking", scope, Division(99))
    rows = [dict(zip(results.columns, row, strict=True)) for row in results.rows]
    since, till = scope.from_s or 0, scope.to_s or 99
    waiters = [
        n for n, use in enumerate(uses)
        if use.read_wait + use.write_wait and use.start < till and use.end >= since
    ]  # fmt: skip
    assert sorted(int(row["blocked"]) for row in rows) == waiters
    for row in rows:
        number = int(row["blocked"])
        holds_ms = {
            n: could_hold_ms(use, uses[number]) for n, use in enumerate(uses) if n != number
        }
        best = max(holds_ms.values(), default=0)
        if row["blocker"] is None:
            assert best * 10 < row["wait_ms"]
            assert results.note == "where blocker is empty, " + NO_ONE
        else:
            assert holds_ms[int(row["blocker"])] == best > 0
            assert best * 10 >= row["wait_ms"]


def test_a_lock_held_briefly_is_not_the_cause_of_a_long_wait() -> None:
    holder = LockUse(10, 2, 1, "db.rev", 0, 0, 0, 4)
    waiter = LockUse(1, 80, 1, "db.rev", 0, 71_000, 0, 0)
    with contextlib.closing(database_of([holder, waiter])) as database:
        narrow(database, Scope(), ())
        results = {
            name: answer(database, name, Scope(), Division(9))
            for name in ("blocking", "lock-waiters", "blockers")
        }
    for name, column in (("blocking", "blocker"), ("lock-waiters", "holder")):
        [row] = [dict(zip(results[name].columns, one, strict=True)) for one in results[name].rows]
        assert (row[column], row["held_ms"]) == (None, None)
        assert results[name].note == f"where {column} is empty, {NO_ONE}"
    assert results["blockers"].rows == []
