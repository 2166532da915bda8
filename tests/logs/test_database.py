"""Tests of `p4warden log load` and `log report`: the log database and the reports on it."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import os
import sqlite3
import threading
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from rich.console import Console

from logs.blocks import ANN, HEADER, done, start
from logs.conftest import CASES
from logs.database import ask, loaded, made_of
from p4warden.commands.log import log as log_command
from p4warden.commands.log.output import table as shown_table
from p4warden.workbench.logs.database_reports import FOLDER, titles
from p4warden.workbench.logs.load_database import load
from p4warden.workbench.logs.missing_facts import NEEDS
from p4warden.workbench.logs.reader import LogError, records

NAMES = ("user", "client", "ip", "via", "prog", "version", "command")
RENAMED = {
    **{f"rpc.{name}": f"rpc_{name}" for name in "in out in_mb out_mb send_mark".split()},
    **{f"upstream.{name}": f"upstream_{name}" for name in "in out send_s receive_s".split()},
    **{f"files.{name}": f"files_{name}" for name in "sent sent_mb received received_mb".split()},
    "estimates.files_added": "files_added",
    "estimates.bytes_updated": "bytes_updated",
    "estimates.sure": "estimates_sure",
}


def flat(record: dict[str, Any]) -> dict[str, Any]:
    """Return the single values of a log reader's record by the database columns that have them."""
    plain = {k: v for k, v in record.items() if not isinstance(v, dict | list)}
    for name in ("rpc", "upstream", "files", "estimates"):
        plain |= {f"{name}.{key}": value for key, value in record.get(name, {}).items()}
    return {RENAMED.get(name, name): value for name, value in plain.items()}


def test_every_kind_of_fact_that_reports_need_is_counted_in_the_database(tmp_path: Path) -> None:
    with loaded(tmp_path, CASES / "errors.log") as database:
        log_kinds = {kind for (kind,) in database.execute("SELECT kind FROM log_kind")}
    needed_kinds = {kind for requirement in NEEDS.values() for kind in requirement.kinds}
    assert needed_kinds <= log_kinds
    assert {"end", "compute", "cpu", "memory", "table", "lock", "estimates"} <= needed_kinds


@pytest.mark.parametrize("log", sorted(CASES.glob("*.log")), ids=lambda log: log.stem)
def test_the_database_has_the_same_values_as_the_log_records(tmp_path: Path, log: Path) -> None:
    report = list(records([str(log)]))
    commands = [record for record in report if record["record"] == "command"]
    with loaded(tmp_path, log) as database:
        names = dict(map(tuple, database.execute("SELECT id, text FROM name")))
        rows = database.execute("SELECT * FROM command ORDER BY id").fetchall()
        assert len(rows) == len(commands)
        for row, record in zip(rows, commands, strict=True):
            results = dict(row) | {name: names.get(row[name]) for name in NAMES}
            for name, value in flat(record).items():
                if name in results:
                    assert results[name] == value, (name, record)
            [args] = database.execute(
                "SELECT args FROM commands WHERE id = ?", (row["id"],)
            ).fetchone()
            assert (args or "") == " ".join(record.get("args", [])).replace("\0", "?")
        for query, key in (
            ("SELECT * FROM table_use ORDER BY rowid", "tables"),
            ("SELECT * FROM archive ORDER BY rowid", "archives"),
        ):
            parts = database.execute(query).fetchall()
            expected_parts = [part for record in commands for part in record.get(key, [])]
            for part, expected_part in zip(parts, expected_parts, strict=True):
                assert set(expected_part.values()) <= {
                    *tuple(part),
                    *map(names.get, tuple(part)[:2]),
                }
        run_rows = database.execute("SELECT name, lapse_s FROM trigger_run").fetchall()
        assert [(names[run["name"]], run["lapse_s"]) for run in run_rows] == [
            (run["name"], run.get("lapse_s")) for c in commands for run in c.get("triggers", [])
        ]
        texts = {row["text"] for row in database.execute("SELECT text FROM error")}
        errors = {error["text"] for c in commands for error in c.get("errors", [])}
        assert texts == errors | {record["error"] for record in report if "error" in record}
        [counts] = database.execute("SELECT * FROM log").fetchall()
        assert dict(counts) == {name: report[-1][name] for name in dict(counts)}


