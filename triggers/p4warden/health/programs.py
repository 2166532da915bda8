from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from p4warden import __version__
from p4warden.asking import gate_program
from p4warden.core import facts
from p4warden.core.errors import P4WardenError
from p4warden.core.records import Facts
from p4warden.core.trigger_options import words_of
from p4warden.health import BAD, GOOD, UNKNOWN, Check, home_parts, trigger_programs
from p4warden.health.lost_program import put_back
from p4warden.home import active_policy, program_start, summed_file, trusted_files
from p4warden.policy import compiled

if TYPE_CHECKING:
    from collections.abc import Iterator

    from p4warden.health import CheckedInstallation

_DEADLINE_S = 20
_ONLY_THE_GATE = (
    "only the gate can tell: the counts of decisions, whether each enforced rule stops a test "
    "event, and whether an edited YAML is valid"
)
_EXPECTED = (
    "with a policy made for this test, the gate refuses a client that maps a whole depot; it says "
    "nothing about the policy here"
)
_RULE = {"name": "self-test", "rule": "limit_view_scope", "mode": "enforce"}
_WIDE = "Client:\tself-test\n\nView:\n\t//depot/... //self-test/...\n"


def checks(place: CheckedInstallation) -> Iterator[Check]:
    """Check the gate program, the Python program that it starts, and their release numbers."""
    if place.gate_problem:
        has_ways_out = place.unjudged == trigger_programs.NAME
        remedy = None if has_ways_out else put_back()
        yield Check("programs", BAD, place.gate_problem, remedy)
        yield Check("left out", UNKNOWN, _ONLY_THE_GATE)
        return
    gate = gate_program.path()
    yield _version(gate)
    yield from home_parts.checks(place, gate)
    yield self_test()


def self_test() -> Check:
    """Run the program of a form trigger in a temporary home; check that it refuses a wide view."""
    with tempfile.TemporaryDirectory(prefix="p4warden-") as home:
        form = Path(home, "form")
        form.write_text(_WIDE)
        try:
            _prepare(home)
            process = subprocess.run(
                [gate_program.find(), *_arguments(home, form)],
                stdin=subprocess.DEVNULL,  # text there would be a dictionary of p4d
                capture_output=True,
                timeout=_DEADLINE_S,
                check=False,
            )
        except (OSError, P4WardenError, subprocess.TimeoutExpired) as error:
            return Check("self-test", BAD, f"no verdict: {error}", put_back())
    if process.returncode == 1 and b"rule=self-test " in process.stdout:
        return Check("self-test", GOOD, _EXPECTED)
    output = (process.stdout + process.stderr).decode("utf-8", "replace").strip() or "no output"
    return Check("self-test", BAD, f"exit code {process.returncode}: {output}", put_back())


def _prepare(home: str) -> None:
    policy = compiled.compile_policy({"contact": "self-test", "rules": [_RULE]}, "0" * 64)
    active_policy.replace(home, policy)
    trusted_files.replace(home, facts.FILE_NAME, summed_file.summed(facts.to_text(Facts())))


def _arguments(home: str, form: Path) -> list[str]:
    options = {"home": home, "on-error": "allow", "triggers-io": "0", "type": "client"}
    options |= {"form": str(form), "user": "self-test", "name": "self-test"}
    return words_of("form-save", options)


def _version(program: str) -> Check:
    process = program_start.ended(program, "--version")
    if process is None or process.returncode:
        return Check("programs", BAD, f"{program} does not start", put_back())
    output = process.stdout.decode("utf-8", "replace").strip()
    if output.split()[-1:] != [__version__]:
        line = f"p4warden is {__version__}, the gate {output}"
        return Check("programs", BAD, line, put_back())
    return Check("programs", GOOD, f"p4warden and its gate, {__version__}")
