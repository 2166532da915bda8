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
from p4warden.core.plural import amount
from p4warden.core.printable import cut
from p4warden.core.records import Facts
from p4warden.core.trigger_options import words_of
from p4warden.health import BAD, GOOD, UNKNOWN, WARNING, Check, home_folder
from p4warden.health.trigger_programs import way_back
from p4warden.history import ways_back
from p4warden.history.local_time import minute_text
from p4warden.home import active_policy, decision_log, gate_counts, trusted_files
from p4warden.home.rotated_files import LogFileError
from p4warden.policy import compiled

if TYPE_CHECKING:
    from collections.abc import Iterator

    from p4warden.health import CheckedInstallation

_DEADLINE_S = 20
_PAST_S = 86400
"""Age of the last fault of p4warden, in seconds, above which its cause counts as removed."""
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
    gate = gate_program.path()
    if place.gate_problem:
        yield Check("programs", BAD, place.gate_problem, way_back(gate))
        yield Check("left out", UNKNOWN, _ONLY_THE_GATE)
        return
    yield _version(gate)
    yield _counts(place)
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
                stdin=subprocess.DEVNULL,  # text there would be a dictionary of p4d
                capture_output=True,
                timeout=_DEADLINE_S,
                check=False,
            )
        except (OSError, P4WardenError, subprocess.TimeoutExpired) as error:
            return Check("self-test", BAD, f"no verdict: {error}", gate_program.install_again())
    if process.returncode == 1 and b"rule=self-test " in process.stdout:
        return Check("self-test", GOOD, _EXPECTED)
    output = (process.stdout + process.stderr).decode("utf-8", "replace").strip() or "no output"
    return Check(
        "self-test", BAD, f"exit code {process.returncode}: {output}", gate_program.install_again()
    )


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
        return Check("programs", BAD, f"{program} does not start", gate_program.install_again())
    output = process.stdout.decode("utf-8", "replace").strip()
    if output.split()[-1:] != [__version__]:
        return Check(
            "programs",
            BAD,
            f"p4warden is {__version__}, the gate {output}",
            gate_program.install_again(),
        )
    return Check("programs", GOOD, f"p4warden and its gate, {__version__}")


def _reach(place: CheckedInstallation, program: str) -> Check:
    with contextlib.suppress(OSError):  # `home_folder.checks` reports this error
        if home_folder.is_missing(place.home):
            return Check("gate", UNKNOWN, "not tested with a home folder: it does not exist")
    process = _run(program, "self-test", "--home", place.home)
    states = object_in(process.stdout) if process else None
    if states is None:
        return Check("gate", BAD, "its self-test gives no result", gate_program.install_again())
    has_policy = trusted_files.has(place.home, compiled.FILE_NAME)
    needed_parts = [part for part in states if has_policy or part != "policy"]
    unusable_parts = {part: states[part] for part in needed_parts if states[part] != "ok"}
    if not unusable_parts and not has_policy:
        return Check("gate", UNKNOWN, "not tested completely: no policy yet")
    if unusable_parts:
        remedy = "free disk space, and let p4d's account write the files of the other parts"
        if "policy" in unusable_parts:
            remedy = f"{ways_back.policy(place.home)}  # writes the policy; fix the other parts"
        line = "; ".join(f"{part}: {problem}" for part, problem in unusable_parts.items())
        return Check("gate", BAD, line, remedy)
    return Check("gate", GOOD, "policy, facts, state and log are usable")


def _run(*command: str) -> subprocess.CompletedProcess[bytes] | None:
    """None if it does not start, or not end."""
    try:
        return subprocess.run(command, capture_output=True, timeout=_DEADLINE_S, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None


def _counts(place: CheckedInstallation) -> Check:
    """Check the gate's counters of decisions and faults.

    The fault counter never decreases; so a warning depends on the time of the last fault in the
    decision log.
    """
    try:
        counts = gate_counts.counts(place.home)
    except (gate_program.GateError, ValueError) as error:
        remedy = "run this as p4d's account, and mend what the line of the gate names"
        return Check("counts", WARNING, f"the gate's counts cannot be read: {error}", remedy)
    if counts is None:
        return Check("counts", GOOD, "no decisions yet")
    faults = amount(counts["faults"], "fault")
    line = f"{counts['allowed']} allowed, {counts['refused']} refused, {faults}"
    return _fault_check(place, line) if counts["faults"] else Check("counts", GOOD, line)


def _fault_check(place: CheckedInstallation, line: str) -> Check:
    last_fault = _last_fault(place.home)
    if last_fault is None:
        return Check("counts", GOOD, f"{line}; the log no longer has their records")
    last_s, cause = last_fault
    line += f", the last {minute_text(last_s)}: {cut(cause)}"
    if last_s < place.now_ns / 10**9 - _PAST_S:
        return Check("counts", GOOD, line)
    hint = f"p4warden report --home {place.home} lists them"
    return Check("counts", WARNING, line, f"{hint}; this warning ends after a day without a fault")


def _last_fault(home: str) -> tuple[float, str] | None:
    with decision_log.opened(home) as files:
        for file in reversed(files[-2:]):
            with contextlib.suppress(LogFileError):
                fault_lines = [line for line in file.lines() if b'"fault"' in line]
                faults = [one for one in decision_log.records(fault_lines) if "fault" in one]
                times = [(one.get("time"), str(one["fault"])) for one in faults]
                dated = [(at, cause) for at, cause in times if isinstance(at, int | float)]
                if dated:
                    return max(dated)
    return None
