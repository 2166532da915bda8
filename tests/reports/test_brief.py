"""Tests of `p4warden report --brief`, the refusals of a day in a few lines."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

from p4warden import cli

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

NOON_S = time.mktime((2027, 3, 1, 12, 0, 0, 0, 0, -1))
SAVE = {"event": "form-save", "type": "client", "rule": "no-whole-depot", "verdict": "refuse"}


def log(home: Path, *records: dict[str, Any]) -> str:
    lines = (json.dumps({"time": NOON_S, **record}) + "\n" for record in records)
    (home / "decisions.jsonl").write_text("".join(lines))
    return str(home)


def brief(capsys: pytest.CaptureFixture[str], home: str, *words: str) -> str:
    assert cli.run(["report", "--home", home, "--day", "2027-03-01", "--brief", *words]) == 0
    return capsys.readouterr().out


def test_a_brief_report_has_a_line_for_the_day_and_one_for_each_rule(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wait = {"event": "command", "command": "fstat", "rule": "polling", "verdict": "delay"}
    home = log(
        tmp_path,
        {**SAVE, "user": "ann", "name": "ann-ws", "client": "laptop"},
        {**SAVE, "user": "ann", "name": "ann-ws", "count": 2},
        {**SAVE, "user": "bob", "name": "bob"},
        {**wait, "user": "<!here> @all", "client": "ci", "count": 7},
        {**wait, "user": "![x](http://evil)", "client": "`a\n/b"},
        {**SAVE, "user": "cat", "name": "cat", "verdict": "observe"},
        {**SAVE, "user": "dan", "name": "dan", "time": NOON_S - 86400},
    )
    assert brief(capsys, home) == (
        "p4warden at an unknown server, 2027-03-01: 4 refused, 8 delayed (4 users)\n"
        "no-whole-depot: 4 refused: ann 3 (client ann-ws), bob 1 (client bob)\n"
        "polling: 8 delayed: ?!here? ?all 7 (fstat ci), !?x?(http://evil) 1 (fstat ?a\\x0a/b)\n"
    )
    document = json.loads(brief(capsys, home, "--json"))
    assert document["text"] == brief(capsys, home)
    assert document["stopped"][0] == {
        "rule": "no-whole-depot",
        "user": "ann",
        "verdicts": {"refuse": 3},
        "what": {"form-save client": 3},
        "spec_or_client": {"ann-ws": 3},
    }


def test_a_brief_report_of_a_quiet_day_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home = log(tmp_path, {**SAVE, "user": "ann", "name": "x", "verdict": "observe"})
    text = "p4warden at an unknown server, 2027-03-01: nobody was stopped\n"
    assert brief(capsys, home) == text
    words = ["report", "--home", home, "--brief"]
    assert cli.run([*words, "--day", "yesterday"]) == 0
    for day in ("soon", "0001-01-01", "9999-12-31"):
        assert cli.run([*words, "--day", day]) == 2
    assert cli.run(words) == 2
    assert cli.run([*words, "--day", "yesterday", "--since", "1d"]) == 2


def test_a_brief_report_counts_further_users_and_faults(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    users = [{**SAVE, "user": f"u{n}", "name": "w"} for n in range(8)]
    fault = {"event": "command", "verdict": "allow", "fault": "state: it is full", "count": 3}
    lines = brief(capsys, log(tmp_path, *users, fault)).splitlines()
    assert lines[1].endswith("u4 1 (client w), 3 more")
    assert lines[2] == "3 faults of p4warden itself: p4warden report has them"
