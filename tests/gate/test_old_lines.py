"""Tests of trigger lines that the table no longer has, which older connections still run.

Also of the notes that the gate makes of them, and of `p4warden doctor`, which reports the notes.
"""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

import pytest

from gate.program import Home, policy, rate, rule
from p4warden.health import GOOD, WARNING, CheckedInstallation, installed_lines
from p4warden.home import off_mark
from p4warden.home.old_lines import keep_digest

if TYPE_CHECKING:
    from pathlib import Path


def run_line(home: Home, user: str, *, args: str = "", prog: str = "p4", line: str = "1") -> int:
    """Run the gate for an fstat by a trigger line; return the exit code."""
    words = home.line(
        *("command", f"--line={line}", "--on-error=deny", "--ip=10.0.0.1", "--command=user-fstat"),
        *(f"--user={user}", "--client=ws", f"--prog={prog}"),
        *([f"--args={args}"] if args else []),
    )
    return home.run_words(*words[1:]).code


def noted(home: Home) -> list[dict[str, Any]]:
    file = home.folder / "old_lines.jsonl"
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def test_each_user_of_a_line_of_another_form_is_noted_once(gate_home: Home) -> None:
    gate_home.activate(policy(rule(rate("user", burst=100))))
    for user in ("ann", "bob", "ann", "ann"):
        assert run_line(gate_home, user, line="2") == 1
    assert [(one["user"], one["event"]) for one in noted(gate_home)] == [
        (None, "command"),
    ]
    assert gate_home.log()[0]["fault"] == (
        "the trigger line was not written by this release of p4warden; run p4warden deploy plan "
        "and deploy apply, or install the release that wrote it"
    )


def test_current_trigger_lines_are_not_noted(gate_home: Home) -> None:
    gate_home.activate(policy(rule(rate("user", burst=100))))
    assert run_line(gate_home, "ann") == 0
    assert noted(gate_home) == []


def test_a_trigger_line_with_another_digest_than_the_table_is_noted(gate_home: Home) -> None:
    gate_home.activate(policy(rule(rate("user", burst=100))))
    keep_digest(str(gate_home.folder), "1a2b3c4d")
    for line in ("1.1a2b3c4d", "1.00000000", "1.1a2b3c4", "1.1a2b3c4de", "1"):
        assert run_line(gate_home, "ann", line=line) == 0
    assert [one.get("lines") for one in noted(gate_home)] == [
        "00000000",
        "1a2b3c4",
        "1a2b3c4de",
        None,
    ]
    assert gate_home.log() == []


def test_no_trigger_line_is_noted_if_the_digest_of_the_table_is_unknown(gate_home: Home) -> None:
    gate_home.activate(policy(rule(rate("user", burst=100))))
    assert run_line(gate_home, "ann", line="1.00000000") == 0
    for content in ("", "1a2b"):
        keep_digest(str(gate_home.folder), content)
        assert run_line(gate_home, "ann", line="1.00000000") == 0
    file = gate_home.folder / "lines_digest"
    file.write_text("1a2b3c4d")
    file.chmod(0o666)
    assert run_line(gate_home, "ann", line="1.00000000") == 0
    assert noted(gate_home) == []


def test_an_oversized_file_of_notes_is_emptied_before_the_next_note(gate_home: Home) -> None:
    gate_home.activate(policy(rule(rate("user", burst=100))))
    file = gate_home.folder / "old_lines.jsonl"
    file.write_text('{"time": 1, "user": "x"}\n' * 3000)
    file.chmod(0o600)
    run_line(gate_home, "ann", line="2")
    assert [one["event"] for one in noted(gate_home)] == ["command"]


def test_after_an_uninstall_every_trigger_line_allows_and_is_noted(gate_home: Home) -> None:
    gate_home.activate(policy(rule(rate("user")), on_error="deny"))
    off_mark.mark_uninstalled(str(gate_home.folder))
    assert [run_line(gate_home, "ann") for _ in range(3)] == [0, 0, 0]
    assert [gate_home.fstat(user="bob", on_error="deny").code for _ in range(3)] == [0, 0, 0]
    assert [one["user"] for one in noted(gate_home)] == ["ann", "bob"]


