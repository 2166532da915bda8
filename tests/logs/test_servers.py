"""Tests of several servers' logs in one database: forwarded commands, and missing facts.

Also of time zones, lines that were not understood, and commands still running at a log's end.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from logs.blocks import done, start
from logs.database import ask, kinds, loaded
from p4warden.commands.log import log as log_command
from p4warden.workbench.logs.load_database import load, not_understood
from p4warden.workbench.logs.reader import LogError

if TYPE_CHECKING:
    from pathlib import Path

EDGE = "ann@ann-ws 10.0.0.1 [p4/v93]"
COMMIT = "ann@ann-ws 10.9.9.9/10.0.0.1 [p4/v93]"
IDENT = "35895515CB3A747E95971826797997DE"


def save(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def structured(server: str, pid: int, second: int, address: str, ident: str = IDENT) -> str:
    """Return the record of a command's start in a structured log of a p4d 2022.2."""
    return (
        f"0.55,{1772452800 + second},5,2026/03/02 12:00:0{second} 5,{pid},{ident},{server},1,"
        f"ann,ann-ws,user-change,{address},p4,v93,-i,group\n"
    )


def pids_at(database: str, time: str) -> list[int]:
    """Return the processes of the commands that report `moment` lists."""
    words = ["report", "moment", "--at", time, "--json", "--database", database]
    result = CliRunner().invoke(log_command, words, standalone_mode=False)
    assert result.exception is None, result.exception
    return sorted(json.loads(line)["pid"] for line in result.stdout.splitlines())


def rows(database: Any, query: str) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in database.execute(query)]


def test_a_forwarded_command_is_counted_once(tmp_path: Path) -> None:
    edge = start("12:00:00", 71, "user-change -i", EDGE) + start("12:00:09", 72, "user-info", EDGE)
    commit = (
        # the command that the edge server forwarded, logged by the commit server a second later
        start("12:00:01", 71, "user-change -i", COMMIT)
        # not forwarded from the edge server, because the arguments differ
        + start("12:00:05", 73, "user-change -o", COMMIT)
        # not forwarded from the edge server, because it started 11 s later
        + start("12:00:20", 74, "user-info", COMMIT)
    )
    logs = [
        f"edge={save(tmp_path / 'edge.log', edge)}",
        f"commit={save(tmp_path / 'commit.log', commit)}",
    ]
    with loaded(tmp_path, servers=logs) as database:
        pairs = rows(
            database,
            "SELECT here.server, here.pid, there.server, there.pid FROM forwarded"
            " JOIN command AS here ON here.id = forwarded.command"
            " JOIN command AS there ON there.id = origin",
        )
        assert pairs == [(2, 71, 1, 71)]
        assert rows(database, "SELECT count(*) FROM distinct_command") == [(4,)]
        names = rows(database, "SELECT server, count(*) FROM commands GROUP BY 1 ORDER BY 1")
        assert names == [("commit", 3), ("edge", 2)]


def test_a_command_forwarded_from_a_proxy_is_matched_by_the_proxy_address(tmp_path: Path) -> None:
    through = "ann@ann-ws 10.9.9.9/10.3.3.3/10.0.0.1 [p4/v93]"
    edge = start("12:00:00", 7, "user-change -i", "ann@ann-ws 10.3.3.3/10.0.0.1 [p4/v93]")
    other = start("12:00:00", 8, "user-change -i", "ann@ann-ws 10.4.4.4/10.0.0.1 [p4/v93]")
    commit = start("12:00:00", 9, "user-change -i", through)
    logs = [
        f"edge={save(tmp_path / 'edge.log', other + edge)}",
        f"commit={save(tmp_path / 'commit.log', commit)}",
    ]
    with loaded(tmp_path, servers=logs) as database:
        results = rows(
            database, "SELECT pid FROM command WHERE id IN (SELECT origin FROM forwarded)"
        )
        assert results == [(7,)]


def test_server_names_and_forwarded_commands_are_read_from_structured_logs(tmp_path: Path) -> None:
    edge = structured("edge", 1, 0, "10.0.0.1") + structured("edge", 2, 3, "10.0.0.1", "F" * 32)
    commit = structured("commit", 9, 6, "10.9.9.9/10.0.0.1")
    logs = [save(tmp_path / "a.csv", commit), save(tmp_path / "b.csv", edge)]
    with loaded(tmp_path, *logs) as database:
        assert rows(database, "SELECT name FROM server ORDER BY 1") == [("commit",), ("edge",)]
        results = rows(
            database,
            "SELECT here.pid, there.pid FROM forwarded JOIN command AS here"
            " ON here.id = forwarded.command JOIN command AS there ON there.id = origin",
        )
        assert results == [(9, 1)]


