"""Logs of several servers in one database: whose they are, and what they do not tell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from logs.blocks import done, start
from logs.database import kinds, loaded
from p4warden.commands.log import log as log_command
from p4warden.logs.load_database import load, not_understood
from p4warden.logs.reader import LogError

if TYPE_CHECKING:
    from pathlib import Path

EDGE = "ann@ann-ws 10.0.0.1 [p4/v93]"
COMMIT = "ann@ann-ws 10.9.9.9/10.0.0.1 [p4/v93]"
IDENT = "35895515CB3A747E95971826797997DE"


def written(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def structured(server: str, pid: int, second: int, address: str, ident: str = IDENT) -> str:
    """Return the start of a command in a structured log of 2022.2."""
    return (
        f"0.55,{1772452800 + second},5,2026/03/02 12:00:0{second} 5,{pid},{ident},{server},1,"
        f"ann,ann-ws,user-change,{address},p4,v93,-i,group\n"
    )


def rows(database: Any, query: str) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in database.execute(query)]


def test_a_forwarded_command_counts_once(tmp_path: Path) -> None:
    edge = start("12:00:00", 71, "user-change -i", EDGE) + start("12:00:09", 72, "user-info", EDGE)
    commit = (
        start("12:00:01", 71, "user-change -i", COMMIT)  # the edge's, a second later
        + start("12:00:05", 73, "user-change -o", COMMIT)  # other arguments
        + start("12:00:20", 74, "user-info", COMMIT)  # too late for the edge's
    )
    logs = [
        f"edge={written(tmp_path / 'edge.log', edge)}",
        f"commit={written(tmp_path / 'commit.log', commit)}",
    ]
    with loaded(tmp_path, servers=logs) as database:
        pairs = rows(
            database,
            "SELECT here.server, here.pid, there.server, there.pid FROM forwarded"
            " JOIN command AS here ON here.id = forwarded.command"
            " JOIN command AS there ON there.id = origin",
        )
        assert pairs == [(2, 71, 1, 71)]
        assert rows(database, "SELECT count(*) FROM asked") == [(4,)]
        names = rows(database, "SELECT server, count(*) FROM commands GROUP BY 1 ORDER BY 1")
        assert names == [("commit", 3), ("edge", 2)]


def test_a_command_through_a_proxy_and_an_edge_is_the_same(tmp_path: Path) -> None:
    through = "ann@ann-ws 10.9.9.9/10.3.3.3/10.0.0.1 [p4/v93]"
    edge = start("12:00:00", 7, "user-change -i", "ann@ann-ws 10.3.3.3/10.0.0.1 [p4/v93]")
    other = start("12:00:00", 8, "user-change -i", "ann@ann-ws 10.4.4.4/10.0.0.1 [p4/v93]")
    commit = start("12:00:00", 9, "user-change -i", through)
    logs = [
        f"edge={written(tmp_path / 'edge.log', other + edge)}",
        f"commit={written(tmp_path / 'commit.log', commit)}",
    ]
    with loaded(tmp_path, servers=logs) as database:
        found = rows(
            database, "SELECT pid FROM command WHERE id IN (SELECT origin FROM forwarded)"
        )
        assert found == [(7,)]


def test_structured_logs_name_their_server_and_their_command(tmp_path: Path) -> None:
    edge = structured("edge", 1, 0, "10.0.0.1") + structured("edge", 2, 3, "10.0.0.1", "F" * 32)
    commit = structured("commit", 9, 6, "10.9.9.9/10.0.0.1")
    logs = [written(tmp_path / "a.csv", commit), written(tmp_path / "b.csv", edge)]
    with loaded(tmp_path, *logs) as database:
        assert rows(database, "SELECT name FROM server ORDER BY 1") == [("commit",), ("edge",)]
        found = rows(
            database,
            "SELECT here.pid, there.pid FROM forwarded JOIN command AS here"
            " ON here.id = forwarded.command JOIN command AS there ON there.id = origin",
        )
        assert found == [(9, 1)]


def test_each_server_has_its_time_zone(tmp_path: Path) -> None:
    text = start("12:00:00", 71, "user-info")
    logs = [f"{name}={written(tmp_path / name, text)}" for name in ("berlin", "utc")]
    with loaded(tmp_path, servers=logs, zones=["berlin=CET-1"]) as database:
        [(berlin,), (utc,)] = rows(database, "SELECT start FROM command ORDER BY server")
        assert utc - berlin == 3600
    with pytest.raises(LogError, match="Mars is no time zone"):
        load([], str(tmp_path / "x.db"), lambda _read, _of: None, logs, ["berlin=Mars"])


def test_one_name_is_for_all_logs_and_a_pattern_for_many(tmp_path: Path) -> None:
    for number in (1, 2):
        written(tmp_path / f"edge.{number}", start(f"12:00:0{number}", number, "user-info"))
    own = written(tmp_path / "log", start("12:00:00", 71, "user-have"))
    path = tmp_path / "p4log.db"
    words = ["load", str(own), "--server", "commit", "--server", f"edge={tmp_path}/edge.*"]
    done = CliRunner().invoke(log_command, [*words, "--database", str(path)])
    assert (done.exit_code, done.stderr) == (0, "")
    with loaded(tmp_path, own, servers=["commit", f"edge={tmp_path}/edge.1"]) as database:
        assert rows(database, "SELECT name FROM server ORDER BY 1") == [("commit",), ("edge",)]
    done = CliRunner().invoke(log_command, ["load", "--server", "commit"])
    assert "no log is named" in done.stderr


def test_what_a_log_does_not_tell_is_in_the_database(tmp_path: Path) -> None:
    full = (
        start("12:00:00", 71, "user-info")[:-1]
        + "--- lapse 1s\n--- usage 1+2us 3+4io 5+6net 7k 8pf\n"
    )
    logs = [
        f"full={written(tmp_path / 'full', full)}",
        f"bare={written(tmp_path / 'bare', start('12:00:00', 71, 'user-info'))}",
    ]
    with loaded(tmp_path, servers=logs) as database:
        assert kinds(database, "full") == {"start": 1, "end": 1, "cpu": 1}
        assert kinds(database, "bare") == {"start": 1}
        # A kind that no record tells of has a row, with 0.
        [(rows_of_bare,)] = rows(database, "SELECT count(*) FROM log_kind WHERE server = 1")
        assert rows_of_bare > 10


def test_what_is_no_log_is_named_and_left_out(tmp_path: Path) -> None:
    log = written(tmp_path / "log", start("12:00:00", 71, "user-info"))
    sums = written(tmp_path / "log.md5", "d41d8cd98f00b204e9800998ecf8427e  log\n")
    path = str(tmp_path / "p4log.db")
    done = CliRunner().invoke(
        log_command, ["load", str(sums), str(log), "--database", path], standalone_mode=False
    )
    assert done.return_value == 1
    assert done.stderr.startswith(f"p4warden: {sums}: is no log of p4d; ")
    with loaded(tmp_path, log, sums, faults=1) as database:
        found = rows(
            database, "SELECT path, form, lines, problem IS NULL FROM log_file ORDER BY id"
        )
        assert found == [(str(log), "text", 3, 1), (str(sums), None, 0, 0)]


def test_lines_that_were_not_understood_are_counted_and_shown(tmp_path: Path) -> None:
    first = written(tmp_path / "log.1", start("12:00:00", 71, "user-info") + "\tnonsense \x07\n")
    log = written(tmp_path / "log", start("12:00:05", 72, "user-info"))
    with loaded(tmp_path, first, log) as database:
        counts = rows(database, "SELECT unknown FROM log_file ORDER BY id")
        assert counts == [(1,), (0,)]
    assert not_understood(str(tmp_path / "log.db")) == [
        "1 of 7 lines were not understood, the first of them:",
        f"{first}:4: ?nonsense ?",
    ]


def test_lines_are_counted_in_each_file(tmp_path: Path) -> None:
    first = written(tmp_path / "log.1", start("12:00:00", 71, "user-info"))
    log = written(tmp_path / "log", start("12:00:05", 72, "user-have"))
    with loaded(tmp_path, log, first) as database:
        assert rows(database, "SELECT pid, file, line FROM command ORDER BY pid") == [
            (71, 1, 2),
            (72, 2, 2),
        ]


def test_only_what_ran_for_a_client_at_the_end_has_no_end(tmp_path: Path) -> None:
    text = (
        done("12:00:00", 1, "1")
        + start("12:00:01", 2, "user-sync //...")
        + start("12:00:02", 3, "user-have")
        + start("12:00:03", 3, "user-info")  # the process went on to it
        + done("12:00:04", 3, "1")
        + start("12:00:04", 4, "rmt-FileFetch")
        + start("12:00:04", 5, "pull -i 1", "svc@unknown background [p4d/v93]")
        + start("12:00:04", 6, "client-Stats")
    )
    with loaded(tmp_path, written(tmp_path / "log", text)) as database:
        found = dict(
            rows(database, "SELECT pid * 10 + (lapse_s IS NOT NULL), running FROM command")
        )
    assert found == {11: 0, 20: 1, 30: 0, 31: 0, 40: 0, 50: 0, 60: 0}


def test_of_a_log_without_ends_nothing_is_known_to_run(tmp_path: Path) -> None:
    log = written(tmp_path / "log", start("12:00:00", 71, "user-info"))
    with loaded(tmp_path, log) as database:
        assert rows(database, "SELECT running FROM command") == [(None,)]
