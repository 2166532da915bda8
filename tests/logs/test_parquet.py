"""Tests of `p4warden log export --parquet`, which writes a log database as Parquet files."""

from __future__ import annotations

import datetime
import os
import stat
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from logs.blocks import done, start
from logs.database import made_of
from logs.test_incident import CASES
from p4warden.commands.log import log as log_command
from p4warden.workbench.logs.database_reports import open_database
from support import portable_queries

duckdb = pytest.importorskip("duckdb", reason="no duckdb: Parquet files are not tried with it")
pyarrow = pytest.importorskip("pyarrow", reason="no pyarrow: no Parquet files are written")
pytestmark = pytest.mark.long

SQL = Path(__file__).parents[2] / "docs" / "sql"
TABLES = ("command", "table_use", "archive", "trigger_run", "error", "event")
UTC = datetime.timezone.utc


def exported(folder: Path, *words: str, name: str = "log") -> None:
    """Load logs into a database and export it as Parquet files to `parquet` in a folder."""
    logs = [Path(word) for word in words if "=" not in word]
    names = [word for word in words if "=" in word]
    database = made_of(folder, *logs, servers=names, name=name)
    values = ["export", "--database", database, "--parquet", str(folder / "parquet")]
    result = CliRunner().invoke(log_command, values, standalone_mode=False)
    assert result.exception is None, result.exception


def rows_of(folder: Path, query: str) -> list[dict[str, Any]]:
    """Return the rows of a DuckDB query on the exported Parquet files."""
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        for table in TABLES:
            files = folder / "parquet" / table / "*" / "*" / "*.parquet"
            if any((folder / "parquet").glob(f"{table}/*/*/*.parquet")):
                relation = connection.read_parquet(str(files), hive_partitioning=True)
                relation.create_view(table)
        rows: list[dict[str, Any]] = connection.sql(query).to_arrow_table().to_pylist()
        return rows


def test_each_exported_table_has_every_row_and_column_of_the_database(tmp_path: Path) -> None:
    logs = sorted(str(log) for log in (CASES.parent / "logs").glob("*.log"))
    names = [f"s{number}={log}" for number, log in enumerate(logs)]
    exported(tmp_path, *names)
    with open_database(str(tmp_path / "log.db")) as database:
        for table in TABLES:
            columns = [row[1] for row in database.execute(f"PRAGMA table_info({table})")]
            rows = f"SELECT * FROM {table}"  # noqa: S608 - as `TABLES` has it
            results = rows_of(tmp_path, rows)
            assert len(results) == len(database.execute(rows).fetchall()) > 0, table
            assert {*columns, "day", "source"} - {"file"} <= results[0].keys()
        query = (
            "SELECT id, text AS user, rss_kb, pid FROM command LEFT JOIN name ON name.id = user"
        )
        expected = {
            row[0]: row[1:] for row in database.execute(query.replace("id,", "command.id,", 1))
        }
    report = rows_of(tmp_path, "SELECT id, c.user, rss_kb, pid FROM command AS c")
    assert {row["id"]: (row["user"], row["rss_kb"], row["pid"]) for row in report} == expected


def test_exported_rows_have_names_and_timestamps_instead_of_numbers(tmp_path: Path) -> None:
    exported(tmp_path, f"main={CASES / 'incident.log'}")
    [row] = rows_of(tmp_path, "SELECT * FROM command WHERE pid = 22")
    assert row["user"] == "dave"
    assert row["command"] == "user-submit"
    assert row["args"] == "-d fix"
    assert row["start"] == datetime.datetime(2026, 3, 2, 9, 31, 5, tzinfo=UTC)
    assert (row["end"] - row["start"]).total_seconds() == 16
    assert (row["server"], str(row["day"]), row["source"]) == (
        "main",
        "2026-03-02",
        "20260302T090000",
    )
    assert row["memory_mb"] is None
    query = "SELECT t.name, t.write_wait_ms FROM table_use t JOIN command c ON c.id = t.command"
    assert {"name": "db.rev", "write_wait_ms": 14500} in rows_of(
        tmp_path, f"{query} WHERE pid = 22"
    )