def test_long_rows_on_many_database_pages_are_stored_intact(tmp_path: Path) -> None:
    # Each of the 1,150 equally long rows fills a leaf page of its own, so that the SQLite table's
    # tree has three levels; some of the other rows need overflow pages.
    sizes = [15_900] * 1_150 + [16_340, 16_349, 16_350, 16_384, 33_000, 200_000, 100, 4_000]
    log = tmp_path / "log"
    with log.open("w") as file:
        for pid, size in enumerate(sizes):
            file.write(start("12:00:00", pid, f"user-files {'x' * (size - 1)}{pid % 10}"))
    with loaded(tmp_path, log) as database:
        texts = database.execute("SELECT text FROM argument ORDER BY command").fetchall()
        assert [len(text) for (text,) in map(tuple, texts)] == sizes
        [last] = database.execute(
            "SELECT args FROM commands WHERE id = ?", (len(sizes),)
        ).fetchone()
        assert last == "x" * 3_999 + "7"


@pytest.fixture
def database(tmp_path: Path) -> str:
    """Fixture: path of a log database in which a submit waits for an fstat's lock."""
    bob = "bob@bob-ws 10.9.9.9/10.0.0.2 [UE/v91]"
    text = start("12:00:00", 1, "user-fstat //depot/...", bob) + start(
        "12:00:01", 2, "user-submit -i"
    )
    text += start("12:00:01", 3, "user-sync //depot/a/...", bob)
    text += f"{HEADER}\t2026/03/02 12:00:01 pid 2 {ANN} 'user-submit -i' trigger check\n"
    text += (
        "lapse .500s\n\n"
        + done("12:00:05", 1, "5")
        + start("12:00:00", 1, "user-fstat //depot/...", bob)[:-1]
    )
    text += "--- lapse 5s\n--- usage 900+100us 0+0io 0+0net 9k 0pf\n--- db.rev\n"
    text += "---   locks read/write 1/0 rows get+pos+scan put+del 0+0+9 0+0\n"
    text += "---   total lock wait+held read/write 0ms+4800ms/0ms+0ms\n\n"
    text += done("12:00:06", 2, "5") + start("12:00:01", 2, "user-submit -i")[:-1]
    text += (
        "--- lapse 5s\n--- db.rev\n---   total lock wait+held read/write 0ms+0ms/3900ms+20ms\n\n"
    )
    text += done("12:00:03", 3, "2")
    text += "Perforce server error:\n\tDate 2026/03/02 12:00:06:\n\tPid 4\n"
    text += "\tOperation: user-dirs\n\tNo.\n\n"
    (tmp_path / "log").write_text(text)
    return made_of(tmp_path, tmp_path / "log")


def save(folder: Path, text: str) -> Path:
    log = folder / "log"
    log.write_text(text)
    return log


def rows(database: str, name: str) -> list[dict[str, Any]]:
    answer = ask(database, name, 10)
    return [dict(zip(answer.columns, row, strict=True)) for row in answer.rows]


