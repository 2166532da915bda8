"""Whether the account of the last refresh can ask the server, as the gate lets it for submits."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from typing import TYPE_CHECKING

from p4warden.asking.gate_program import GateError
from p4warden.core.json_lines import object_in
from p4warden.core.plural import listed
from p4warden.health import BAD, GOOD, WARNING, Check, declared_answer
from p4warden.health.server_reachable import try_without_p4warden
from p4warden.health.steps import step
from p4warden.home import active_policy, off_mark, server_account
from p4warden.policy import compiled
from p4warden.server import error_advice

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from p4warden.health import CheckedInstallation
    from p4warden.policy.compiled import Policy

NAME = "account"
_DEADLINE_S = 3.5
"""As long as the gate waits (`SILENCE_NS` in `trigger/server_answers.rs`)."""
_SUBMITS = (None,)
_ASKED_FOR = (*_SUBMITS, "depot")
"""Subjects of events for which the gate asks the server: submits and shelves, and depots, which it
judges by the last refresh if it gets no answer."""
_DEPOTS = ("depot",)
_WITHOUT_ASKING = "no rule asks the server for submits or shelves"
_SILENT = (
    "the server answers neither this command nor triggers; if it answers nobody, p4warden off "
    "helps nobody; if it serves users nevertheless"
)
_LATE = f"the server did not answer within {_DEADLINE_S} s"


def checks(place: CheckedInstallation) -> Iterator[Check]:
    """Yield a result about the recorded account; nothing if no account is recorded.

    If it cannot ask, one about the events that p4d answers differently therefore comes first.
    """
    if not server_account.asked_ns(place.home) or off_mark.is_uninstalled(place.home):
        return
    asked, name = _asked(place.home), server_account.name(place.home)
    if not asked:
        yield Check(NAME, GOOD, f"{name} can ask the server, as for submits")
        return
    problem, remedy = asked
    if not problem.startswith((name, name.rpartition("@")[2])):
        problem = f"{name}: {problem}"
    policy = active_policy.policy_if_any(place.home)
    rules = _rules(policy, _SUBMITS) if policy else []
    if policy and rules:
        events = f"submits and shelves that {listed(rules)} would judge"
        is_silent = _answers_nobody(place) and (
            problem.endswith(_LATE) or error_advice.is_unreached(remedy)
        )
        first = try_without_p4warden(name.rpartition("@")[2]) if is_silent else ""
        cause = _SILENT if is_silent else "triggers cannot ask the server"
        yield from declared_answer.checks(place, policy, events, cause, first)
        yield Check(NAME, BAD, problem, _step(place, remedy))
        return
    effect = f"; users notice nothing: {_WITHOUT_ASKING}" if policy else ""
    if policy and _rules(policy, _DEPOTS):
        effect += "; new depots are judged by the last p4warden refresh"
    yield Check(NAME, WARNING, f"{problem}{effect}", _step(place, remedy))


def _answers_nobody(place: CheckedInstallation) -> bool:
    """Tell whether this command got no answer, too; a login or a right may be what it lacks."""
    return error_advice.is_unreached(place.unconnected.remedy)


def _step(place: CheckedInstallation, remedy: str) -> str | None:
    """Return the step against what keeps the account from asking; its remedy, without one."""
    if command := error_advice.command_in(remedy):
        return command  # such as p4 login
    if not error_advice.is_unreached(remedy):
        return remedy or None
    recorded = str(server_account.read(place.home)["port"])
    if place.p4 is None or place.p4.port == recorded:
        return try_without_p4warden(recorded)
    words = ["p4warden", "refresh", "--port", place.p4.port, "--user", place.p4.user]
    refresh = shlex.join([*words, "--home", place.home])
    return step(f"if the server is at {place.p4.port} now, let triggers ask it there", refresh)


def rules_that_ask(policy: Policy, subjects: Collection[str | None] = _ASKED_FOR) -> list[str]:
    """Return the rules for which the gate asks the server, about events with these subjects.

    Raises:
        GateError: the policy was not activated by this release, and the gate cannot be asked.
    """
    return [
        rule.name
        for rule in compiled.rule_lines(policy)
        if any(subject in subjects for _, subject in rule.events)
    ]


def _rules(policy: Policy, subjects: Collection[str | None]) -> list[str]:
    try:
        return rules_that_ask(policy, subjects)
    except GateError:
        return ["some rules"]


def _asked(home: str) -> Sequence[str]:
    """Ask as the gate does; return the problem and its remedy or "", nothing if it can ask."""
    try:
        process = subprocess.run(
            [sys.executable, "-I", "-m", "p4warden.server.answers", "--home", home],
            input=json.dumps({"wanted": ["depots"]}).encode(),
            capture_output=True,
            timeout=_DEADLINE_S,
            check=False,
            env={},
        )
    except subprocess.TimeoutExpired:
        return _LATE, ""
    except OSError as error:
        return f"{sys.executable}: {error.strerror}", ""
    answer = object_in(process.stdout)
    if answer is None:
        return f"the program that asks ended with code {process.returncode} and no answer", ""
    return [str(part) for part in answer.get("parts", ())]
