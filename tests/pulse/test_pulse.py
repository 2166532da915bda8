"""Tests of `p4warden pulse`: how measurements are stored and scheduled, and the report on them."""

from __future__ import annotations

import datetime
import json
import re
import stat
import time
from pathlib import Path

import pytest

from p4warden import cli
from p4warden.reports.rows import lapse
from p4warden.workbench.pulse.measurements import Load, Measurement, append, read
from p4warden.workbench.pulse.rounds import COMMANDS, next_ns, totals
from p4warden.workbench.pulse.statistics import (
    LoadSummary,
    Summary,
    side_of,
    summarize,
    summarize_loads,
)
from p4warden.workbench.pulse.timed_commands import Arguments
from p4warden.workbench.pulse.working_hours import days, hours

LOG = Path(__file__).parents[1] / "cases" / "reports" / "pulse.jsonl"
MS = 10**6


def week(time_s: float) -> str:
    """Return the Monday of a time's week in UTC, so that the test can run in any time zone."""
    day = datetime.datetime.fromtimestamp(time_s, datetime.timezone.utc).date()
    return (day - datetime.timedelta(days=day.weekday())).isoformat()


def beats() -> list[Measurement]:
    return [beat for beat in read(LOG) if isinstance(beat, Measurement)]


def test_measurements_are_summarized_per_week_and_command() -> None:
    slowest = 1_200_500 * MS
    assert summarize(beats(), week) == [
        Summary("2027-02-22", "info", 3, 0, 30 * MS, 20 * MS, 60 * MS, 10 * MS),
        Summary("2027-02-22", "sync -f", 2, 1, 600_300 * MS, 600_300 * MS, slowest, 100 * MS),
        Summary("2027-03-08", "info", 1, 0, 8 * MS, 8 * MS, 8 * MS, 8 * MS),
        Summary("2027-03-08", "connect", 0, 1, None, None, None, None),
    ]


def test_measurements_are_summarized_before_and_after_a_change() -> None:
    sides = summarize(beats(), side_of(1804500000))
    assert [(side.span, side.command, side.runs) for side in sides] == [
        ("before", "info", 3),
        ("before", "sync -f", 2),
        ("after", "info", 1),
        ("after", "connect", 0),
    ]


def beats_of(text: str) -> list[Measurement]:
    """Return the pulse measurements that a text lists, one per second.

    `info=10` stands for a `p4 info` that took 10 ms, `info!` for one that failed.
    """
    words = [word.replace("sync", "sync -f") for word in text.split()]
    results = []
    for second, word in enumerate(words):
        name, _, ms = word.rstrip("!").partition("=")
        lapse_ns = int(ms) * MS if ms else None
        results.append(Measurement(second, "s", name, lapse_ns, None if ms else f"{name} failed"))
    return results


ALL_COMMANDS = "info=1 print=2 fstat=3 dirs=4 sync=5"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (ALL_COMMANDS, [(0, 15, None)]),
        (f"{ALL_COMMANDS} {ALL_COMMANDS}", [(0, 15, None), (5, 15, None)]),
        (
            f"{ALL_COMMANDS} connect! {ALL_COMMANDS}",
            [(0, 15, None), (5, None, "connect failed"), (6, 15, None)],
        ),
        ("connect! connect!", [(0, None, "connect failed"), (1, None, "connect failed")]),
        (f"info=1 print=2 connect! {ALL_COMMANDS}", [(0, None, "connect failed"), (3, 15, None)]),
        ("info=1 print=2 fstat! dirs=4 sync=5", [(0, None, "fstat failed")]),
        (f"info=1 print=2 {ALL_COMMANDS}", [(2, 15, None)]),
        (f"fstat=3 dirs=4 sync=5 {ALL_COMMANDS}", [(3, 15, None)]),
        ("", []),
    ],
)
def test_the_total_of_a_round_is_the_sum_of_its_five_commands(
    text: str, expected: list[tuple[int, int | None, str | None]]
) -> None:
    results = [(beat.time_s, beat.lapse_ns, beat.error) for beat in totals(beats_of(text))]
    assert results == [(s, None if ms is None else ms * MS, error) for s, ms, error in expected]
    assert {beat.command for beat in totals(beats_of(text))} <= {"total"}