def test_reports_show_a_lock_wait_a_trigger_run_and_a_failure_of_one_minute(database: str) -> None:
    [waiter] = rows(database, "lock-waiters")
    assert (waiter["user"], waiter["write_wait_ms"], waiter["holder"]) == ("ann", 3900, "bob")
    assert (waiter["holds"], waiter["held_ms"]) == ("user-fstat", 4800)
    [blocked_row] = rows(database, "blocking")
    assert (waiter["pid"], waiter["holder_pid"]) == (
        blocked_row["blocked_pid"],
        blocked_row["blocker_pid"],
    )
    holders = [(holder["user"], holder["pid"]) for holder in rows(database, "lock-holders")]
    assert holders == [("bob", waiter["holder_pid"]), ("ann", waiter["pid"])]
    [table] = rows(database, "contention")
    assert (table["tables"], table["wait_ms"], table["read_held_ms"]) == ("db.rev", 3900, 4800)
    [trigger] = rows(database, "triggers")
    assert (trigger["triggers"], trigger["runs"], trigger["percent_of_command"]) == (
        "check",
        1,
        10,
    )
    [minute] = rows(database, "minutes")
    assert (minute["minute"], minute["started"], minute["at_once"]) == (
        "2026-03-02 12:00:00",
        3,
        3,
    )
    assert rows(database, "hours")[0] == {
        "hour": "2026-03-02 12:00:00",
        "started": 3,
        "at_once": 3,
    }
    three = {"from_commands": 3, "to_commands": 3, "seconds": 2, "percent": 33.3}
    assert rows(database, "running")[0] == three
    assert ask(database, "running", 1).rows == [(0, 3, 6, 100)]
    assert rows(database, "span")[0]["seconds"] == 1
    assert [row["kind"] for row in rows(database, "slowest")] == ["other", "other", "sync"]
    assert rows(database, "reads-and-writes")[0]["read_percent"] == 100
    assert {row["via"] for row in rows(database, "replication")} == {"10.9.9.9"}
    assert rows(database, "versions")[0]["program"] == "UE"
    assert [row["user_ms"] for row in rows(database, "processor")] == [900]
    assert [row["rss_kb"] for row in rows(database, "memory")] == [9]
    assert rows(database, "pages") == []
    [failure] = rows(database, "failures")
    assert (failure["what"], failure["command"], failure["times"]) == (
        "error, command unknown",
        "user-dirs",
        1,
    )


def test_commands_without_an_end_are_counted_in_minutes_and_hours(tmp_path: Path) -> None:
    with loaded(tmp_path, save(tmp_path, start("12:00:00", 1, "user-info"))):
        path = str(tmp_path / "log.db")
        assert ask(path, "minutes", 9).rows == [("2026-03-02 12:00:00", 1, None)]
        assert ask(path, "hours", 9).rows == [("2026-03-02 12:00:00", 1, None)]


def test_commands_that_follow_each_other_are_not_counted_as_running_at_once(
    tmp_path: Path,
) -> None:
    text = "".join(
        start(f"12:00:0{n}", n, "user-info") + done(f"12:00:0{n + 1}", n, "1") for n in range(3)
    )
    with loaded(tmp_path, save(tmp_path, text)):
        path = str(tmp_path / "log.db")
        assert ask(path, "minutes", 9).rows == [("2026-03-02 12:00:00", 3, 1)]
        assert ask(path, "hours", 9).rows == [("2026-03-02 12:00:00", 3, 1)]
        assert [row[0] for row in ask(path, "running", 9).rows] == [1]


def test_failures_count_unexpected_exits_of_processes_without_a_running_command(
    tmp_path: Path,
) -> None:
    note = "unknown@unknown 127.0.0.1 [unknown] 'Init()' exited unexpectedly, removed from monitor"
    text = (
        start("12:00:00", 1, "user-info")
        + done("12:00:01", 1, "1")
        + start("12:00:02", 3, "user-have")
    )
    for pid in (1, 2):
        text += start("12:01:00", 9, "user-have") + done("12:01:00", 9, "0")
        text += f"{HEADER}\t2026/03/02 12:01:05 pid {pid} {note} table.\n"
    with loaded(tmp_path, save(tmp_path, text)):
        [death, no_end] = ask(str(tmp_path / "log.db"), "failures", 9).rows
    assert death[:3] == ("died, command unknown", "Init()", 2)
    assert death[4] == "exited unexpectedly, removed from monitor table."
    assert no_end[:3] == ("no end", "user-have", 1)


