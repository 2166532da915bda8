"""Explanation of a verdict: whether each rule of a policy applies to an event, and why.

The gate judges the event by the whole policy, and says what each rule and exemption does with it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from p4warden.asking.judge import EventError
from p4warden.policy.differences import are_names, value_text
from p4warden.policy.judged import judging_by
from p4warden.policy.selectors import FIELDS

if TYPE_CHECKING:
    from p4warden.policy.compiled import Policy


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


class ComparedField(NamedTuple):
    """A field of a rule's selector; `matches` is `yes`, `no` or `unknown`."""

    field: str
    asks: str
    matches: str
    why: str


class ExplainedRule(NamedTuple):
    """The verdict of one rule on the explained event.

    Attributes:
        acts_as: the mode by which the rule judges the event: `observe`, if `mode` is `enforce` and
            the user is outside the rule's canary; else `mode`.
        answer: the part of the policy's answer that is due to this rule; None if the rule does not
            apply.
    """

    name: str
    rule: str
    mode: str
    acts_as: str
    not_asked: str | None
    selector: tuple[ComparedField, ...] = ()
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
        GateError: the gate is not installed, cannot be started, or refuses the index.
    """
    with judging_by(policy, index=index, flags=("texts", "rules")) as judge:
        answer = judge.verdict_on({**document, "repeat": repeat})
    if "rules" not in answer:
        raise EventError(answer["detail"])
    rules = tuple(_explained(policy, rule, document) for rule in answer.pop("rules"))
    return Explanation(document, repeat, rules, answer)


def _explained(policy: Policy, rule: dict[str, Any], document: dict[str, Any]) -> ExplainedRule:
    return ExplainedRule(
        rule["name"],
        rule["kind"],
        rule["mode"],
        rule["acts_as"],
        None if rule["asked"] else _reason(rule, document),
        tuple(_compared_field(policy, rule["name"], part) for part in rule["for"]),
        tuple(_compared(policy, exemption) for exemption in rule["exemptions"]),
        rule.get("answer"),
    )


def _reason(rule: dict[str, Any], document: dict[str, Any]) -> str:
    if rule["mode"] == "off":
        return "its mode is off"
    command = str(document.get("command")).removeprefix("user-")
    subject = command if document["event"] == "command" else document.get("type")
    if " ".join(filter(None, (document["event"], subject))) in rule["judges"]:
        return "it is for others"
    kinds: dict[str, list[str]] = {}
    for event in rule["judges"]:
        kind, _, of = event.partition(" ")
        kinds.setdefault(kind, []).extend([of] if of else [])
    subjects = "; ".join(event_words(kind, ", ".join(of)) for kind, of in kinds.items())
    return f"it judges {subjects}; this is {event_words(document['event'], subject)}"


def event_words(event: str, subject: str | None) -> str:
    """Return an event in words, such as `the command fstat` or `form-save of client`."""
    if not subject:
        return event
    return f"the command {subject}" if event == "command" else f"{event} of {subject}"


def _compared_field(policy: Policy, name: str, part: dict[str, Any]) -> ComparedField:
    selector = next(rule.selector for rule in policy.rules if rule.name == name)
    asks = (selector or {})[part["field"]]
    return ComparedField(part["field"], _words(asks), part["matches"], part["why"])


def _words(asks: Any) -> str:
    return ", ".join(asks) if are_names(asks) else value_text(asks)


def _compared(policy: Policy, document: dict[str, Any]) -> ComparedExemption:
    exemption = policy.exemptions[document["number"] - 1]
    misses = []
    for miss in document["misses"]:
        field = miss["field"]
        asks = exemption.selector[field] if field in FIELDS else getattr(exemption, field)
        misses.append(UnmatchedField(field, _words(asks), miss["why"]))
    number, reason, owner = document["number"], exemption.reason, exemption.owner
    return ComparedExemption(number, reason, owner, tuple(misses))
