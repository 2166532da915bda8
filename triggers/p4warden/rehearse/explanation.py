"""Explanation of a verdict: whether each rule of a policy applies to an event, and why.

The gate judges the event by the whole policy, and says what each rule and exemption does with it.

Shape: `{"event": {...}, "repeat": N, "rules": [{"name", "rule", "mode", "acts_as", "not_asked",
"selector": [{"field", "asks", "matches", "why"}], "exemptions": [{"number", "reason", "owner",
"misses": [{"field", "asks", "why"}]}], "answer": {...}}], "answer": {...}}`. `repeat` counts
simultaneous occurrences of the event; the last is explained. `acts_as` is the mode by which a rule
judges it: `observe`, if `mode` is `enforce` and the user is outside the rule's canary. `matches`
is `yes`, `no` or `unknown`. The `number` of an exemption is its position in the policy, from 1. An
`answer` is a verdict as `p4warden evaluate` prints it, with the key `text`: the text of the
refusal, else null. The `answer` of a rule that does not apply is null; that of another has only
what this rule contributed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from p4warden.asking.judge import EventError
from p4warden.policy.differences import are_names, value_text
from p4warden.policy.judged import judging_by

if TYPE_CHECKING:
    from p4warden.policy.compiled import Policy

    Document = dict[str, Any]


def explain(
    policy: Policy, event: Document, repeat: int = 1, index: str | None = None
) -> Document:
    """Judge an event that occurs several times at one moment; explain the last occurrence.

    Raises:
        EventError: it is not an event, or p4warden failed to judge it.
        GateError: the gate is not installed, cannot be started, or refuses the index.
    """
    with judging_by(policy, index=index, flags=("texts", "rules")) as judge:
        # Each runs while the others come.
        answer = judge.verdict_on({"runs_s": 1, **event, "repeat": repeat})
    if "rules" not in answer:
        raise EventError(answer["detail"])
    rules = [_explained(policy, rule, event) for rule in answer.pop("rules")]
    return {"event": event, "repeat": repeat, "rules": rules, "answer": answer}


def _explained(policy: Policy, rule: Document, event: Document) -> Document:
    selector = next(one.selector for one in policy.rules if one.name == rule["name"]) or {}
    return {
        "name": rule["name"],
        "rule": rule["kind"],
        "mode": rule["mode"],
        "acts_as": rule["acts_as"],
        "not_asked": None if rule["asked"] else _reason(rule, event),
        "selector": [_compared(part, selector[part["field"]]) for part in rule["for"]],
        "exemptions": [_exemption(policy, exemption) for exemption in rule["exemptions"]],
        "answer": rule.get("answer"),
    }


def _reason(rule: Document, event: Document) -> str:
    if rule["mode"] == "off":
        return "its mode is off"
    command = str(event.get("command")).removeprefix("user-")
    subject = command if event["event"] == "command" else event.get("type")
    if " ".join(filter(None, (event["event"], subject))) in rule["judges"]:
        return "it is for others"
    kinds: dict[str, list[str]] = {}
    for judged in rule["judges"]:
        kind, _, of = judged.partition(" ")
        kinds.setdefault(kind, []).extend([of] if of else [])
    subjects = "; ".join(event_words(kind, ", ".join(of)) for kind, of in kinds.items())
    return f"it judges {subjects}; this is {event_words(event['event'], subject)}"


def event_words(event: str, subject: str | None) -> str:
    """Return an event in words, such as `the command fstat` or `form-save of client`."""
    if not subject:
        return event
    return f"the command {subject}" if event == "command" else f"{event} of {subject}"


def _compared(part: Document, asks: Any) -> Document:
    words = ", ".join(asks) if are_names(asks) else value_text(asks)
    known: Document = {name: part[name] for name in ("matches", "why") if name in part}
    return {"field": part["field"], "asks": words, **known}


def _exemption(policy: Policy, compared: Document) -> Document:
    exemption = policy.exemptions[compared["number"] - 1]
    fields = {**exemption._asdict(), **exemption.selector}
    return {
        "number": compared["number"],
        "reason": exemption.reason,
        "owner": exemption.owner,
        "misses": [_compared(miss, fields[miss["field"]]) for miss in compared["misses"]],
    }
