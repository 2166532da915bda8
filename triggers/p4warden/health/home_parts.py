"""What the gate can use of a home: its self-test, and what users get while it cannot count."""

from __future__ import annotations

import contextlib
import shlex
from typing import TYPE_CHECKING

from p4warden.asking.gate_program import GateError
from p4warden.core.json_lines import object_in
from p4warden.core.plural import listed
from p4warden.health import BAD, GOOD, UNKNOWN, Check, declared_answer, home_folder
from p4warden.health.lost_program import put_back
from p4warden.health.steps import step
from p4warden.history import ways_back
from p4warden.home import (
    active_policy,
    decision_log,
    gate_counts,
    program_start,
    trusted_files,
    usable,
)
from p4warden.policy import compiled
from p4warden.table.judged_events import shortened

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from p4warden.health import CheckedInstallation
    from p4warden.policy.compiled import Policy

_FILES = {
    "state": gate_counts.STATE_FILE,
    "log": decision_log.FILE_NAME,
    "admitted": trusted_files.ADMITTED,
}
_POLICY, _FACTS = "policy", "facts"


def checks(place: CheckedInstallation, gate: str) -> Iterator[Check]:
    """Yield the result of the gate's self-test, after the events that it cannot count."""
    with contextlib.suppress(OSError):  # `home_folder.checks` reports this error
        if home_folder.is_missing(place.home):
            yield Check("gate", UNKNOWN, "not tested with a home folder: it does not exist")
            return
    process = program_start.ended(gate, "self-test", "--home", place.home)
    states = object_in(process.stdout) if process else None
    if states is None:
        yield Check("gate", BAD, "its self-test gives no result", put_back())
        return
    told = {*_told(place.home)}
    known = {part: state for part, state in states.items() if part not in told}
    unusable = {part: state for part, state in known.items() if state != "ok"}
    yield from _uncounted(place, unusable)
    if unusable:
        line = "; ".join(f"{part}: {problem}" for part, problem in unusable.items())
        yield Check("gate", BAD, line, "\n".join(_steps(place.home, unusable)) or None)
    elif told:
        yield Check("gate", UNKNOWN, f"all is usable but {listed(sorted(told))}")
    else:
        yield Check("gate", GOOD, "policy, facts, state and log are usable")


def _told(home: str) -> Iterator[str]:
    """Yield the parts of which other checks say what is wrong, in words of their own."""
    if active_policy.policy_if_any(home) is None:
        yield _POLICY
    if active_policy.facts_if_any(home) is None:
        yield _FACTS


def _steps(home: str, unusable: Mapping[str, str]) -> Iterator[str]:
    if _POLICY in unusable:
        yield step("write the policy again", ways_back.policy(home))
    if _FACTS in unusable:
        yield step("write the facts again", ways_back.facts(home))
    if usable.unwritable(home):
        return  # the check of the disk has the step
    for part in (part for part in _FILES if part in unusable):
        path = shlex.quote(f"{home}/{_FILES[part]}")
        yield step(
            f"move {_FILES[part]} away; the gate makes a new one", f"mv {path} {path}.aside"
        )


def _uncounted(place: CheckedInstallation, unusable: Mapping[str, str]) -> Iterator[Check]:
    """Yield a result about events that need what the gate cannot write; nothing without any."""
    policy = active_policy.policy_if_any(place.home)
    if "state" not in unusable or policy is None:
        return
    with contextlib.suppress(GateError):
        counted = [*_counted(policy, takes_none=bool(usable.unwritable(place.home)))]
        if counted:
            events = f"{listed(counted)} that cannot be counted"
            yield from declared_answer.checks(place, policy, events, unusable["state"])


def _counted(policy: Policy, *, takes_none: bool) -> Iterator[str]:
    """Yield the events that the gate counts, of which those of depots are in a file of their own.

    Args:
        policy: the running policy.
        takes_none: whether no file of the home can be written.
    """
    for needs in compiled.rule_lines(policy):
        names = [name for event, name in needs.events if event == "command" and name]
        if needs.least_burst is not None and names:
            yield f"{listed(shortened(names))} (rule {needs.name})"
        if takes_none and needs.kind == "limit_depot_count" and needs.events:
            yield f"saves of depots (rule {needs.name})"