def test_the_commands_of_a_round_are_the_timed_commands() -> None:
    query = Arguments("//depot/a/b", "//depot/*", "ws").commands
    assert tuple(" ".join(w for w in c[:2] if not w.startswith("//")) for c in query) == COMMANDS


def test_failed_commands_count_as_slower_than_the_target() -> None:
    results = {(s.span, s.command): s for s in summarize(beats(), week, 20 * MS)}
    info, sync = results["2027-02-22", "info"], results["2027-02-22", "sync -f"]
    assert (info.within, round(info.within_percent or 0, 1)) == (2, 66.7)
    assert (sync.within, sync.within_percent) == (0, 0)
    assert results["2027-03-08", "connect"].within_percent == 0
    assert summarize(beats(), week)[0].within_percent is None


@pytest.mark.parametrize(
    ("text", "inside", "outside"),
    [
        ("9-18", [540, 1079], [539, 1080, 0]),
        ("8:30-17:15", [510, 1034], [509, 1035]),
        ("22-6", [1320, 1439, 0, 359], [360, 1319]),
        ("0-24", [0, 1439], []),
    ],
)
def test_working_hours_are_parsed(text: str, inside: list[int], outside: list[int]) -> None:
    of_day = hours(text)
    assert all(of_day.has(minute) for minute in inside)
    assert not any(of_day.has(minute) for minute in outside)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("mon-fri", {0, 1, 2, 3, 4}), ("sat-mon", {5, 6, 0}), ("Tue,thu", {1, 3}), ("sun", {6})],
)
def test_working_days_are_parsed(text: str, expected: set[int]) -> None:
    assert days(text) == expected


def test_options_hours_and_days_select_measurements(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", "UTC0")
    time.tzset()
    # The measurements of this test begin on Monday, 2027-03-08, at 10:00 UTC.
    monday_10 = 1804500000 - 1804500000 % 86400 + 10 * 3600
    log = tmp_path / "pulse.jsonl"
    for day, hour, ms in ((0, 0, 10), (1, 2, 20), (1, 9, 900), (5, 0, 900)):
        start_s = monday_10 + day * 86400 + hour * 3600
        append(
            log, [Measurement(start_s + i, "s", name, ms * MS) for i, name in enumerate(COMMANDS)]
        )
    query = ["pulse", "report", "--output", str(log), "--hours", "9-18", "--days", "mon-fri"]
    try:
        assert cli.run([*query, "--target", "60ms"]) == 0
    finally:
        monkeypatch.undo()
        time.tzset()
    output = capsys.readouterr().out
    assert "50.0% of 2 rounds of all five commands took 60.0 ms or less" in output
    rows = [line.split() for line in output.splitlines()]
    total = "2027-03-08 total 2 0 75.0 ms 75.0 ms 100.0 ms 50.0 ms 50.0%".split()
    assert total in rows
    assert "Within 60 ms" in output


@pytest.mark.parametrize(
    "options",
    [
        "--hours 9", "--hours 25-26", "--hours 9-9", "--hours 9:75-18", "--days someday",
        "--days mon-", "--target 4", "--target 0s", "--target soon",
    ],
)  # fmt: skip
def test_invalid_hours_days_and_targets_are_refused(options: str) -> None:
    assert cli.run(["pulse", "report", "--output", str(LOG), *options.split()]) == 2


def test_a_measurement_is_read_as_it_was_written(tmp_path: Path) -> None:
    log = tmp_path / "pulse.jsonl"
    beats = [
        Measurement(1803636000.5, "perforce:1666", "fstat", 12_345_678),
        Measurement(1803636001.5, "perforce:1666", "connect", None, "away"),
    ]
    append(log, beats[:1])
    append(log, beats[1:])
    assert list(read(log)) == beats
    assert stat.S_IMODE(log.stat().st_mode) == 0o600


def test_a_log_is_not_written_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "other")
    assert cli.run(["pulse", "report", "--output", str(tmp_path / "link")]) == 1
    with pytest.raises(Exception, match="cannot be written"):
        append(tmp_path / "link", [])


@pytest.mark.parametrize(("now", "expected"), [(100, 105), (104, 105), (105, 110), (131, 135)])
def test_missed_rounds_are_skipped(now: int, expected: int) -> None:
    assert next_ns(start_ns=100, every_ns=5, now_ns=now) == expected


