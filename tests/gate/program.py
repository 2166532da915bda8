"""The gate program under test, and functions that run it in a p4warden home folder."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from support.home_files import facts_file, policy_file
from support.triggers import line_words

if TYPE_CHECKING:
    from collections.abc import Iterable

PROGRAM = Path(os.environ.get("P4WARDEN_GATE") or Path(sys.executable).with_name("p4warden-gate"))
"""The gate to test."""


def rate(*per: str, allow: str = "1 per 1h", burst: int = 1, **more: Any) -> dict[str, Any]:
    """Return one entry of `limits:` of a rule `limit_command_rate`, as in policy.json."""
    return {"per": list(per), "allow": allow, "burst": burst, **more}


def rule(*limits: dict[str, Any], name: str = "polling", **more: Any) -> dict[str, Any]:
    """Return an enforced `limit_command_rate` rule about `fstat` with the given limits."""
    kind = {"name": name, "rule": "limit_command_rate", "mode": "enforce", "commands": ["fstat"]}
    return {**kind, "limits": list(limits), **more}


def policy(*rules: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Return a policy with the given rules, as the document in policy.json."""
    header = {"format": 1, "digest": "0123456789abcdef" * 4, "contact": "admins@example.com"}
    return {**header, "on_error": "allow", "exemptions": [], "rules": list(rules), **more}


class GateReply(NamedTuple):
    """The gate's reply as p4d sees it: exit code and text on standard output."""

    code: int
    text: str


GO_ON = GateReply(0, "")


class Home:
    """A p4warden home folder with facts, created if missing, and the gate program that uses it."""

    def __init__(self, folder: Path, program: Path | None = None) -> None:
        self.folder = folder
        self.program = str(program or PROGRAM)
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.know({})

    @property
    def program_folder(self) -> Path:
        return Path(self.program).parent

    def activate(self, document: dict[str, Any]) -> None:
        """Make the gate check a policy, and write it to this home folder."""
        content = json.dumps(document).encode()
        subprocess.run([self.program, "check"], input=content, capture_output=True, check=True)
        (self.folder / "policy.json").write_bytes(policy_file(document))

    def know(self, facts: dict[str, Any]) -> None:
        """Write the facts of the server."""
        (self.folder / "facts.json").write_bytes(facts_file(facts))

    def run(self, event: str, *options: str, **more: Any) -> GateReply:
        """Run the gate for an event with this home folder, as p4d does for a trigger line."""
        return self.run_words(*self.line(event, *options)[1:], **more)

    def line(self, event: str, *options: str) -> list[str]:
        """Return the gate and the words that p4d passes from a trigger line with this home."""
        return [self.program, *line_words(event, f"--home={self.folder}", *options)]

    def run_words(self, *options: str, **more: Any) -> GateReply:
        """Run the gate with the given words as its arguments; return its reply."""
        words = [self.program, *options]
        process = subprocess.run(words, capture_output=True, text=True, check=False, **more)
        assert process.stderr == ""
        return GateReply(process.returncode, process.stdout)

    def fstat(self, *options: str, user: str = "ann", on_error: str = "allow") -> GateReply:
        """Run the gate for a user's `fstat`; further options of the trigger line come last."""
        own_options = (f"--on-error={on_error}", f"--user={user}", "--command=user-fstat")
        return self.run("command", *own_options, *options)

    def log(self) -> list[dict[str, Any]]:
        """Return the records of this home folder's decision log; an empty list without a log."""
        file = self.folder / "decisions.jsonl"
        return (
            [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []
        )

    def decided(self) -> int:
        """Return the sum of the gate's counters of allowed, delayed and refused events."""
        counts = self.counts()
        return int(counts["allowed"] + counts["delayed"] + counts["refused"])

    def counts(self) -> dict[str, Any]:
        """Return the gate's counters, with the decisions not yet written to the decision log."""
        command = [self.program, "counts", "--home", str(self.folder)]
        process = subprocess.run(command, capture_output=True, check=True)
        counts = json.loads(process.stdout)
        assert isinstance(counts, dict)
        return counts


@pytest.fixture
def gate_home(tmp_path: Path) -> Home:
    """Fixture: an empty p4warden home folder, with the gate program that uses it."""
    return Home(tmp_path / "home")


def judge(
    policy: dict[str, Any], events: Iterable[object], *options: str
) -> tuple[list[dict[str, Any]], int]:
    """Judge events with `p4warden-gate judge`; return its answer to each, and its exit code.

    An event is an object, or a text that is sent as a line.
    """
    text = "".join(f"{e if isinstance(e, str) else json.dumps(e)}\n" for e in events)
    with tempfile.TemporaryDirectory(prefix="p4warden-judge-") as name:
        source = Path(name, "policy.json")
        source.write_text(json.dumps(policy))
        command = [str(PROGRAM), "judge", "--policy", str(source), *options]
        process = subprocess.run(command, input=text.encode(), capture_output=True, check=False)
    answers = [json.loads(line) for line in process.stdout.splitlines()]
    assert process.stderr.count(b"\n") == sum("error" in answer for answer in answers)
    return answers, process.returncode