@pytest.mark.parametrize("no_identifier", ["-", "", "unknown"])
def test_commands_without_an_identifier_are_not_taken_for_one(
    tmp_path: Path, no_identifier: str
) -> None:
    edge = structured("edge", 1, 0, "10.0.0.1", no_identifier)
    commit = structured("commit", 9, 6, "10.9.9.9/10.0.0.1", no_identifier)
    logs = [save(tmp_path / "a.csv", commit), save(tmp_path / "b.csv", edge)]
    with loaded(tmp_path, *logs) as database:
        assert rows(database, "SELECT count(*) FROM forwarded") == [(0,)]
        assert rows(database, "SELECT DISTINCT ident FROM command") == [(None,)]


def test_each_server_can_have_a_time_zone_and_an_unknown_zone_is_reported(tmp_path: Path) -> None:
    text = start("12:00:00", 71, "user-info")
    logs = [f"{name}={save(tmp_path / name, text)}" for name in ("berlin", "utc")]
    with loaded(tmp_path, servers=logs, zones=["berlin=CET-1"]) as database:
        [(berlin,), (utc,)] = rows(database, "SELECT start FROM command ORDER BY server")
        assert utc - berlin == 3600
    with pytest.raises(LogError, match="Mars is not a time zone"):
        load([], str(tmp_path / "x.db"), lambda _read, _of: None, logs, ["berlin=Mars"])


def test_option_server_names_all_logs_or_the_logs_that_match_a_pattern(tmp_path: Path) -> None:
    for number in (1, 2):
        save(tmp_path / f"edge.{number}", start(f"12:00:0{number}", number, "user-info"))
    own = save(tmp_path / "log", start("12:00:00", 71, "user-have"))
    path = tmp_path / "p4log.db"
    words = ["load", str(own), "--server", "commit", "--server", f"edge={tmp_path}/edge.*"]
    result = CliRunner().invoke(log_command, [*words, "--database", str(path)])
    assert (result.exit_code, result.stderr) == (0, "")
    with loaded(tmp_path, own, servers=["commit", f"edge={tmp_path}/edge.1"]) as database:
        assert rows(database, "SELECT name FROM server ORDER BY 1") == [("commit",), ("edge",)]
    result = CliRunner().invoke(log_command, ["load", "--server", "commit"])
    assert "no log is given" in result.stderr


def test_the_database_counts_every_kind_of_fact_with_0_for_missing_kinds(tmp_path: Path) -> None:
    full = (
        start("12:00:00", 71, "user-info")[:-1]
        + "--- lapse 1s\n--- usage 1+2us 3+4io 5+6net 7k 8pf\n"
    )
    logs = [
        f"full={save(tmp_path / 'full', full)}",
        f"bare={save(tmp_path / 'bare', start('12:00:00', 71, 'user-info'))}",
    ]
    with loaded(tmp_path, servers=logs) as database:
        assert kinds(database, "full") == {"start": 1, "end": 1, "cpu": 1}
        assert kinds(database, "bare") == {"start": 1}
        # The table `log_kind` has a row with the count 0 for each kind of fact that the log lacks.
        [(rows_of_bare,)] = rows(database, "SELECT count(*) FROM log_kind WHERE server = 1")
        assert rows_of_bare > 10


def test_a_file_that_is_not_a_log_is_reported_and_not_loaded(tmp_path: Path) -> None:
    log = save(tmp_path / "log", start("12:00:00", 71, "user-info"))
    sums = save(tmp_path / "log.md5", "d41d8cd98f00b204e9800998ecf8427e  log\n")
    path = str(tmp_path / "p4log.db")
    result = CliRunner().invoke(
        log_command, ["load", str(sums), str(log), "--database", path], standalone_mode=False
    )
    assert result.return_value == 1
    assert result.stderr.startswith(f"p4warden: {sums}: is not a p4d log; ")
    with loaded(tmp_path, log, sums, faults=1) as database:
        results = rows(
            database, "SELECT path, form, lines, problem IS NULL FROM log_file ORDER BY id"
        )
        assert results == [(str(log), "text", 3, 1), (str(sums), None, 0, 0)]


