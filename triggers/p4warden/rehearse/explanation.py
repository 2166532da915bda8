"""Explanation of a verdict: whether each rule of a policy applies to an event, and why.

No verdict is computed here: the evaluator judges the event by the whole policy, and by each rule
alone that applies. The code that judges exemptions names the fields that do not match.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from p4warden.history.local_time import local_day
from p4warden.judge.engine import mode_for, subscriptions
from p4warden.judge.exemptions import misses, names_by_field
from p4warden.rehearse.evaluator import evaluating
from p4warden.rehearse.event_lines import event_from, facts_from

if TYPE_CHECKING:
    from collections.abc import Iterator

    from p4warden.core.records import Event, Facts
    from p4warden.policy.compiled import Exemption, Policy, PolicyRule

_ONE = {"users": "user", "groups": "group", "clients": "client", "programs": "program"}


class UnmatchedField(NamedTuple):
    field: str
    asks: str
    why: str


class ComparedExemption(NamedTuple):
    """`number` is the exemption's position in the policy, counted from 1."""

    number: int
    reason: str
    owner: str
    misses: tuple[UnmatchedField, ...]


class ExplainedRule(NamedTuple):
    """The verdict of one rule on the explained event.

    Attributes:
        acts_as: the mode by which the rule judges the event: `observe`, if `mode` is `enforce` and
            the user is outside the rule's canary; else `mode`.
        answer: the evaluator's verdict by this rule alone; None if the rule does not apply.
    """

    name: str
    rule: str
    mode: str
    acts_as: str
    not_asked: str | None
    exemptions: tuple[ComparedExemption, ...] = ()
    answer: dict[str, Any] | None = None


class Explanation(NamedTuple):
    """`repeat` counts simultaneous occurrences of the event; the last is explained."""

    event: dict[str, Any]
    repeat: int
    rules: tuple[ExplainedRule, ...]
    answer: dict[str, Any]


def explain(
    policy: Policy, document: dict[str, Any], repeat: int = 1, index: str | None = None
) -> Explanation:
    """Judge an event that occurs several times at one moment; explain the last occurrence.

    Raises:
        EventError: the document is not an event, or p4warden failed to judge it.
        GateError: the gate is needed for a command, but is not installed or cannot be started.
    """
    event, facts = event_from(document, local_day), facts_from(document)
    subject = str(document.get("command")).removeprefix("user-")
    about = (event.event, subject if event.event == "command" else event.type)

    def explained(rule: PolicyRule) -> ExplainedRule:
        obstacle = _obstacle(rule, about)
        acts_as = mode_for(rule, event, facts)
        explanation = ExplainedRule(rule.name, rule.rule, rule.mode, acts_as, obstacle)
        if obstacle:
            return explanation
        exemptions = tuple(_compared_exemptions(policy, rule.name, event, facts))
        answer = _ask(policy._replace(rules=(rule,)), document, repeat, index)
        return explanation._replace(exemptions=exemptions, answer=answer)

    answer = _ask(policy, document, repeat, index)
    return Explanation(document, repeat, tuple(map(explained, policy.rules)), answer)


def _ask(
    policy: Policy, document: dict[str, Any], repeat: int, index: str | None
) -> dict[str, Any]:
    line = json.dumps(document).encode()
    with evaluating(policy, index, texts=True) as evaluator:
        answers = [evaluator.answer(line) for _ in range(repeat)]
    answer: dict[str, Any] = json.loads(answers[-1])
    return answer


def _obstacle(rule: PolicyRule, about: tuple[str, str | None]) -> str | None:
    if rule.mode == "off":
        return "its mode is off"
    subscribed_events = subscriptions(rule)
    if about in subscribed_events:
        return None
    kinds: dict[str, list[str]] = {}
    for kind, subject in subscribed_events:
        kinds.setdefault(kind, []).extend([subject] if subject else [])
    subjects = "; ".join(event_words(kind, ", ".join(of)) for kind, of in kinds.items())
    return f"it judges {subjects}; this is {event_words(*about)}"


def event_words(event: str, subject: str | None) -> str:
    """Return an event in words, such as `the command fstat` or `form-save of client`."""
    if not subject:
        return event
    return f"the command {subject}" if event == "command" else f"{event} of {subject}"


def _compared_exemptions(
    policy: Policy, rule: str, event: Event, facts: Facts
) -> Iterator[ComparedExemption]:
    for number, exemption in enumerate(policy.exemptions, 1):
        unmet_conditions = tuple(
            _miss(field, exemption, rule, event) for field in misses(exemption, rule, event, facts)
        )
        yield ComparedExemption(number, exemption.reason, exemption.owner, unmet_conditions)
        if not unmet_conditions:
            return


def _miss(field: str, exemption: Exemption, rule: str, event: Event) -> UnmatchedField:
    requirement = getattr(exemption, field)
    asks = requirement if isinstance(requirement, str) else ", ".join(requirement)
    if field == "rules":
        return UnmatchedField(field, asks, f"does not name {rule}")
    if field == "until":
        return UnmatchedField(field, asks, f"has passed, the event is of {event.day}")
    names = list(dict.fromkeys(name for name in names_by_field(event)[field] if name))
    if not names:
        return UnmatchedField(field, asks, f"the event has no {_ONE[field]}")
    if len(names) == 1:
        return UnmatchedField(field, asks, f"{names[0]} is none of them")
    return UnmatchedField(field, asks, f"none of {', '.join(names)} is one of them")
