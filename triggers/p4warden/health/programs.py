from __future__ import annotations

import contextlib
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from p4warden import __version__
from p4warden.asking import gate_program
from p4warden.core import facts
from p4warden.core.errors import P4WardenError
from p4warden.core.json_lines import object_in
from p4warden.core.records import Facts
from p4warden.core.trigger_options import words_of
from p4warden.health import BAD, GOOD, UNKNOWN, Check, decision_counts, home_folder
from p4warden.home import active_policy, trusted_files
from p4warden.policy import compiled

if TYPE_CHECKING:
    from collections.abc import Iterator

    from p4warden.health import CheckedInstallation

_DEADLINE_S = 20
_INSTALL = "install p4warden again, from a wheel that has the gate"
_RULE = {"name": "self-test", "rule": "limit_view_scope", "mode": "enforce"}
_WIDE = "Client:\tself-test\n\nView:\n\t//depot/... //self-test/...\n"


def checks(place: CheckedInstallation) -> Iterator[Check]:
    """Check the gate program, the Python program that it starts, and their release numbers."""
    gate = gate_program.path()
    if not gate_program.is_installed():
        yield Check("programs", BAD, f"{gate} is missing", _INSTALL)
        return
    yield _version(gate)
    yield decision_counts.check(place)
    yield _reach(place, gate)
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
                capture_output=True,
                timeout=_DEADLINE_S,
                check=False,
            )
        except (OSError, P4WardenError, subprocess.TimeoutExpired) as error:
            return Check("self-test", BAD, f"no verdict: {error}", _INSTALL)
    if process.returncode == 1 and b"rule=self-test " in process.stdout:
        return Check("self-test", GOOD, "a client that maps a whole depot is refused, as expected")
    output = (process.stdout + process.stderr).decode("utf-8", "replace").strip() or "no output"
    return Check("self-test", BAD, f"exit code {process.returncode}: {output}", _INSTALL)


def _prepare(home: str) -> None:
    policy = compiled.compile_policy({"contact": "self-test", "rules": [_RULE]}, "0" * 64)
    active_policy.replace(home, policy)
    trusted_files.replace(home, facts.FILE_NAME, facts.to_text(Facts()).encode())


def _arguments(home: str, form: Path) -> list[str]:
    options = {"home": home, "on-error": "allow", "triggers-io": "0", "type": "client"}
    options |= {"form": str(form), "user": "self-test", "name": "self-test"}
    return words_of("form-save", options)


def _version(program: str) -> Check:
    process = _run(program, "--version")
    if process is None or process.returncode:
        return Check("programs", BAD, f"{program} does not start", _INSTALL)
    output = process.stdout.decode("utf-8", "replace").strip()
    if output.split()[-1:] != [__version__]:
        return Check("programs", BAD, f"p4warden is {__version__}, the gate {output}", _INSTALL)
    return Check("programs", GOOD, f"p4warden and its gate, {__version__}")


def _reach(place: CheckedInstallation, program: str) -> Check:
    with contextlib.suppress(OSError):  # `home_folder.checks` reports this error
        if home_folder.is_missing(place.home):
            return Check("gate", UNKNOWN, "not tested with a home folder: it does not exist")
    process = _run(program, "self-test", "--home", place.home)
    states = object_in(process.stdout) if process else None
    if states is None:
        return Check("gate", BAD, "its self-test gives no result", _INSTALL)
    has_policy = trusted_files.has(place.home, compiled.FILE_NAME)
    needed_parts = [part for part in states if has_policy or part != "policy"]
    unusable_parts = [f"{part}: {states[part]}" for part in needed_parts if states[part] != "ok"]
    if not unusable_parts and not has_policy:
        return Check("gate", UNKNOWN, "not tested completely: no policy yet")
    if unusable_parts:
        remedy = f"p4warden activate --home {place.home} writes the policy; fix the other parts"
        return Check("gate", BAD, "; ".join(unusable_parts), remedy)
    return Check("gate", GOOD, "policy, facts, state, log and questions to the server are usable")


def _run(*command: str) -> subprocess.CompletedProcess[bytes] | None:
    """None if it does not start, or not end."""
    try:
        return subprocess.run(command, capture_output=True, timeout=_DEADLINE_S, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