def test_rows_are_divided_by_server_and_local_day(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", "XST-5:30")
    time.tzset()
    text = start("23:59:59", 1, "user-info") + start("00:00:01", 2, "user-info", day="2026/03/03")
    (tmp_path / "one").write_text(text)
    (tmp_path / "two").write_text(text)
    exported(tmp_path, f"a/../b={tmp_path / 'one'}", f"edge={tmp_path / 'two'}")
    results = sorted(str(p.relative_to(tmp_path)) for p in tmp_path.glob("parquet/command/*/*/*"))
    assert [name.split("/")[2:4] for name in results] == [
        ["server=a%2F..%2Fb", "day=2026-03-02"],
        ["server=a%2F..%2Fb", "day=2026-03-03"],
        ["server=edge", "day=2026-03-02"],
        ["server=edge", "day=2026-03-03"],
    ]


def test_exporting_the_same_log_again_replaces_its_rows(tmp_path: Path) -> None:
    log, other = tmp_path / "log", tmp_path / "other"
    text = start("12:00:00", 1, "user-info") + done("12:00:01", 1, "1")
    log.write_text(text + start("23:00:00", 1, "user-sync", day="2026/03/03"))
    other.write_text(start("12:00:05", 1, "user-have"))
    exported(tmp_path, str(log))
    exported(tmp_path, str(other), name="other")
    log.write_text(text + start("13:00:00", 2, "user-files"))
    exported(tmp_path, str(log))
    rows = rows_of(tmp_path, "SELECT command FROM command ORDER BY start")
    assert [row["command"] for row in rows] == ["user-info", "user-have", "user-files"]
    assert not list(tmp_path.glob("parquet/*/*/*/.*"))


def test_exports_of_logs_with_events_only_do_not_replace_each_other(tmp_path: Path) -> None:
    for day in ("02", "03"):
        log = tmp_path / day
        log.write_text(f"2026/03/{day} 12:00:05 1 pid 9: Server is now using 14 active threads.\n")
        exported(tmp_path, str(log), name=day)
    rows = rows_of(tmp_path, "SELECT source FROM event ORDER BY source")
    assert [row["source"][:8] for row in rows] == ["20260302", "20260303"]


def test_an_export_is_named_after_its_first_command_even_if_an_event_is_earlier(
    tmp_path: Path,
) -> None:
    event = "2026/03/02 11:59:05 1 pid 9: Server is now using 14 active threads.\n\n"
    log = tmp_path / "log"
    log.write_text(event + start("12:00:00", 1, "user-info"))
    exported(tmp_path, str(log))
    for table in ("command", "event"):
        [row] = rows_of(tmp_path, f"SELECT source FROM {table}")  # noqa: S608 - names of tables
        assert row["source"] == "20260302T120000"


def test_exported_files_are_accessible_to_their_owner_alone(tmp_path: Path) -> None:
    exported(tmp_path, str(CASES / "incident.log"))
    exports = [tmp_path / "parquet", *tmp_path.glob("parquet/**/*")]
    modes = {(p.is_dir(), stat.S_IMODE(p.stat().st_mode)) for p in exports}
    assert modes == {(True, 0o700), (False, 0o600)}


@pytest.mark.parametrize("name", sorted(path.stem for path in SQL.glob("*.sql")))
def test_documented_queries_return_the_expected_rows(tmp_path: Path, name: str) -> None:
    exported(tmp_path, f"main={CASES / 'incident.log'}")
    query = (SQL / f"{name}.sql").read_text()
    portable_queries.check(name, rows_of(tmp_path, query))


def test_export_without_pyarrow_is_reported_in_one_line_with_the_install_command() -> None:
    values = ["log", "export", "--parquet", "none"]
    code = (
        f"import sys; sys.modules['pyarrow'] = None; from p4warden import cli; cli.run({values})"
    )
    process = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, check=True, text=True
    )
    [line] = process.stderr.splitlines()
    assert line.endswith("run this from a clone, after .venv/bin/pip install pyarrow")