def test_lines_that_were_not_understood_are_counted_and_shown(tmp_path: Path) -> None:
    first = save(tmp_path / "log.1", start("12:00:00", 71, "user-info") + "\tnonsense \x07\n")
    log = save(tmp_path / "log", start("12:00:05", 72, "user-info"))
    with loaded(tmp_path, first, log) as database:
        counts = rows(database, "SELECT unknown FROM log_file ORDER BY id")
        assert counts == [(1,), (0,)]
    assert not_understood(str(tmp_path / "log.db")) == [
        "1 of 7 lines not understood, the first of them:",
        f"{first}:4: ?nonsense ?",
    ]


def test_line_numbers_of_commands_are_counted_in_each_file(tmp_path: Path) -> None:
    first = save(tmp_path / "log.1", start("12:00:00", 71, "user-info"))
    log = save(tmp_path / "log", start("12:00:05", 72, "user-have"))
    with loaded(tmp_path, log, first) as database:
        assert rows(database, "SELECT pid, file, line FROM command ORDER BY pid") == [
            (71, 1, 2),
            (72, 2, 2),
        ]


def test_only_unfinished_client_commands_are_running_at_the_end_of_the_log(tmp_path: Path) -> None:
    text = (
        done("12:00:00", 1, "1")
        + start("12:00:01", 2, "user-sync //...")
        + start("12:00:02", 3, "user-have")
        # the start of this process's next command shows that `user-have` ended
        + start("12:00:03", 3, "user-info")
        + done("12:00:04", 3, "1")
        + start("12:00:04", 4, "rmt-FileFetch")
        + start("12:00:04", 5, "pull -i 1", "svc@unknown background [p4d/v93]")
        + start("12:00:04", 6, "client-Stats")
    )
    with loaded(tmp_path, save(tmp_path / "log", text)) as database:
        results = dict(
            rows(database, "SELECT pid * 10 + (lapse_s IS NOT NULL), running FROM command")
        )
    assert results == {11: 0, 20: 1, 30: 0, 31: 0, 40: 0, 50: 0, 60: 0}


def test_whether_a_command_is_running_is_unknown_in_a_log_without_ends(tmp_path: Path) -> None:
    log = save(tmp_path / "log", start("12:00:00", 71, "user-info"))
    with loaded(tmp_path, log) as database:
        assert rows(database, "SELECT running FROM command") == [(None,)]


def test_track_records_in_a_separate_file_are_merged_with_the_commands(tmp_path: Path) -> None:
    rest = "user-change,10.0.0.1,p4,v93,-i,group"
    head = f"2026/03/02 12:00:00 5,7,{IDENT},commit,{{}},ann,ann-ws,{rest}"
    commands, track = [], []
    # The commands are a minute apart, longer than the log reader waits for late lines about a
    # command that has ended.
    for number in range(1, 40):
        at = 1772452800 + number * 60
        commands += [f"0.55,{at},0,{head}", f"2.55,{at + 2},0,{head},2s,,0,0,0s"]
        track.append(f"7.55,{at + 2},0,{head},2s,{number},2,3,4,5,6,7,8")
        commands[-2:] = [line.format(number) for line in commands[-2:]]
        track[-1] = track[-1].format(number)
    logs = [
        save(tmp_path / "track.csv", "\n".join(track)),
        save(tmp_path / "commands-1.csv", "\n".join(commands[:30]) + "\n"),
        save(tmp_path / "commands.csv", "\n".join(commands[30:]) + "\nnonsense\n"),
    ]
    with loaded(tmp_path, *logs) as database:
        results = rows(database, "SELECT user_ms, lapse_s FROM command ORDER BY start")
        assert results == [(number, 2.0) for number in range(1, 40)]
        files = rows(database, "SELECT path, lines, unknown FROM log_file ORDER BY path")
        assert [(path.rsplit("/")[-1], *counts) for path, *counts in files] == [
            ("commands-1.csv", 30, 0),
            ("commands.csv", 49, 1),
            ("track.csv", 39, 0),
        ]
        [(lines, unknown)] = rows(database, "SELECT lines, unknown FROM log")
        assert (lines, unknown) == (30 + 49 + 39, 1)
        assert set(kinds(database, "commit")) == {"start", "end", "cpu", "pause"}


