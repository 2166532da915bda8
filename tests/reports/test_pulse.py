"""What measurements come to, and how they are shown."""

from __future__ import annotations

import datetime
import json
import re
import stat
from pathlib import Path

import pytest

from p4warden import cli
from p4warden.pulse.measurements import Beat, append, read
from p4warden.pulse.schedule import next_ns
from p4warden.pulse.statistics import Summary, side_of, summarize
from p4warden.reports.rows import lapse

LOG = Path(__file__).parents[1] / "cases" / "reports" / "pulse.jsonl"
MS = 10**6


def week(time_s: float) -> str:
    """Return the week of a time in UTC, where the test may run anywhere."""
    day = datetime.datetime.fromtimestamp(time_s, datetime.timezone.utc).date()
    return (day - datetime.timedelta(days=day.weekday())).isoformat()


def known() -> list[Beat]:
    return [beat for beat in read(LOG) if beat]


def test_each_week_and_command() -> None:
    slowest = 1_200_500 * MS
    assert summarize(known(), week) == [
        Summary("2027-02-22", "info", 3, 0, 30 * MS, 20 * MS, 60 * MS, 10 * MS),
        Summary("2027-02-22", "sync -f", 2, 1, 600_300 * MS, 600_300 * MS, slowest, 100 * MS),
        Summary("2027-03-08", "info", 1, 0, 8 * MS, 8 * MS, 8 * MS, 8 * MS),
        Summary("2027-03-08", "connect", 0, 1, None, None, None, None),
    ]


def test_before_and_after_a_change() -> None:
    sides = summarize(known(), side_of(1804500000))
    assert [(side.span, side.command, side.runs) for side in sides] == [
        ("before", "info", 3),
        ("before", "sync -f", 2),
        ("after", "info", 1),
        ("after", "connect", 0),
    ]


def test_a_measurement_is_read_as_it_was_written(tmp_path: Path) -> None:
    log = tmp_path / "pulse.jsonl"
    beats = [
        Beat(1803636000.5, "perforce:1666", "fstat", 12_345_678),
        Beat(1803636001.5, "perforce:1666", "connect", None, "away"),
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
def test_rounds_that_were_missed_are_left_out(now: int, expected: int) -> None:
    assert next_ns(start_ns=100, every_ns=5, now_ns=now) == expected


def test_times_for_people() -> None:
    assert [lapse(ns) for ns in (None, 1_234_567, 9_999 * MS, 1_200_500 * MS)] == [
        "-", "1.2 ms", "9,999.0 ms", "1,200.5 s",
    ]  # fmt: skip


def test_on_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["pulse", "report", "--output", str(LOG), "--changed", "2027-03-04"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("8 measurements of perforce:1666\n2 of them failed, for example: ")
    assert "3 lines are no measurements and were passed over" in shown
    rows = [line.split() for line in shown.splitlines()]
    assert "before info 3 0 30.0 ms 20.0 ms 60.0 ms 10.0 ms".split() in rows
    assert "do not tell what made the difference" in " ".join(shown.split())


def test_as_a_page_and_for_programs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "page.html"
    given = ["pulse", "report", "--output", str(LOG), "--changed", "2027-03-04"]
    assert cli.run([*given, "--html", str(page)]) == 0
    text = page.read_text("ascii")
    assert text.count("<svg") == 2
    assert "&lt;b&gt;Client" in text
    assert not re.search(r"<b>|<script|https?:", text)
    capsys.readouterr()
    assert cli.run([*given, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["sides"][0]["median_ns"] == 20 * MS


def test_two_servers_are_not_put_together(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "pulse.jsonl"
    append(log, [Beat(1, "a:1", "info", 1), Beat(2, "b:1", "info", 1)])
    assert cli.run(["pulse", "report", "--output", str(log)]) == 1
    assert "there are measurements of a:1, b:1; choose with --server" in capsys.readouterr().err
    assert cli.run(["pulse", "report", "--output", str(log), "--server", "a:1"]) == 0
    assert capsys.readouterr().out.startswith("1 measurements of a:1\n")


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
def test_what_is_not_small_or_lacks_something_is_refused(options: str, tmp_path: Path) -> None:
    log = tmp_path / "log"
    assert cli.run(["pulse", "--once", "--output", str(log), *options.split()]) == 2
    assert not log.exists()
