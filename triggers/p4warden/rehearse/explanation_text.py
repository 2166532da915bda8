from __future__ import annotations

from typing import TYPE_CHECKING, Any

from p4warden.core.plural import about
from p4warden.core.printable import cut, printable
from p4warden.core.visible import visible_text
from p4warden.rehearse.explanation import event_words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from p4warden.rehearse.explanation import ComparedExemption, ExplainedRule, Explanation

_EVENT_KEYS = (
    "user",
    "groups",
    "client",
    "ip",
    "prog",
    "version",
    "change",
    "pressure",
    "lock_waiters",
    "age_s",
)
_INDENT = "  "


def to_text(explanation: Explanation) -> str:
    """Return the text that `p4warden explain` prints about an event.

    Printable ASCII, except for the form or message that the user sees: there visible characters
    beyond ASCII are unchanged.
    """
    lines = [*_event(explanation), ""]
    for rule in explanation.rules:
        lines += [*_rule(rule), ""]
    lines = [*map(printable, lines), *_outcome(explanation.answer)]
    return "".join(f"{line}\n" for line in lines)


def to_document(explanation: Explanation) -> dict[str, Any]:
    """Return an explained verdict as a JSON object.

    Shape: `{"event": {...}, "repeat": N, "rules": [{"name", "rule", "mode", "acts_as",
    "not_asked", "selector": [{"field", "asks", "matches", "why"}], "exemptions": [{"number",
    "reason", "owner", "misses": [{"field", "asks", "why"}]}], "answer": {...}}],
    "answer": {...}}`. An `answer` is a verdict as `p4warden evaluate` prints it, with the key
    `text`: the text of the refusal, else null. The `answer` of a rule that does not apply is null;
    that of another has only what this rule contributed.
    """
    rules = [
        rule._asdict()
        | {"selector": [part._asdict() for part in rule.selector]}
        | {"exemptions": [_exemption_document(exemption) for exemption in rule.exemptions]}
        for rule in explanation.rules
    ]
    return explanation._asdict() | {"rules": rules}


def _exemption_document(exemption: ComparedExemption) -> dict[str, Any]:
    return exemption._asdict() | {"misses": [miss._asdict() for miss in exemption.misses]}


def _event(explanation: Explanation) -> Iterator[str]:
    event = explanation.event
    about = (event.get(name) for name in ("type", "name", "command"))
    words = (cut(str(word)) for word in (*about, *(event.get("args") or ())) if word)
    yield event_words(event["event"], " ".join(words))
    for name in _EVENT_KEYS:
        if event.get(name):
            value = event[name]
            yield f"{_INDENT}{name}: {cut(', '.join(value) if name == 'groups' else str(value))}"
    if "facts" not in event:
        yield f"{_INDENT}facts: none given; no depot is known, names are case-sensitive"
    if event["event"] == "command":
        number = explanation.repeat
        yield f"{_INDENT}rate counters start empty; this is request {number} at the same time"


def _rule(rule: ExplainedRule) -> Iterator[str]:
    head = f"{rule.name} ({rule.rule}, {rule.mode})"
    if rule.answer is None:
        yield f"{head}: does not apply"
        yield f"{_INDENT}{rule.not_asked}"
        yield from _selector(rule)
        return
    yield f"{head}: {rule.answer['verdict']}"
    yield from _selector(rule)
    if rule.acts_as != rule.mode:
        canary = "canary: none of its selectors matches this event"
        yield f"{_INDENT}{canary}, so the rule acts in mode {rule.acts_as}"
    for exemption in rule.exemptions:
        yield from _exemption(exemption)
    if all(exemption.misses for exemption in rule.exemptions):
        if rule.answer["value"] is not None:
            yield f"{_INDENT}estimate by the index: {about(rule.answer['value'])}"
        yield from _finding_lines(rule.answer)


_MATCHES = {"yes": "matches", "no": "does not match", "unknown": "is unknown"}


def _selector(rule: ExplainedRule) -> Iterator[str]:
    for part in rule.selector:
        head = f"{_INDENT}for {part.field} {part.asks}, {_MATCHES[part.matches]}"
        yield f"{head}: {cut(part.why)}"


def _finding_lines(answer: dict[str, Any]) -> Iterator[str]:
    for finding in answer["findings"]:
        item = f" ({cut(finding['item'])})" if finding["item"] else ""
        yield f"{_INDENT}finds: {finding['place']}{item} {finding['problem']}"
        yield from (f"{_INDENT * 2}{line}" for line in finding["fix"])
    if answer["verdict"] == "unknown":
        yield f"{_INDENT}the event or the index lacks facts that the rule needs"
    elif answer["form"] is not None:
        yield f"{_INDENT}changes the form before it is shown"
    elif not answer["findings"]:
        yield f"{_INDENT}finds nothing"


def _exemption(exemption: ComparedExemption) -> Iterator[str]:
    head = f"{_INDENT}exemption {exemption.number}, {exemption.reason} (owner: {exemption.owner})"
    if not exemption.misses:
        yield f"{head}, exempts this event"
        return
    yield f"{head}, does not match:"
    for miss in exemption.misses:
        yield f"{_INDENT * 2}{miss.field} {miss.asks}: {cut(miss.why)}"


def _outcome(answer: dict[str, Any]) -> Iterator[str]:
    rule = f", by {printable(answer['rule'])}" if answer["rule"] else ""
    wait = f", {answer['delay_s']} s" if answer["delay_s"] is not None else ""
    yield f"Outcome: {answer['verdict']}{wait}{rule}"
    if answer["form"] is not None:
        yield "The form that is shown:"
        yield from _indented(answer["form"].expandtabs())
    elif answer["text"] is None:
        yield "The user sees no message."
    else:
        yield "The user sees:"
        yield from _indented(answer["text"])


def _indented(text: str) -> Iterator[str]:
    return (f"{_INDENT}{visible_text(line, unicode=True)}" for line in text.splitlines())