def test_an_error_of_an_unknown_process_is_stored_without_a_command(tmp_path: Path) -> None:
    text = start("12:00:00", 71, "user-fstat //...").rstrip("\n") + (
        "\nPerforce server error:\n\tDate 2026/03/02 12:00:01:\n\tPid 70\n"
        "\tOperation: user-fstat\n\tToo many commands paused;  terminated.\n\n"
    )
    lone = f"4.55,1772452801,0,x,9,{IDENT},commit,1,ann,ws,user-sync,1.2.3.4,p4,v93,x,g,3,1,No.\n"
    logs = [save(tmp_path / "log", text), save(tmp_path / "errors.csv", lone)]
    with loaded(tmp_path, *logs) as database:
        results = rows(database, "SELECT command, error.text FROM error ORDER BY 2")
        assert results == [(None, "No."), (None, "Too many commands paused;  terminated.")]


def test_a_command_that_ran_until_the_server_restarted_is_marked_as_running(
    tmp_path: Path,
) -> None:
    text = (
        done("12:00:00", 1, "1")
        + start("12:00:01", 2, "user-sync //...")
        + "Perforce server info:\n\tPerforce Server starting 2026/03/02 12:05:00\n"
        + start("12:06:00", 2, "user-info")
        + done("12:06:01", 2, "1")
    )
    with loaded(tmp_path, save(tmp_path / "log", text)) as database:
        assert rows(database, "SELECT pid, running FROM command WHERE start IS NOT NULL") == [
            (2, 1),
            (2, 0),
        ]
        [(start_time,)] = rows(
            database, "SELECT datetime(time, 'unixepoch') FROM event WHERE started"
        )
        assert start_time == "2026-03-02 12:05:00"


def test_report_moment_lists_no_command_from_before_a_start_of_the_server(tmp_path: Path) -> None:
    restart = "Perforce server info:\n\tPerforce Server starting 2026/03/02 12:05:00\n"
    text = (
        done("12:00:00", 1, "1")
        + start("12:00:01", 2, "user-sync //...")
        + start("12:05:00", 3, "user-sync //...")
        + restart
        + start("12:05:00", 4, "user-sync //...")
        + start("12:28:00", 5, "user-info")
        + done("12:28:00", 5, ".1")
    )
    other = done("12:00:00", 1, "1") + start("12:00:01", 6, "user-sync //...")
    save(tmp_path / "edge", other)
    servers = [f"edge={tmp_path / 'edge'}"]
    with loaded(tmp_path, save(tmp_path / "log", text), servers=["main", *servers]):
        path = str(tmp_path / "log.db")
    pids = {at: pids_at(path, at) for at in ("12:04:59", "12:05:00", "12:28:00")}
    assert pids == {"12:04:59": [2, 6], "12:05:00": [4, 6], "12:28:00": [4, 5, 6]}


def test_report_no_end_lists_commands_still_running_at_the_end_of_the_log(tmp_path: Path) -> None:
    text = done("12:00:00", 1, "1") + "".join(
        start(f"12:00:0{second}", second, "user-sync //...") for second in (3, 5)
    )
    later_commands = start("12:00:07", 7, "user-info") + done("12:00:09", 7, "2")
    with loaded(tmp_path, save(tmp_path / "log", text + later_commands)):
        answer = ask(str(tmp_path / "log.db"), "no-end", 9)
    assert [row[:4] for row in answer.rows] == [
        ("2026-03-02 12:00:03", 6.0, "end of the log", 3),
        ("2026-03-02 12:00:05", 4.0, "end of the log", 5),
    ]


def test_report_no_end_shows_not_in_this_log_for_a_log_without_ends(tmp_path: Path) -> None:
    with loaded(tmp_path, save(tmp_path / "log", start("12:00:00", 71, "user-info"))):
        answer = ask(str(tmp_path / "log.db"), "no-end", 9)
    assert (answer.rows, answer.reason[:15]) == ([], "not in this log")


def test_a_command_with_a_compute_end_and_no_completed_line_is_running(tmp_path: Path) -> None:
    text = start("12:00:00", 7, "user-sync") + done("12:00:01", 7, ".1").replace(
        "completed", "compute end"
    )
    with loaded(tmp_path, save(tmp_path / "log", text)) as database:
        assert rows(database, "SELECT running FROM command") == [(1,)]


def test_a_command_with_track_output_and_no_completed_line_has_ended(tmp_path: Path) -> None:
    text = (
        start("12:00:00", 7, "user-info")[:-1] + "--- db.user\n---   pages in+out+cached 1+2+3\n\n"
    )
    later = start("12:01:00", 8, "user-info") + done("12:01:01", 8, "1")
    with loaded(tmp_path, save(tmp_path / "log", text + later)) as database:
        assert rows(database, "SELECT pid, running FROM command ORDER BY pid") == [(7, 0), (8, 0)]