def test_log_load_prints_the_number_of_commands_and_the_time_range_of_the_log(
    tmp_path: Path,
) -> None:
    log = save(tmp_path, start("12:00:00", 1, "user-info") + done("12:00:01", 1, "1") + "odd\n")
    path = str(tmp_path / "log.db")
    done_load = CliRunner().invoke(log_command, ["load", str(log), "--database", path])
    span = "from 2026-03-02 12:00:00 to 2026-03-02 12:00:01"
    assert done_load.stdout == f"{path}: 1 command {span}; 1 of 6 lines not understood\n"


def test_a_command_with_two_trigger_runs_counts_once_in_the_trigger_percentage(
    tmp_path: Path,
) -> None:
    text = start("12:00:00", 1, "user-change -i")
    run_once = text.rstrip("\n") + " trigger check\nlapse .3s\n\n"
    with loaded(tmp_path, save(tmp_path, text + 2 * run_once + done("12:00:01", 1, "1"))):
        [row] = ask(str(tmp_path / "log.db"), "triggers", 9).rows
    assert row == ("check", "user-change", 2, 0.6, 0.3, 0.3, 60)


def test_huge_page_counts_are_capped_in_the_pages_report(tmp_path: Path) -> None:
    text = start("12:00:00", 1, "user-files")[:-1] + "--- lapse 1s\n"
    for name in ("rev", "have"):
        text += f"--- db.{name}\n---   pages in+out+cached {10**30}+{2**63}+1\n"
    with loaded(tmp_path, save(tmp_path, text)):
        [row] = ask(str(tmp_path / "log.db"), "pages", 9).rows
    assert row[1] == 2**51


def test_report_slowest_applies_the_row_limit_to_syncs_and_other_commands_separately(
    tmp_path: Path,
) -> None:
    text = start("12:00:00", 99, "user-files //depot/...") + done("12:00:01", 99, "1")
    for pid in range(30):
        text += start("12:00:00", pid, "user-sync") + done("12:00:05", pid, f"5.{pid:02}")
    with loaded(tmp_path, save(tmp_path, text)):
        longest = ask(str(tmp_path / "log.db"), "slowest", 1).rows
    assert [(row[0], row[2]) for row in longest] == [("other", 1), ("sync", 5.29)]


def test_printed_tables_fit_the_terminal_and_csv_values_are_not_formulas(tmp_path: Path) -> None:
    sender = "=cmd|x!A1@\x1b[31mw\u00f6\u202e 10.0.0.1 [p4/v93]"
    path = "//depot/" + "long/" * 15
    text = start("12:00:00", 1, f"user-files {path}", sender) + done("12:00:05", 1, "5")
    with loaded(tmp_path, save(tmp_path, text)):
        answer = ask(str(tmp_path / "log.db"), "slowest", 9)
    assert path[:60] in run("report", "slowest", "--database", str(tmp_path / "log.db"))
    console = Console(file=io.StringIO(), width=80)
    console.print(shown_table(answer))
    lines = console.file.getvalue().splitlines()  # type: ignore[attr-defined]
    assert max(map(len, lines)) <= 80
    column = lines[0].index("args")
    assert "".join(line[column:].strip() for line in lines[1:]) == f"{path[:60]}..."
    output = run("report", "slowest", "--csv", "--database", str(tmp_path / "log.db"))
    assert path in output
    assert path in run("report", "slowest", "--json", "--database", str(tmp_path / "log.db"))
    [row] = csv.DictReader(io.StringIO(output))
    assert (row["user"], row["client"]) == ("'=cmd|x!A1", "\\x1b[31mw\u00f6\\u202e")


@pytest.mark.parametrize("name", titles())
def test_every_report_has_a_title_an_order_and_at_most_two_rows_with_limit_1(
    database: str, name: str
) -> None:
    assert titles()[name]
    # SQLite takes a column name in single quotes for a string, and then does not sort by it.
    assert "ORDER BY '" not in (FOLDER / f"{name}.sql").read_text("utf-8")
    assert len(ask(database, name, 1).rows) <= 2


