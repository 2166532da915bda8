"""Whether the account of the last refresh can ask the server, as the gate lets it for submits."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from typing import TYPE_CHECKING

from p4warden.asking.gate_program import GateError
from p4warden.core.json_lines import object_in
from p4warden.health import BAD, GOOD, WARNING, Check
from p4warden.home import active_policy, off_mark, server_account
from p4warden.policy import compiled

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from p4warden.health import CheckedInstallation
    from p4warden.policy.compiled import Policy

_NAME = "account"
_DEADLINE_S = 3.5
"""As long as the gate waits (`DEADLINE_NS` in `trigger/server_answers.rs`)."""
_SUBMITS = (None,)
_ASKED_FOR = (*_SUBMITS, "depot")
"""Subjects of events for which the gate asks the server: submits and shelves, and depots, which it
judges by the last refresh if it gets no answer."""
_ADVICE = re.compile(r"; (?=(?:run|check|specify|write|omit|compare) )")
"""Before the remedy of `server/error_advice.py`; what a server says may have semicolons, too."""
_LATE = f"the server did not answer within {_DEADLINE_S} s"


def checks(place: CheckedInstallation) -> Iterator[Check]:
    """Yield a result about the recorded account; nothing if no account is recorded."""
    if not server_account.asked_ns(place.home) or off_mark.is_uninstalled(place.home):
        return
    problem, *advice = _ADVICE.split(_asked(place.home), maxsplit=1)
    remedy = "".join(advice).removeprefix("run ")  # what is left can be pasted
    if not problem:
        yield Check(_NAME, GOOD, "can ask the server, as for submits")
        return
    policy = active_policy.policy_if_any(place.home)
    rules = _rules(policy) if policy else []
    if policy is None or not rules:
        line = f"{problem}; no rule asks the server for submits or shelves"
        yield Check(_NAME, WARNING, line, remedy or None)
        return
    is_off = off_mark.is_off(place.home, place.now_ns)
    until = "p4warden is off, so p4d allows everything; once it is on, " if is_off else "so "
    answer = "refused" if policy.on_error == "deny" else "allowed unjudged"
    line = (
        f"{problem}; {until}the submits and shelves that {', '.join(rules)} would judge are "
        f"{answer} (on_error: {policy.on_error})"
    )
    if policy.on_error == "deny" and not is_off:
        off = f"p4warden off --home {shlex.quote(place.home)}"
        remedy = "\n".join(filter(None, (remedy, f"until then everybody can work after {off}")))
    yield Check(_NAME, BAD, line, remedy or None)


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


def _rules(policy: Policy) -> list[str]:
    try:
        return rules_that_ask(policy, _SUBMITS)
    except GateError:
        return ["some rules"]


def _asked(home: str) -> str:
    """Ask as the gate does; return the problem with its remedy, empty if there is none."""
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
        return _LATE
    except OSError as error:
        return f"{sys.executable}: {error.strerror}"
    answer = object_in(process.stdout)
    if answer is None:
        return f"the program that asks ended with code {process.returncode} and no answer"
    return str(answer.get("error", ""))
