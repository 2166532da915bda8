"""Tests that commands in both a text log and a structured log of a server are counted once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from logs.blocks import done, start
from logs.database import ask, loaded
from p4warden.workbench.logs.load_database import summary

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

TABLES = "--- db.rev\n---   locks read/write 1/0 rows get+pos+scan put+del 5+6+70 0+0\n"
TEXT = (
    start("12:00:00", 7, "user-fstat //depot/a")
    # Process 7 runs two `fstat` commands in the same second, which must not be counted as one.
    + start("12:00:00", 7, "user-fstat //depot/b")
    + start("12:00:05", 8, "user-sync //depot/...")
    + done("12:00:07", 8, "2.00")
    + start("12:00:05", 8, "user-sync //depot/...").replace("\n\n", f"\n{TABLES}\n")
    + start("12:00:09", 9, "user-info")
)


def structured(event: str, second: int, pid: int, command: str, more: str = "") -> str:
    """Return a record of a structured log of a p4d 2022.2."""
    ident = f"35895515CB3A747E95971826797{pid:05}"
    return (
        f"{event}.55,{1772452800 + second},5,2026/03/02 12:00:0{second} 5,{pid},{ident},commit,1,"
        f"ann,ann-ws,{command},10.0.0.1,p4,v93,{more}\n"
    )


STRUCTURED = (
    structured("0", 0, 7, "user-fstat", "//depot/a,g")
    + structured("0", 0, 7, "user-fstat", "//depot/b,g")
    + structured("0", 5, 8, "user-sync", "//depot/...,g")
    + structured("7", 7, 8, "user-sync", "//depot/...,g,2.00s,9,1,4,8,5,6,20028,2,8,442")
    + structured("2", 7, 8, "user-sync", "//depot/...,g,2.00s,,0,0,.000s")
    # This `info` starts three seconds before that of the text log, so it is another command.
    + structured("0", 6, 9, "user-info", ",g")
)


@pytest.fixture
def logs(tmp_path: Path) -> tuple[Path, Path]:
    text, table = tmp_path / "log", tmp_path / "commands.csv"
    text.write_text(TEXT)
    table.write_text(STRUCTURED)
    return text, table


@pytest.mark.parametrize("names", [(), ("commit",)])
def test_a_command_in_both_logs_is_one_row_with_the_facts_of_both_logs(
    tmp_path: Path, logs: tuple[Path, Path], names: Sequence[str]
) -> None:
    with loaded(tmp_path, *logs, servers=names) as database:
        query = "SELECT command, args, server FROM commands ORDER BY start, args"
        assert [tuple(row) for row in database.execute(query)][:3] == [
            ("user-fstat", "//depot/a", "commit"),
            ("user-fstat", "//depot/b", "commit"),
            ("user-sync", "//depot/...", "commit"),
        ]
        assert one(database, "SELECT count(*) FROM command") == 5
        assert one(database, "SELECT count(*) FROM in_both_logs") == 3
        # The merged command has the table rows of the text log and the processor time of the
        # structured log.
        query = "SELECT scan_rows FROM table_use JOIN command ON command.id = table_use.command"
        assert one(database, query) == 70
        assert one(database, "SELECT user_ms FROM command WHERE pid = 8") == 9
    output = summary(str(tmp_path / "log.db"))
    assert "; 3 of them are in both a text and a structured log; " in output
    counts = {row[1]: row[2] for row in ask(str(tmp_path / "log.db"), "users", 9).rows}
    assert counts == {"user-fstat": 2, "user-sync": 1, "user-info": 2}


def test_a_table_use_in_both_logs_is_stored_once(tmp_path: Path, logs: tuple[Path, Path]) -> None:
    text, table = logs
    counts = "5,6,70," + ",".join(["0"] * 22)
    more = structured("9", 7, 8, "user-sync", f"//depot/...,g,db.rev,0,0,0,0,0,1,0,{counts}")
    table.write_text(STRUCTURED + more)
    with loaded(tmp_path, text, table) as database:
        assert one(database, "SELECT count(*) FROM table_use") == 1


def test_commands_in_logs_of_two_servers_are_not_merged(
    tmp_path: Path, logs: tuple[Path, Path]
) -> None:
    text, table = logs
    with loaded(tmp_path, table, servers=[f"edge={text}"]) as database:
        assert one(database, "SELECT count(*) FROM command") == 8
        assert one(database, "SELECT count(*) FROM in_both_logs") == 0


def one(database: Any, query: str) -> Any:
    [[value]] = database.execute(query)
    return value


STARTING = "Perforce server info:\n\tPerforce Server starting 2026/03/02 12:00:08\n"


@pytest.mark.parametrize(("second", "start_count"), [(8, 1), (2, 2)])
def test_a_server_start_at_the_same_time_in_both_logs_is_counted_once(
    tmp_path: Path, logs: tuple[Path, Path], second: int, start_count: int
) -> None:
    text, table = logs
    text.write_text(TEXT + STARTING)
    table.write_text(STRUCTURED + structured("12", second, 10, "server", ",g,starting"))
    with loaded(tmp_path, text, table, servers=["commit"]) as database:
        query = "SELECT form FROM event JOIN log_file ON log_file.id = event.file WHERE started"
        forms = [form for (form,) in database.execute(query)]
        assert (len(forms), "text" in forms) == (start_count, True)
