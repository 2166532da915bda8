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
    """Return the spec types whose saved forms the policy's rules judge."""
    subscribed_events = {pair for rule in policy.rules for pair in subscriptions(rule)}
    return tuple(name for name in TYPES if ("form-save", name) in subscribed_events)


def event_of(spec: Spec, groups: tuple[str, ...], day: str) -> Event:
    """Return the event of a spec saved by its owner on a day, `YYYY-MM-DD`."""
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


class BaselineCollector:
    def __init__(self) -> None:
        self.specs: dict[str, dict[Mark, int | None]] = {}

    def add_marks(self, policy: Policy, event: Event, facts: Facts) -> dict[Mark, int | None]:
        """Rules in mode observe count like enforced ones; rules in mode off have no findings."""
        nothing_stays = facts._replace(baseline={})
        marks: dict[Mark, int | None] = {}
        for judgement in evaluate(policy, event, nothing_stays, most=None).judgements:
            marks |= baseline.marks(judgement.rule, judgement.findings, facts)
        if marks:
            name = baseline.key(event.type or "", event.name or "", facts)
            self.specs[name] = marks
        return marks


class ViewCounts(Protocol):
    @property
    def files(self) -> int: ...
    @property
    def revisions(self) -> int: ...
    @property
    def have(self) -> int | None: ...


def tolerated_rules(policy: Policy, event: Event, facts: Facts) -> frozenset[str]:
    """Return the rules that would refuse a spec if its baseline did not tolerate it.

    Rules in mode observe count as enforced; canaries and `baseline` settings are ignored. Rules in
    mode off are left out, and exemptions apply.
    """
    if not facts.baseline:
        return frozenset()
    strict = policy._replace(rules=tuple(map(_strict, policy.rules)))
    rules_without_baseline, rules_with_baseline = (
        {j.rule for j in evaluate(strict, event, judged_facts).judgements if j.verdict == "refuse"}
        for judged_facts in (facts._replace(baseline={}), facts)
    )
    return frozenset(rules_without_baseline - rules_with_baseline)


def _strict(rule: PolicyRule) -> PolicyRule:
    mode = "off" if rule.mode == "off" else "enforce"
    return rule._replace(mode=mode, canary=None, baseline=True, baseline_until=None)


def document(spec: Spec, outcome: Outcome, spans: ViewCounts | None = None) -> dict[str, Any]:
    """Return a verdict as a JSON object; `spans` are None for other specs than clients."""
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


def day_of(seconds: float | None) -> str | None:
    """Convert epoch seconds to a local date, `YYYY-MM-DD`; None for None or out of range."""
    if seconds is None or not 0 <= seconds <= LATEST_S:
        return None
    return time.strftime("%Y-%m-%d", time.localtime(seconds))
