"""Tests of `p4warden-gate self-test`, which checks the home folder and what asks the server."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from gate.forms import give_account
from gate.program import Home, policy, rate, rule
from p4warden.home.summed_file import text
from support.home_files import policy_file

if TYPE_CHECKING:
    from collections.abc import Callable

OK = dict.fromkeys(("policy", "facts", "state", "log", "admitted", "answers"), "ok")


def self_test(home: Home) -> tuple[int, dict[str, str]]:
    command = [home.program, "self-test", "--home", str(home.folder)]
    process = subprocess.run(command, capture_output=True, check=False, timeout=30)
    results = json.loads(process.stdout)
    assert isinstance(results, dict)
    return process.returncode, results


@pytest.fixture
def sound_home(beside: Home) -> Home:
    python(beside, "exit 0")
    give_account(beside)
    beside.activate(policy(rule(rate("user"))))
    return beside


def test_self_test_of_a_sound_home_is_ok_and_logs_and_counts_nothing(sound_home: Home) -> None:
    assert self_test(sound_home) == (0, OK)
    assert sound_home.log() == []
    assert sound_home.counts()["allowed"] == 0


def cut_the_policy(home: Home) -> None:
    file = home.folder / "policy.json"
    file.write_bytes(file.read_bytes()[:-1])


def cut_a_pattern(home: Home) -> None:
    exemption = {"reason": "r", "owner": "o", "for": {"users": "ann"}}
    file = home.folder / "policy.json"
    document = json.loads(text(file.read_bytes())) | {"exemptions": [exemption]}
    file.write_bytes(policy_file(document))


def cut_the_facts(home: Home) -> None:
    (home.folder / "facts.json").write_text("{")


def no_policy(home: Home) -> None:
    (home.folder / "policy.json").unlink()


def no_state(home: Home) -> None:
    (home.folder / "state").mkdir()


def open_state(home: Home) -> None:
    home.fstat()
    (home.folder / "state").chmod(0o666)


def no_log(home: Home) -> None:
    (home.folder / "decisions.jsonl").symlink_to("/dev/null")


def half_the_admitted(home: Home) -> None:
    (home.folder / "admitted.json").write_text('{"depot')


def no_python(home: Home) -> None:
    Path(home.program).with_name("python3").unlink()


def a_python_that_fails(home: Home) -> None:
    python(home, "exit 3")


def a_python_that_hangs(home: Home) -> None:
    python(home, "sleep 600")


def python(home: Home, script: str) -> None:
    file = Path(home.program).with_name("python3")
    file.unlink()
    file.write_text(f"#!/bin/sh\n{script}\n")
    file.chmod(0o755)


def test_a_home_without_an_account_needs_no_python(sound_home: Home) -> None:
    (sound_home.folder / "server.json").unlink()
    no_python(sound_home)
    assert self_test(sound_home) == (0, OK)


@pytest.mark.parametrize(
    ("spoil", "wrong"),
    [
        (cut_the_policy, {"policy": "it is not as p4warden wrote it; run p4warden activate"}),
        (cut_a_pattern, {"policy": "an exemption: invalid type"}),
        (cut_the_facts, {"facts": "it is not as p4warden wrote it; run p4warden refresh"}),
        (no_policy, {"policy": "No such file"}),
        (no_state, {"state": "Is a directory"}),
        (open_state, {"state": "others have write access to it"}),
        (no_log, {"log": "is a symbolic link"}),
        (half_the_admitted, {"admitted": "it is not as p4warden wrote it"}),
        (no_python, {"answers": "No such file"}),
        (a_python_that_fails, {"answers": "exit code 3"}),
        (a_python_that_hangs, {"answers": "Python took over 3.5 s"}),
    ],
)
def test_self_test_reports_each_unusable_file_and_a_failing_python(
    sound_home: Home, spoil: Callable[[Home], None], wrong: dict[str, str]
) -> None:
    spoil(sound_home)
    code, results = self_test(sound_home)
    assert code == 1
    assert {name for name, output in results.items() if output != "ok"} == set(wrong)
    for name, output in wrong.items():
        assert output in results[name]
