"""evaluate(policy, event, facts): every verdict on a form comes from here.

This is the only place where modes and exemptions of form rules act; the gate's library is that
for commands, and the cases that both must judge alike are data files. Exemptions are judged first,
so an exempt account cannot be stopped by a rule, however broken its form is.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from p4warden.patterns import fold, matches
from p4warden.records import VERDICTS, Finding, Judgement, Outcome
from p4warden.rules import RULES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from p4warden.policy.compiled import Exemption, Policy, PolicyRule
    from p4warden.records import Event, Facts

MAX_FINDINGS = 100
"""A rule is not asked for more: a view with 20,000 bad lines is as refused as one with 100."""


def evaluate(policy: Policy, event: Event, facts: Facts) -> Outcome:
    """Judge an event by every rule of the policy that concerns it."""
    judgements = tuple(
        _judge(rule, policy.exemptions, event, facts)
        for rule in policy.rules
        if (event.event, event.type) in watched(rule)
    )
    verdicts = ["allow", *(judgement.verdict for judgement in judgements)]
    return Outcome(max(verdicts, key=VERDICTS.index), judgements)


def watched(rule: PolicyRule) -> tuple[tuple[str, str], ...]:
    """Return the events that a rule wants to see, as pairs of event and form type."""
    return () if rule.mode == "off" else RULES[rule.rule].events(rule.settings)


def _judge(
    rule: PolicyRule, exemptions: Iterable[Exemption], event: Event, facts: Facts
) -> Judgement:
    summary = RULES[rule.rule].SUMMARY
    for exemption in exemptions:
        if applies(exemption, rule.name, event, facts):
            reason = f"{exemption.reason} (owner: {exemption.owner})"
            return Judgement(rule.name, summary, "allow", reason)
    if event.form is None:
        return Judgement(rule.name, summary, "unknown")
    findings = _findings(rule, event, facts)
    verdict = {"enforce": "refuse", "observe": "observe"}[rule.mode] if findings else "allow"
    return Judgement(rule.name, summary, verdict, None, findings)


def _findings(rule: PolicyRule, event: Event, facts: Facts) -> tuple[Finding, ...]:
    if event.form and event.form.problem:
        return (Finding(event.name or "", "The form", event.form.problem, None, None),)
    found = RULES[rule.rule].find(rule.settings, event, facts)
    return tuple(islice(found, MAX_FINDINGS))


def applies(exemption: Exemption, rule: str, event: Event, facts: Facts) -> bool:
    """Tell whether an exemption lets the event pass the rule of that name."""
    return not any(misses(exemption, rule, event, facts))


def misses(exemption: Exemption, rule: str, event: Event, facts: Facts) -> Iterator[str]:
    """Yield the fields of an exemption that do not fit; none when it lets the event pass."""
    if exemption.rules is not None and rule not in exemption.rules:
        yield "rules"
    if exemption.until is not None and event.day > exemption.until:
        yield "until"
    for field, names in who(event).items():
        if not _any_matches(getattr(exemption, field), names, facts):
            yield field


def who(event: Event) -> dict[str, tuple[str | None, ...]]:
    """Return what each field of an exemption that names someone is compared with.

    A client form is about the client it names as well as the client it comes from; `clients`
    matches either.
    """
    return {
        "users": (event.user,),
        "groups": event.groups,
        "clients": (event.client, event.name if event.type == "client" else None),
        "programs": (event.prog,),
    }


def _any_matches(
    patterns: tuple[str, ...] | None, names: Iterable[str | None], facts: Facts
) -> bool:
    """Tell whether one of the names fits one of the patterns; no patterns ask for nothing."""
    if patterns is None:
        return True
    folded = [fold(p, case_sensitive=facts.case_sensitive) for p in patterns]
    return any(
        matches(pattern, fold(name, case_sensitive=facts.case_sensitive))
        for name in names
        if name is not None
        for pattern in folded
    )