def test_a_report_is_printed_as_a_table_csv_or_json_and_listed_without_a_name(
    database: str,
) -> None:
    words = ["report", "triggers", "--database", database]
    output = run(*words)
    assert output.splitlines()[1].split() == "check user-submit 1 0.5 0.5 0.5 10.0".split()
    assert next(csv.DictReader(io.StringIO(run(*words, "--csv"))))["runs"] == "1"
    assert json.loads(run(*words, "--json"))["command"] == "user-submit"
    assert "Trigger run time" in run("report")


def run(*words: str) -> str:
    result = CliRunner().invoke(log_command, words, standalone_mode=False)
    if result.exception:
        raise result.exception
    return result.stdout


def test_loading_an_empty_log_keeps_the_existing_database(tmp_path: Path, database: str) -> None:
    before = (tmp_path / "log.db").read_bytes()
    (tmp_path / "empty").touch()
    with pytest.raises(LogError, match="empty: is empty"):
        load([str(tmp_path / "empty")], database, lambda _read, _of: None)
    assert (tmp_path / "log.db").read_bytes() == before
    assert sorted(file.name for file in tmp_path.iterdir()) == ["empty", "log", "log.db"]


def test_a_missing_database_and_a_missing_database_folder_are_reported(tmp_path: Path) -> None:
    (tmp_path / "loop.db").symlink_to("loop.db")
    for name in ("none.db", "loop.db"):
        with pytest.raises(LogError, match="create it with p4warden log load"):
            ask(str(tmp_path / name), "commands", 1)
    with pytest.raises(LogError, match="No such file or directory"):
        load([str(CASES / "locks.log")], str(tmp_path / "no" / "x.db"), lambda _read, _of: None)


@pytest.mark.parametrize("other", ["text", "of another program", "folder", "log"])
def test_log_load_does_not_replace_a_file_that_is_not_a_log_database(
    tmp_path: Path, other: str
) -> None:
    log, old = tmp_path / "log", tmp_path / other
    log.write_text(start("12:00:00", 1, "user-info"))
    if other == "folder":
        old.mkdir()
    elif other == "text":
        old.write_text("mine")
    elif other == "of another program":
        with contextlib.closing(sqlite3.connect(old)) as other_database:
            other_database.execute("CREATE TABLE command (mine INTEGER)")
    before = old.read_bytes() if old.is_file() else None
    with pytest.raises(LogError, match="is not a database of logs; specify another --database"):
        load([str(log)], str(old), lambda _read, _of: None)
    assert (old.read_bytes() if old.is_file() else None) == before


def test_log_load_replaces_an_empty_file_and_an_earlier_database(tmp_path: Path) -> None:
    log, path = tmp_path / "log", tmp_path / "empty.db"
    log.write_text(start("12:00:00", 1, "user-info"))
    path.touch()
    for _ in range(2):
        assert load([str(log)], str(path), lambda _read, _of: None) == []
        assert [row[1] for row in ask(str(path), "commands", 9).rows] == [1]


def test_loading_an_empty_pipe_keeps_the_existing_database(tmp_path: Path, database: str) -> None:
    before = Path(database).read_bytes()
    os.mkfifo(tmp_path / "pipe")
    threading.Thread(target=(tmp_path / "pipe").write_bytes, args=(b"",)).start()
    with pytest.raises(LogError, match="pipe: is empty"):
        load([str(tmp_path / "pipe")], database, lambda _read, _of: None)
    assert Path(database).read_bytes() == before


def test_the_log_database_is_readable_by_its_owner_alone(database: str) -> None:
    assert Path(database).stat().st_mode & 0o777 == 0o600


def test_a_negative_time_of_holding_a_lock_counts_as_0(tmp_path: Path) -> None:
    with loaded(tmp_path, CASES / "rounds.log") as database:
        [lowest] = database.execute("SELECT min(write_held_ms) FROM table_use").fetchone()
    assert lowest < 0
    for name in ("contention", "lock-users"):
        answer = rows(str(tmp_path / "log.db"), name)
        amounts = [n for row in answer for key, n in row.items() if key.endswith("_ms")]
        assert min(n for n in amounts if n is not None) == 0, name
