"""Tests of the file that switches p4warden's triggers off: when it counts, how it is created."""

from __future__ import annotations

import json
import os
import stat
import time
from pathlib import Path
from typing import Any

import pytest

from p4warden import cli
from p4warden.commands.off import record_switch
from p4warden.history import trail
from p4warden.history.record import Table, record
from p4warden.home import off_mark

CASES = Path(__file__).parents[1] / "cases" / "off_mark" / "holds.json"
S = 10**9


@pytest.mark.parametrize(
    "case", json.loads(CASES.read_text())["cases"], ids=lambda case: case["name"]
)
def test_the_off_file_counts_as_in_each_case(case: dict[str, Any]) -> None:
    # Fields of `os.stat_result`: mode, ino, dev, nlink, uid, gid, size, and three times in
    # seconds.
    status = os.stat_result(
        (int(case["mode"], 8), 0, 0, 1, 0, 0, 0, 0, 0, 0),
        {"st_ctime_ns": case["made_s"] * S, "st_mtime_ns": case["end_s"] * S},
    )
    assert off_mark.of_status(status).holds(case["now_s"] * S) is case["off"]


def run(capsys: pytest.CaptureFixture[str], home: Path, *words: str, code: int = 0) -> str:
    assert cli.run([*words, "--home", str(home)]) == code
    report = capsys.readouterr()
    return report.out + report.err


def test_off_for_a_time_stores_its_end_in_the_off_file_and_the_history(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before_s = int(time.time())
    output = run(capsys, tmp_path, "off", "--for", "2h", "--reason", "a storm")
    status = (tmp_path / "off").stat()
    assert before_s + 7200 <= status.st_mtime <= time.time() + 7200
    assert stat.S_IMODE(status.st_mode) == 0o700
    assert status.st_size == 0
    assert "They are on again from " in output
    [change] = trail.changes(str(tmp_path))
    assert (change.action, change.message, change.until_s) == ("off", "a storm", status.st_mtime)
    now_ns = time.time_ns()
    assert off_mark.is_off(str(tmp_path), now_ns)
    assert not off_mark.is_off(str(tmp_path), now_ns + 7201 * S)


def test_the_last_off_or_on_command_takes_effect(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    far_ns = time.time_ns() + 30 * 86400 * S
    run(capsys, tmp_path, "off", "--for", "2h")
    run(capsys, tmp_path, "off")
    assert off_mark.is_off(str(tmp_path), far_ns)
    run(capsys, tmp_path, "off", "--for", "2h")
    assert not off_mark.is_off(str(tmp_path), far_ns)
    run(capsys, tmp_path, "on")
    assert off_mark.read(str(tmp_path)) is None
    assert [file.name for file in tmp_path.glob("off*")] == []
    assert [one.action for one in trail.changes(str(tmp_path))] == ["off", "off", "off", "on"]


def test_on_and_off_take_the_reason_by_the_same_option(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(capsys, tmp_path, "off", "--reason", "a storm")
    run(capsys, tmp_path, "on", "--reason", "it is over")
    reasons = [(one.action, one.message) for one in trail.changes(str(tmp_path))]
    assert reasons == [("off", "a storm"), ("on", "it is over")]


@pytest.mark.parametrize("span", ["8d", "0h", "soon", "-1h"])
def test_the_command_off_refuses_an_invalid_time(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], span: str
) -> None:
    run(capsys, tmp_path, "off", f"--for={span}", code=2)
    assert not (tmp_path / "off").exists()


@pytest.mark.parametrize("command", ["on", "off"])
def test_on_and_off_in_a_missing_home_are_errors(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    home = tmp_path / "home"
    output = run(capsys, home, command, code=1)
    assert output == f"p4warden: {home} does not exist; set the home folder with --home\n"
    assert not home.exists()


def test_a_home_that_is_a_file_is_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home = tmp_path / "home"
    home.touch()
    output = run(capsys, home, "on", code=1)
    assert output == f"p4warden: {home} is not a folder; set the home folder with --home\n"


def test_off_in_an_uninstalled_home_is_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    off_mark.mark_uninstalled(str(tmp_path))
    output = run(capsys, tmp_path, "off", "--for", "2h", code=1)
    assert "was uninstalled; its triggers already allow everything" in output
    assert off_mark.is_uninstalled(str(tmp_path))


def test_on_and_off_work_if_the_history_cannot_be_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / trail.FILE_NAME).mkdir()
    assert "warning: not recorded in the history: " in run(capsys, tmp_path, "off")
    assert off_mark.is_off(str(tmp_path), time.time_ns())
    run(capsys, tmp_path, "on")
    assert not off_mark.is_off(str(tmp_path), time.time_ns())


def test_a_home_that_went_away_after_the_switch_gets_the_warning_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record_switch(str(tmp_path / "gone"), "off", message=None)
    assert capsys.readouterr().err.startswith("warning: not recorded in the history: ")


def test_on_after_an_uninstallation_reports_missing_trigger_lines(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    off_mark.mark_uninstalled(str(tmp_path))
    assert run(capsys, tmp_path, "on") == (
        "On, but the triggers table has no lines of this installation; to install them, run\n"
        f"  p4warden deploy plan --home {tmp_path}\n"
    )


def test_on_reports_missing_trigger_lines_each_time_until_a_deploy(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record(str(tmp_path), "uninstall", table=Table("0" * 64, "1" * 64, 0))
    for _ in range(2):
        assert run(capsys, tmp_path, "on").startswith("On, but the triggers table has no lines")
    record(str(tmp_path), "deploy", table=Table("0" * 64, "2" * 64, 1))
    on = f"On: the triggers of {tmp_path} apply its policy; p4warden was not off.\n"
    assert run(capsys, tmp_path, "on") == on