def test_a_home_folder_with_only_an_uninstall_mark_allows_all_and_stays_unchanged(
    gate_home: Home,
) -> None:
    (gate_home.folder / "facts.json").unlink()
    off_mark.mark_uninstalled(str(gate_home.folder))
    assert run_line(gate_home, "ann") == 0
    assert gate_home.fstat(on_error="deny").code == 0
    assert gate_home.run("form-save", "--on-error=deny", "--type=client").code == 0
    assert [file.name for file in gate_home.folder.iterdir()] == ["off"]


@pytest.mark.parametrize("words", [("command", "--line=2"), ("form-later",)])
def test_an_unsupported_trigger_line_is_allowed_while_p4warden_is_off(
    gate_home: Home, words: tuple[str, ...]
) -> None:
    gate_home.activate(policy(rule(rate("user")), on_error="deny"))
    options = (f"--home={gate_home.folder}", "--on-error=deny", "--user=ann")
    assert gate_home.run_words(*words, *options).code == 1
    (gate_home.folder / "off").touch()
    assert gate_home.run_words(*words, *options).code == 0


def test_unknown_arguments_do_not_count_as_equal_arguments(gate_home: Home) -> None:
    gate_home.activate(policy(rule(rate("user", "args"))))
    assert [run_line(gate_home, "ann") for _ in range(3)] == [0, 0, 0]
    assert [run_line(gate_home, "ann", args=" ") for _ in range(2)] == [0, 1]
    assert [run_line(gate_home, "ann", args="a ") for _ in range(2)] == [0, 1]


def test_a_tampered_trigger_line_does_not_count_for_any_rate(gate_home: Home) -> None:
    gate_home.activate(policy(rule(rate("user"), rate("ip"))))
    assert [run_line(gate_home, "ann", prog='x"') for _ in range(5)] == [1] * 5
    assert [run_line(gate_home, "ann") for _ in range(2)] == [0, 1]


def test_doctor_does_not_report_trigger_lines_with_the_digest_of_the_table(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    now_s = int(time.time())
    calls = [("ann", "1a2b3c4d"), ("bob", "00000000"), ("eve", None)]
    lines = [json.dumps({"time": now_s, "user": user, "lines": of}) for user, of in calls]
    file = home / "old_lines.jsonl"
    file.write_text("\n".join(lines))
    file.chmod(0o600)
    place = CheckedInstallation(str(home), now_s * 10**9)
    [check] = installed_lines.old_lines(place)
    assert check.message.startswith("3 accounts used one within a day")
    keep_digest(str(home), "1a2b3c4d")
    [check] = installed_lines.old_lines(place)
    assert check.message.startswith("2 accounts used one within a day")
    assert "ann" not in check.message


def test_doctor_warns_about_users_of_old_trigger_lines_within_a_day(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    now_s = int(time.time())
    place = CheckedInstallation(str(home), now_s * 10**9)
    [check] = installed_lines.old_lines(place)
    assert check.state == GOOD
    rows = [("ann", 60), ("bob", 7200), ("ann", 3600), ("eve\x1b[31m", 10), ("old", 100_000)]
    lines = [json.dumps({"time": now_s - ago_s, "user": user}) for user, ago_s in rows]
    file = home / "old_lines.jsonl"
    file.write_text("\n".join([*lines, "no record", "[]"]))
    file.chmod(0o600)
    [check] = installed_lines.old_lines(place)
    assert check.state == WARNING
    assert check.message.startswith("3 accounts used one within a day: eve\\x1b[31m (last 20")
    assert "ann (last 20" in check.message
    assert "old " not in check.message
    assert "have these users reconnect" in str(check.remedy)