def test_lapses_are_written_in_milliseconds_or_seconds() -> None:
    assert [lapse(ns) for ns in (None, 1_234_567, 9_999 * MS, 1_200_500 * MS)] == [
        "-", "1.2 ms", "9,999.0 ms", "1,200.5 s",
    ]  # fmt: skip


def test_a_pulse_report_on_a_terminal_has_the_lapses_before_and_after_a_change(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert cli.run(["pulse", "report", "--output", str(LOG), "--changed", "2027-03-04"]) == 0
    output = capsys.readouterr().out
    assert output.startswith("8 measurements of perforce:1666\n2 of them failed, for example: ")
    assert "3 lines skipped that are not measurements" in output
    rows = [line.split() for line in output.splitlines()]
    assert "before info 3 0 30.0 ms 20.0 ms 60.0 ms 10.0 ms".split() in rows
    assert "do not show the cause of a difference" in " ".join(output.split())


def test_a_pulse_report_as_json_has_the_lapses(capsys: pytest.CaptureFixture[str]) -> None:
    values = ["pulse", "report", "--output", str(LOG), "--changed", "2027-03-04"]
    assert cli.run([*values, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["sides"][0]["median_ns"] == 20 * MS


def test_measurements_of_two_servers_need_option_server(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "pulse.jsonl"
    append(log, [Measurement(1, "a:1", "info", 1), Measurement(2, "b:1", "info", 1)])
    assert cli.run(["pulse", "report", "--output", str(log)]) == 1
    assert "there are measurements of a:1, b:1; choose with --server" in capsys.readouterr().err
    assert cli.run(["pulse", "report", "--output", str(log), "--server", "a:1"]) == 0
    assert capsys.readouterr().out.startswith("1 measurement of a:1\n")


@pytest.mark.parametrize(
    "options",
    [
        "",
        "--path //depot/a",
        "--client c",
        "--client c --path //depot/...",
        "--client c --path //depot/*",
        "--client c --path depot/a",
        "--client c --path //depot/a --dirs //...",
        "--client c --path //depot/a --every often",
    ],
)
def test_a_wide_path_or_a_missing_option_is_refused(options: str, tmp_path: Path) -> None:
    log = tmp_path / "log"
    assert cli.run(["pulse", "--once", "--output", str(log), *options.split()]) == 2
    assert not log.exists()


def test_running_commands_are_summarized_per_week_in_working_hours(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monday = datetime.datetime(2027, 3, 1, 10).timestamp()  # noqa: DTZ001 - people's own hours
    log, day_s = tmp_path / "pulse.jsonl", 86400
    counted = [(0, 4), (3600, 6), (day_s, 11), (2 * day_s, 3), (7 * day_s, 5), (5 * day_s, 900)]
    append(log, [Load(monday + after_s, "ssl:p4:1666", running) for after_s, running in counted])
    append(log, [Measurement(monday, "ssl:p4:1666", "info", 20 * MS)])
    with log.open("a") as lines:
        lines.write('{"time": 1, "server": "x", "running": true}\n')
        lines.write('{"time": 1, "server": "x", "running": -1}\n')
    entries = list(read(log))
    loads = [one for one in entries if isinstance(one, Load)]
    assert [one.running for one in loads] == [4, 6, 11, 3, 5, 900]
    assert entries[-2:] == [None, None]
    assert summarize_loads(loads[:5], side_of(monday + 6 * day_s)) == [
        LoadSummary("after", 1, 5, 5, 5, 5),
        LoadSummary("before", 4, 6, 5, 11, 3),
    ]
    options = ["--output", str(log), "--hours", "9-18", "--days", "mon-fri", "--json"]
    assert cli.run(["pulse", "report", *options]) == 0
    weeks = json.loads(capsys.readouterr().out)["running"]
    assert [(week["span"], week["average"], week["median"]) for week in weeks] == [
        ("2027-03-01", 6, 5),
        ("2027-03-08", 5, 5),
    ]
    assert cli.run(["pulse", "report", "--output", str(log)]) == 0
    assert re.search(r"2027-03-01 +5 +184\.8 +6 +900 +3\n", capsys.readouterr().out)