def test_an_export_folder_that_is_a_file_is_reported(tmp_path: Path) -> None:
    (tmp_path / "parquet").write_text("in the way")
    with pytest.raises(AssertionError, match=r"parquet.*: Not a directory"):
        exported(tmp_path, str(CASES / "incident.log"))


def locking(pid: int) -> str:
    """Return the text log blocks of a command that used 1,000 locks."""
    wait = "--- db.{}\n---   total lock wait+held read/write 0ms+{}ms/0ms+0ms\n"
    locks = "".join(wait.format(pid * 1000 + n, n) for n in range(1000))
    command = start("12:00:00", pid, "user-info")
    return command + done("12:00:01", pid, "1") + command.replace("\n\n", f"\n{locks}\n")


MORE_BYTES = 20_000


def limited_export(folder: Path, most_bytes: int) -> str:
    """Export `log.db`, which fails as no file may exceed `most_bytes`; return the error output."""
    code = (
        "import resource, sys; from p4warden import cli;"
        f"resource.setrlimit(resource.RLIMIT_FSIZE, ({most_bytes}, {most_bytes}));"
        "sys.exit(cli.run(sys.argv[1:]))"
    )
    options = [f"--database={folder / 'log.db'}", f"--parquet={folder / 'parquet'}"]
    command = [sys.executable, "-c", code, "log", "export", *options]
    process = subprocess.run(command, capture_output=True, check=False, text=True)
    assert process.returncode == 1
    return process.stderr


def test_a_failed_export_keeps_all_files_of_the_earlier_export(tmp_path: Path) -> None:
    log = tmp_path / "log"
    text = start("12:00:00", 1, "user-info") + done("12:00:01", 1, "1")
    log.write_text(text)
    exported(tmp_path, str(log))
    before = {path: path.read_bytes() for path in tmp_path.glob("parquet/**/*.parquet")}
    # Only the file of `table_use`, which is not the first to be completed, exceeds `MORE_BYTES`.
    log.write_text(text + "".join(map(locking, range(2, 12))))
    made_of(tmp_path, log)
    for most_bytes in (MORE_BYTES, 100):
        message = limited_export(tmp_path, most_bytes)
        assert message == f"p4warden: {tmp_path}/parquet: File too large\n"
        after = {
            path: path.read_bytes() for path in tmp_path.glob("parquet/**/*") if path.is_file()
        }
        assert after == before


def test_no_temporary_file_stays_if_a_file_cannot_be_replaced(tmp_path: Path) -> None:
    exported(tmp_path, str(CASES / "incident.log"))
    [file] = tmp_path.glob("parquet/table_use/*/*/*.parquet")
    file.unlink()
    file.mkdir()
    with pytest.raises(AssertionError, match=r"table_use.*: Is a directory"):
        exported(tmp_path, str(CASES / "incident.log"))
    assert not list(tmp_path.glob("parquet/*/*/*/.*"))


def test_files_of_a_killed_export_are_removed_and_those_of_another_process_stay(
    tmp_path: Path,
) -> None:
    # The module needs pyarrow.
    from p4warden.workbench.logs.parquet_files import MOST_OPEN, PartFiles, Partition  # noqa: PLC0415

    partition = Partition("main", "2027-03-01")
    folder = partition.folder(tmp_path)
    folder.mkdir(parents=True)
    with subprocess.Popen([sys.executable, "-c", ""]) as dead:
        pass
    name = ".20270301T000000-0.parquet.p4warden-{}.new"
    for process in (dead.pid, os.getppid()):
        (folder / name.format(process)).write_text("half")
    files = PartFiles(tmp_path, "20270301T000000")
    rows = pyarrow.table({"a": [1]})
    for number in range(MOST_OPEN + 2):
        files.write(Partition("main", f"day{number}"), rows)
    for _ in range(2):  # it is closed in between
        files.write(partition, rows)
        for number in range(MOST_OPEN + 2):
            files.write(Partition("main", f"day{number}"), rows)
    files.complete()
    files.replace()
    names = {file.name for file in folder.iterdir()}
    assert name.format(os.getppid()) in names
    assert len(names) == 3
    assert name.format(dead.pid) not in names
