"""Tests of the options that select the part of p4d's log that a report covers.

Also of notations of times, of locks on several servers, and of messages about missing data.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
from typing import TYPE_CHECKING

import click
import pytest
from click.testing import CliRunner

from logs.blocks import done, start
from logs.database import ask, made_of
from p4warden.commands.log import log as log_command
from p4warden.commands.log.log_part import classes
from p4warden.workbench.logs.database_reports import titles
from p4warden.workbench.logs.moments import moment_s
from p4warden.workbench.logs.reader import LogError
from p4warden.workbench.logs.scope import STEPS, Scope, UserClass

if TYPE_CHECKING:
    from pathlib import Path

NINE = 1772442000  # 2026-03-02 09:00 UTC, the start of the test log


def count_of(database: str, scope: Scope) -> int:
    return sum(row[1] for row in ask(database, "commands", 99, scope).rows)


@pytest.mark.parametrize(
    ("scope", "commands"),
    [
        (Scope(), 16),
        (Scope(from_s=NINE + 1867), 14),
        (Scope(from_s=NINE + 1867, to_s=NINE + 1868), 4),
        (Scope(to_s=NINE), 0),
        (Scope(to_s=NINE + 1), 1),
        (Scope(users=("build-*",)), 3),
        (Scope(users=("build-01", "ANN")), 4),
        (Scope(commands=("sync",)), 4),
        (Scope(commands=("user-s*",)), 6),
        (Scope(programs=("ue",)), 4),
        (Scope(programs=("Helix P4V",)), 4),
        (Scope(tables=("rev",)), 7),
        (Scope(tables=("clientEntity/dave-ws",)), 2),
        (Scope(pids=(20, 21, 999)), 2),
        (Scope(users=("frank",), tables=("db.rev",), from_s=NINE + 7200), 1),
    ],
)
def test_each_scope_option_selects_the_matching_commands(
    database: str, scope: Scope, commands: int
) -> None:
    assert count_of(database, scope) == commands


@pytest.mark.parametrize("name", titles())
def test_every_report_accepts_every_scope_option(database: str, name: str) -> None:
    scope = Scope(NINE, NINE + 86400, ("*",), ("*",), ("*",), ("db.rev",), tuple(range(99)))
    words = "--from 08:00 --to 23:00 --user d* --command s* --program * --pid 22 --table rev"
    values = ["report", name, "--database", database, *words.split(), "--json"]
    result = CliRunner().invoke(log_command, values, standalone_mode=False)
    assert result.exception is None
    all_of_it, a_part = ask(database, name, 99), ask(database, name, 99, scope)
    assert a_part.columns == all_of_it.columns
    for line in result.stdout.splitlines():
        row = json.loads(line)
        assert name == "blockers" or row.get("user", "dave") == "dave", name


def test_contention_includes_only_selected_users_and_tables(database: str) -> None:
    rows = ask(database, "contention", 9, Scope(users=("dave",))).rows
    assert [(row[0], row[1]) for row in rows] == [("db.rev", 14500), ("clientEntity/...", 11900)]
    rows = ask(database, "contention", 9, Scope(tables=("db.have",))).rows
    assert [(row[0], row[3]) for row in rows] == [("db.have", 400)]


def test_the_blocker_of_a_selected_command_can_be_outside_the_selection(database: str) -> None:
    [row] = ask(database, "blocking", 9, Scope(users=("erin",))).rows
    assert dict(zip(ask(database, "blocking", 1).columns, row, strict=True))["blocker"] == "carol"


def test_table_use_rows_are_in_the_order_of_commands(database: str) -> None:
    """Check that rows of `table_use` are sorted by command, which reports on a part rely on."""
    with contextlib.closing(sqlite3.connect(database)) as connection:
        rows = [row[0] for row in connection.execute("SELECT command FROM table_use")]
    assert rows == sorted(rows)


EDGE = "bob@ws 10.0.0.2 [p4/v93]"
SENT_ON = "bob@ws 10.9.9.9/10.0.0.2 [p4/v93]"


@pytest.fixture
def two_servers(tmp_path: Path) -> str:
    """Fixture: a log database with a sync on an edge server, forwarded to the commit server.

    On the commit server it waits for a lock that ann's command holds.
    """
    wait = "--- db.rev\n---   total lock wait+held read/write 0ms+{}ms/{}ms+0ms\n\n"
    query = start("12:00:01", 2, "user-sync //...", EDGE)
    sync_start = start("12:00:01", 7, "user-sync //...", SENT_ON)
    log_text = start("12:00:00", 5, "user-files //...") + done("12:00:09", 5, "9")
    log_text += start("12:00:00", 5, "user-files //...")[:-1] + wait.format(8000, 0)
    edge = query + done("12:00:09", 2, "8") + log_text.replace("ann", "eve").replace(" 5 ", " 6 ")
    sync = sync_start + done("12:00:09", 7, "8") + sync_start[:-1] + wait.format(0, 7000)
    (tmp_path / "edge").write_text(edge)
    (tmp_path / "commit").write_text(log_text.replace("8000", "7500") + sync)
    return made_of(tmp_path, servers=[f"{n}={tmp_path / n}" for n in ("edge", "commit")])


@pytest.mark.parametrize(("servers", "syncs"), [((), 1), (("edge",), 1), (("COMMIT",), 1)])
def test_a_forwarded_command_is_counted_once_and_listed_for_each_server(
    two_servers: str, servers: tuple[str, ...], syncs: int
) -> None:
    scope = Scope(commands=("sync",), servers=servers)
    assert count_of(two_servers, scope) == syncs
    assert [row[2] for row in ask(two_servers, "accounts", 9, scope).rows] == [syncs]
    expected = syncs if servers else 2
    assert len(ask(two_servers, "list", 9, scope).rows) == expected


def test_a_lock_holder_on_another_server_is_not_the_blocker(two_servers: str) -> None:
    answer = ask(two_servers, "blocking", 9)
    [row] = [dict(zip(answer.columns, row, strict=True)) for row in answer.rows]
    assert (row["blocked"], row["blocker"], row["held_ms"]) == ("bob", "ann", 7500)


def test_a_user_server_or_table_that_is_not_in_the_log_is_reported(database: str) -> None:
    with pytest.raises(LogError, match="no user in this log matches 'fred'"):
        ask(database, "commands", 9, Scope(users=("fred",)))
    with pytest.raises(LogError, match="no server in this log matches 'edge'"):
        ask(database, "commands", 9, Scope(servers=("edge",)))
    hostile = "x' OR 1=1; DROP TABLE command; --"
    with pytest.raises(LogError, match="no table in this log matches"):
        ask(database, "commands", 9, Scope(tables=(hostile,)))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("14:05", NINE + 5 * 3600 + 300),
        ("09:31:07", NINE + 1867),
        ("17:00", NINE + 8 * 3600 - 86400),
        ("2026-03-02", NINE - 9 * 3600),
        ("2026/03/02 09:00:01", NINE + 1),
        ("2026-03-02T09:01", NINE + 60),
        ("90s", NINE + 7 * 3600 - 90),
        ("7d", NINE + 7 * 3600 - 7 * 86400),
    ],
)
def test_times_dates_and_durations_are_converted_to_seconds_since_the_epoch(
    text: str, expected: float
) -> None:
    assert moment_s(text, end_s=NINE + 7 * 3600) == expected


@pytest.mark.parametrize("text", ["", "25:00", "soon", "2026-02-30", "9h later", "0s", "14:05:"])
def test_a_text_that_is_not_a_time_is_refused(text: str) -> None:
    with pytest.raises(LogError, match="is not a time: write 14:05"):
        moment_s(text, NINE)


@pytest.mark.parametrize("step", STEPS)
def test_a_series_has_a_row_for_every_step_even_without_commands(database: str, step: str) -> None:
    values = ["report", "series", "--database", database, "--by", step, "--limit", "999", "--json"]
    result = CliRunner().invoke(log_command, values, standalone_mode=False)
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    assert len(rows) == {"minute": 7 * 60 + 1, "hour": 8, "day": 1}[step]
    assert sum(row["started"] for row in rows) == 16
    assert max(row["running"] for row in rows) == 4


def test_a_series_of_a_log_with_one_date_in_1970_stops_at_the_row_limit(tmp_path: Path) -> None:
    text = start("12:00:00", 1, "user-info", day="1970/01/02")
    text += start("12:00:00", 2, "user-info") + done("12:00:01", 2, "1")
    (tmp_path / "log").write_text(text)
    assert len(ask(made_of(tmp_path, tmp_path / "log"), "series", 5).rows) == 5


def test_reports_on_facts_missing_from_the_log_show_not_in_this_log(tmp_path: Path) -> None:
    (tmp_path / "log").write_text(start("12:00:00", 1, "user-info"))
    words = ["report", "--database", made_of(tmp_path, tmp_path / "log")]
    outputs = {
        name: CliRunner().invoke(log_command, [*words, name], standalone_mode=False).stdout
        for name in titles()
    }
    missing = {name for name, text in outputs.items() if text.startswith("not in this log: ")}
    assert missing == {
        "blockers", "blocking", "computes", "contention", "lapses", "lock-holders", "lock-users",
        "lock-waiters", "memory", "moment", "no-end", "pages", "pressure", "processor",
        "reads-and-writes",
        "running", "running-weeks", "slowest", "syncs", "table-waits", "triggers",
    }  # fmt: skip
    assert "track=1" in outputs["contention"]
    for name, text in outputs.items():
        assert (
            len(text.splitlines()) != 1
            or name in missing
            or text == "nothing in this log matches\n"
        )


def test_a_report_without_rows_for_the_selected_user_shows_that_nothing_matches(
    database: str,
) -> None:
    assert (
        ask(database, "triggers", 9, Scope(users=("ann",))).reason == "nothing in this log matches"
    )


def test_user_classes_have_patterns_and_groups_and_invalid_classes_are_refused(
    tmp_path: Path,
) -> None:
    (tmp_path / "groups").write_text("farm: [ci, 'build-01']\n")
    groups = str(tmp_path / "groups")
    assert classes(["builds=group:farm,build-*", "admins=ann"], groups, None) == (
        UserClass("builds", ("ci", "build-01", "build-*")),
        UserClass("admins", ("ann",)),
    )
    for text in ("builds", "=x", "builds=", "builds=group:none"):
        with pytest.raises(click.UsageError):
            classes([text], groups, None)
    with pytest.raises(click.UsageError, match="specify --groups FILE or --checkpoint FILE"):
        classes(["builds=group:farm"], None, None)


def test_a_note_is_printed_only_if_a_report_reaches_the_row_limit(database: str) -> None:
    values = ["report", "list", "--database", database, "--limit", "5"]
    result = CliRunner().invoke(log_command, values, standalone_mode=False)
    assert (
        result.stderr
        == "p4warden: 5 rows are shown; there may be more; show them with --limit N\n"
    )
    assert len(result.stdout.splitlines()) == 6
    result = CliRunner().invoke(log_command, [*values[:-1], "1"], standalone_mode=False)
    assert (
        result.stderr == "p4warden: 1 row is shown; there may be more; show them with --limit N\n"
    )
    result = CliRunner().invoke(log_command, [*values[:-1], "99"], standalone_mode=False)
    assert result.stderr == ""


def test_option_at_is_refused_together_with_option_from(database: str) -> None:
    values = ["report", "moment", "--database", database, "--at", "09:00", "--from", "08:00"]
    result = CliRunner().invoke(log_command, values)
    assert result.exit_code == 2
    assert "omit --from and --to" in result.output


def test_an_end_time_without_a_date_is_the_first_such_time_after_the_start() -> None:
    end_s = NINE + 7 * 3600
    assert moment_s("23:00", end_s, after_s=NINE - 3600) == NINE + 14 * 3600
    assert moment_s("23:00", end_s, after_s=NINE - 12 * 3600) == NINE - 10 * 3600


@pytest.mark.parametrize(
    ("start", "end", "comparison", "note"),
    [
        ("14:00", "9:30", "14:00 (2026-03-02 14:00:00) is after --to 9:30", ""),
        (
            "1h",
            "9:30",
            "1h (2026-03-02 15:00:00) is after --to 9:30",
            " (1h is counted back from the end of the log)",
        ),
        (
            "1h",
            "390m",
            "1h (2026-03-02 15:00:00) is after --to 390m",
            " (1h and 390m are counted back from the end of the log)",
        ),
    ],
)
def test_a_start_time_after_the_end_time_is_reported(
    database: str, start: str, end: str, comparison: str, note: str
) -> None:
    values = ["report", "list", "--database", database, "--from", start, "--to", end]
    result = CliRunner().invoke(log_command, values, standalone_mode=False)
    assert isinstance(result.exception, LogError)
    moment = "(2026-03-02 09:30:00)"
    assert str(result.exception) == f"--from {comparison} {moment}; swap or correct them{note}"
    assert result.exception.exit_code == 1


@pytest.mark.parametrize("scope", [Scope(from_s=NINE + 86400), Scope(to_s=NINE - 1)])
def test_a_report_on_a_time_outside_the_log_shows_the_time_range_of_the_log(
    database: str, scope: Scope
) -> None:
    report = (
        "nothing in this log matches: it has commands from 2026-03-02 09:00:00 to "
        "2026-03-02 16:00:00"
    )
    assert ask(database, "list", 9, scope).reason == report


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("list --at 14:00", "list does not have --at; these reports do: moment"),
        (
            "pressure --by day",
            "pressure does not have --by; these reports do: class-series, series, table-waits",
        ),
        (
            "users --class a=b",
            "users does not have --class; these reports do: class-series, classes",
        ),
        ("list --csv --json", "--csv and --json are two formats of one report; omit one of them"),
    ],
)
def test_options_that_do_not_apply_to_a_report_or_conflict_are_refused(
    database: str, words: str, message: str
) -> None:
    values = ["report", *words.split(), "--database", database]
    result = CliRunner().invoke(log_command, values, standalone_mode=False)
    assert isinstance(result.exception, click.UsageError)
    assert result.exception.message == message
