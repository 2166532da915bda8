"""Tests of what a home folder says against the end of a command."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from p4warden.commands.runaways import HomePermission
from p4warden.home import ended_commands, off_mark
from p4warden.home.ended_commands import EndedCommands, Observed, ServerClock
from p4warden.home.trusted_files import HomeError
from p4warden.policy.compiled import compile_policy
from p4warden.prove.terminated import FACTS, problem_of
from p4warden.workbench.running.readings import Reading

RULE = {"name": "long", "rule": "limit_running_time", "mode": "enforce", "commands": ["sync"]}
POLICY = compile_policy(
    {"contact": "c", "rules": [{**RULE, "max_time": "2h", "max_ends_per_hour": 2}]}, "0" * 64
)


@pytest.fixture
def home(tmp_path: Path) -> str:
    folder = tmp_path / "home"
    folder.mkdir(mode=0o700)
    return str(folder)


def permission(home: str, problem: str | None = None, *, is_dry: bool = False) -> HomePermission:
    return HomePermission(home, POLICY, problem, is_dry=is_dry)


def test_a_rule_ends_as_many_commands_in_an_hour_as_it_may(home: str) -> None:
    one = permission(home)
    for _ in range(2):
        assert one.why_not("long") is None
        one.count("long")
    problem = "long ended 2 commands in the last hour, and may end no more"
    assert one.why_not("long") == problem
    assert permission(home).why_not("long") == problem


def test_ends_of_the_last_hour_and_of_a_future_count() -> None:
    now_s = 1_800_000_000.0
    commands = EndedCommands(
        (("long", now_s - 3601), ("long", now_s - 3599), ("long", now_s + 9999), ("other", now_s))
    )
    assert commands.in_last_hour("long", now_s) == 2
    assert [name for name, _ in commands.with_end("new", now_s).ends] == [
        *("long", "long", "other", "new")
    ]


def test_the_off_mark_and_the_stop_file_keep_commands_alive(home: str) -> None:
    one = permission(home)
    off_mark.mark_off(home)
    assert one.why_not("long") == "p4warden is switched off (p4warden on)"
    off_mark.mark_off(home, until_s=int(time.time()) - 10)
    assert one.why_not("long") is None
    stop = Path(home, ended_commands.STOP)
    stop.touch()
    assert one.why_not("long") == f"{stop} is there (remove it)"


def test_without_a_proof_no_command_is_ended_but_a_dry_run_goes_on(home: str) -> None:
    one = permission(home, "no proof")
    assert one.why_not("long") == "no proof"
    assert one.lacks_proof
    dry = permission(home, "no proof", is_dry=True)
    for _ in range(2):
        assert dry.why_not("long") is None
        dry.count("long")
    assert dry.why_not("long") == "long ended 2 commands in the last hour, and may end no more"
    assert not dry.lacks_proof
    assert ended_commands.read(home) == EndedCommands()


@pytest.mark.parametrize(
    "content", ["", "{", "[]", '{"format": 2}', '{"format": 1, "ends": [7], "observed": []}']
)
def test_a_damaged_record_of_ends_ends_nothing(home: str, content: str) -> None:
    file = Path(home, ended_commands.FILE_NAME)
    file.write_text(content)
    file.chmod(0o600)
    with pytest.raises(HomeError, match=r"running\.json: is damaged \(remove it\)"):
        permission(home).why_not("long")


def test_the_record_is_read_as_it_was_written(home: str) -> None:
    commands = EndedCommands(
        (("long", 7.5),), (Observed("long", 4, 8.25),), ServerClock("boot", 1.5, 9.75)
    )
    ended_commands.write(home, commands)
    assert ended_commands.read(home) == commands
    assert commands.has_observed(Observed("long", 4, 10.0))
    assert not commands.has_observed(Observed("long", 4, 11.0))
    assert not commands.has_observed(Observed("long", 5, 8.25))


def test_a_clock_that_was_set_is_noticed_until_the_host_starts_again(home: str) -> None:
    one = permission(home)
    assert one.clock_set_s(Reading({}, 1000.0, 10.0)) is None
    assert one.clock_set_s(Reading({}, 1061.0, 70.0)) is None
    assert one.clock_set_s(Reading({}, 4725.0, 130.0)) == 4725.0
    assert permission(home).clock_set_s(Reading({}, 4785.0, 190.0)) == 4725.0
    old = ended_commands.read(home)
    assert old.clock is not None
    ended_commands.write(home, old._replace(clock=old.clock._replace(boot="another")))
    assert one.clock_set_s(Reading({}, 9999.0, 5.0)) is None


VERSION = "P4D/LINUX26X86_64/2024.2/2697822 (2024/12/18)"
FACT_ROWS = [{"id": name, "verdict": "holds"} for name in FACTS]


@pytest.mark.parametrize(
    ("document", "problem"),
    [
        ({"p4d": VERSION, "facts": FACT_ROWS}, None),
        ({"p4d": VERSION.replace("2697822", "1"), "facts": FACT_ROWS}, None),
        ({"p4d": VERSION, "facts": FACT_ROWS[:2]}, "does not show terminate.young"),
        (
            {
                "p4d": VERSION,
                "facts": [{**FACT_ROWS[0], "verdict": "inconclusive"}, *FACT_ROWS[1:]],
            },
            "does not show terminate.marks",
        ),
        (
            {"p4d": VERSION.replace("2024.2", "2024.1"), "facts": FACT_ROWS},
            "is about p4d 2024.1, and the server is 2024.2",
        ),
        (
            {"p4d": None, "facts": FACT_ROWS},
            "is about p4d of an unknown release, and the server is 2024.2",
        ),
        (
            {"facts": [{"id": []}]},
            "is about p4d of an unknown release, and the server is 2024.2",
        ),
        (
            {"p4d": VERSION, "facts": [{"id": [], "verdict": "holds"}]},
            "does not show terminate.marks",
        ),
        ([], "is not a report of p4warden prove"),
        ({"facts": "x"}, "is not a report of p4warden prove"),
    ],
)
def test_a_report_proves_the_end_of_commands_on_its_release(
    document: object, problem: str | None, tmp_path: Path
) -> None:
    file = tmp_path / "prove.json"
    file.write_text(json.dumps(document))
    assert problem_of(str(file), VERSION) == problem


def test_an_unreadable_report_proves_nothing(tmp_path: Path) -> None:
    file = tmp_path / "prove.json"
    assert problem_of(str(file), VERSION) == "cannot be read: No such file or directory"
    file.write_text("")
    assert problem_of(str(file), VERSION) == (
        "is no JSON: Expecting value: line 1 column 1 (char 0)"
    )
    file.write_text("[" * 100_000)
    assert str(problem_of(str(file), VERSION)).startswith("is no JSON: ")
