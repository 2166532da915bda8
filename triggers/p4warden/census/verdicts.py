"""A spec -> what the evaluator says of saving it as it is."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, NamedTuple

from p4warden import refusal
from p4warden.census import TYPES
from p4warden.engine import evaluate, watched
from p4warden.records import Event

if TYPE_CHECKING:
    from p4warden.census import Spec
    from p4warden.policy.compiled import Policy
    from p4warden.records import Facts, Outcome


class Judged(NamedTuple):
    """A spec and what comes of saving it as it is."""

    spec: Spec
    outcome: Outcome


def judged_types(policy: Policy) -> tuple[str, ...]:
    """Return the types of specs that a rule of the policy judges when they are saved."""
    judged = {pair for rule in policy.rules for pair in watched(rule)}
    return tuple(name for name in TYPES if ("form-save", name) in judged)


def judge(policy: Policy, facts: Facts, spec: Spec, groups: tuple[str, ...], day: str) -> Judged:
    """Judge a spec as if its owner saved it on that day, `YYYY-MM-DD`, in these groups."""
    client = spec.name if spec.type == "client" else None
    event = Event(
        "form-save",
        day,
        type=spec.type,
        name=spec.name,
        user=spec.owner,
        groups=groups,
        client=client,
        form=spec.form,
    )
    return Judged(spec, evaluate(policy, event, facts))


def document(judged: Judged) -> dict[str, Any]:
    """Write a verdict as an object: whose spec, when it was used last, which rule and why."""
    spec, outcome = judged
    decisive = outcome.decisive
    findings = decisive.findings if decisive else ()
    return {
        "type": spec.type,
        "name": spec.name,
        "owner": spec.owner,
        "accessed": day_of(spec.accessed_s),
        "verdict": outcome.verdict,
        "rule": decisive.rule if decisive else None,
        "detail": refusal.detail(findings[0]) if findings else None,
        "fix": "\n".join(refusal.fix_lines(findings)) or None,
    }


def day_of(seconds: int | None) -> str | None:
    """Return the local date of seconds since the epoch, `YYYY-MM-DD`."""
    return None if seconds is None else time.strftime("%Y-%m-%d", time.localtime(seconds))
