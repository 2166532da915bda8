"""Tests of the form worker with trigger lines, run without a gate."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from unit.test_worker import LAUNCHER, NARROW, REFUSAL, Trigger, WorkerResult

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def trigger(tmp_path: Path) -> Trigger:
    return Trigger(tmp_path)


def line_of(trigger: Trigger, **names: str) -> list[str]:
    """Return the worker's arguments as in a trigger line."""
    words = {"user": "ann", "client": "ws", "name": "ws", "prog": "p4", **names}
    options = ["--line=1", f"--home={trigger.home}", "--on-error=allow", "--triggers-io=0"]
    form = ["--type=client", f"--form={trigger.form}", "--ip=10.0.0.1", "--groups=build-farm"]
    return [*options, *form, *(f"--{name}={value}" for name, value in words.items()), "--end=."]


def ran(words: list[str]) -> WorkerResult:
    process = subprocess.run(
        [sys.executable, "-I", "-S", str(LAUNCHER), "form-save", *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
        env={},
    )
    return WorkerResult(process.returncode, process.stdout.decode("ascii"))


TAMPERED = """\
Your program's name (x") cannot be used on this server, because it contains a quotation mark.
Give the program another name, or use another program.
Questions: admins@example.com
p4warden: rule=no-whole-depot limit=none value=none retry-after=none
"""


def test_a_trigger_line_is_judged_without_a_gate(trigger: Trigger) -> None:
    assert ran(line_of(trigger)) == WorkerResult(1, REFUSAL)
    trigger.form.write_bytes(NARROW)
    assert ran(line_of(trigger)) == WorkerResult(0, "")


def test_a_tampered_trigger_line_is_refused_even_with_an_allowed_form(trigger: Trigger) -> None:
    trigger.form.write_bytes(NARROW)
    words = line_of(trigger)
    tampered_words = [*words[:-2], '--prog=x" --end=.', "--end=."]
    assert ran(tampered_words) == WorkerResult(1, TAMPERED)
    [record] = trigger.log()
    assert (record["user"], record["tampered"]) == ("(tampered line)", True)
    cut_short = ran(words[:-1]).output
    assert cut_short.startswith("Your program's name (p4) cannot be used on this server, ")


def test_a_tampered_trigger_line_is_exempt_by_group_but_not_by_program(
    trigger: Trigger,
) -> None:
    by_group = {"reason": "builds", "owner": "ci", "groups": ["build-farm"]}
    by_program = {"reason": "tool", "owner": "ci", "programs": ["x*"]}
    tampered_words = [*line_of(trigger)[:-2], '--prog=x" --end=.', "--end=."]
    trigger.policy(exemptions=[by_program])
    assert ran(tampered_words).code == 1
    trigger.policy(exemptions=[by_group])
    assert ran(tampered_words) == WorkerResult(0, "")


def test_a_trigger_line_of_another_form_is_a_fault(trigger: Trigger) -> None:
    words = [word.replace("--line=1", "--line=2") for word in line_of(trigger)]
    assert ran(words) == WorkerResult(0, "")
    assert trigger.log()[0]["fault"].endswith(
        "the trigger line was not written by this release of p4warden"
    )
