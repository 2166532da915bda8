"""A spec -> what the evaluator says of saving it as it is."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Protocol

from p4warden.census import TYPES
from p4warden.core.records import Event
from p4warden.core.time_spans import LATEST_S
from p4warden.judge import baseline, refusal
from p4warden.judge.engine import evaluate, subscriptions

if TYPE_CHECKING:
    from p4warden.census import Spec
    from p4warden.core.records import Facts, Outcome
    from p4warden.judge.baseline import Mark
    from p4warden.policy.compiled import Policy, PolicyRule


def judged_types(policy: Policy) -> tuple[str, ...]:
    """Return the types of specs that a rule of the policy judges when they are saved."""
    judged = {pair for rule in policy.rules for pair in subscriptions(rule)}
    return tuple(name for name in TYPES if ("form-save", name) in judged)


def event_of(spec: Spec, groups: tuple[str, ...], day: str) -> Event:
    """Return what happens when a spec's owner saves it on that day, `YYYY-MM-DD`."""
    client = spec.name if spec.type == "client" else None
    return Event(
        "form-save",
        day,
        type=spec.type,
        name=spec.name,
        user=spec.owner,
        groups=groups,
        client=client,
        form=spec.form,
    )


class Noted:
    """The present findings of every spec, for rules that let them stay."""

    def __init__(self) -> None:
        """Start with nothing."""
        self.specs: dict[str, dict[Mark, int | None]] = {}

    def take(self, policy: Policy, event: Event, facts: Facts) -> dict[Mark, int | None]:
        """Note and return all that the rules find in a spec, whatever their modes are."""
        nothing_stays = facts._replace(baseline={})
        found: dict[Mark, int | None] = {}
        for judgement in evaluate(policy, event, nothing_stays, most=None).judgements:
            found |= baseline.marks(judgement.rule, judgement.findings, facts)
        if found:
            name = baseline.key(event.type or "", event.name or "", facts)
            self.specs[name] = found
        return found


class Spans(Protocol):
    """The numbers of records that a client's view spans, and of files that it has."""

    @property
    def files(self) -> int: ...  # noqa: D102 - as above
    @property
    def revisions(self) -> int: ...  # noqa: D102 - as above
    @property
    def have(self) -> int | None: ...  # noqa: D102 - as above


def staying(policy: Policy, event: Event, facts: Facts) -> frozenset[str]:
    """Return the rules that refuse a spec unless they let stay what the baseline has.

    Modes, canaries and `baseline` of the policy do not matter, its exemptions do.
    """
    if not facts.baseline:
        return frozenset()
    strict = policy._replace(rules=tuple(map(_strict, policy.rules)))
    bare, kept = (
        {j.rule for j in evaluate(strict, event, known).judgements if j.verdict == "refuse"}
        for known in (facts._replace(baseline={}), facts)
    )
    return frozenset(bare - kept)


def _strict(rule: PolicyRule) -> PolicyRule:
    mode = "off" if rule.mode == "off" else "enforce"
    return rule._replace(mode=mode, canary=None, baseline=True, baseline_until=None)


def document(spec: Spec, outcome: Outcome, spans: Spans | None = None) -> dict[str, Any]:
    """Write a verdict as an object: whose spec, when it was used last, which rule and why.

    `spans` are a client's counts; None of other specs, and where nobody counted.
    """
    decisive = outcome.decisive
    findings = decisive.findings if decisive else ()
    return {
        "type": spec.type,
        "name": spec.name,
        "owner": spec.owner,
        "accessed": day_of(spec.accessed_s),
        "files": spans.files if spans else None,
        "revisions": spans.revisions if spans else None,
        "have": spans.have if spans else None,
        "verdict": outcome.verdict,
        "rule": decisive.rule if decisive else None,
        "detail": refusal.detail(findings[0]) if findings else None,
        "fix": "\n".join(refusal.fix_lines(findings)) or None,
        "advice": decisive.advice if decisive else None,
    }


def day_of(seconds: int | None) -> str | None:
    """Return the local date of seconds since the epoch, `YYYY-MM-DD`; None where it has none."""
    if seconds is None or not 0 <= seconds <= LATEST_S:
        return None
    return time.strftime("%Y-%m-%d", time.localtime(seconds))
