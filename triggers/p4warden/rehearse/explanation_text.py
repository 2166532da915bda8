from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden.core.plural import about
from p4warden.core.printable import cut, printable
from p4warden.core.visible import visible_text
from p4warden.rehearse.explanation import event_words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from p4warden.rehearse.explanation import Document

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
    "runs_s",
)
_INDENT = "  "


def to_text(explanation: Document) -> str:
    """Return the text that `p4warden explain` prints about an event.

    Printable ASCII, except for the form or message that the user sees: there visible characters
    beyond ASCII are unchanged.
    """
    lines = [*_event(explanation), ""]
    for rule in explanation["rules"]:
        lines += [*_rule(rule), ""]
    lines = [*map(printable, lines), *_outcome(explanation["answer"])]
    return "".join(f"{line}\n" for line in lines)


def _event(explanation: Document) -> Iterator[str]:
    event = explanation["event"]
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
        number = explanation["repeat"]
        yield f"{_INDENT}rate counters start empty; this is request {number} at the same time"


def _rule(rule: Document) -> Iterator[str]:
    head = f"{rule['name']} ({rule['rule']}, {rule['mode']})"
    answer = rule["answer"]
    if answer is None:
        yield f"{head}: does not apply"
        yield f"{_INDENT}{rule['not_asked']}"
        yield from _selector(rule)
        return
    yield f"{head}: {answer['verdict']}"
    yield from _selector(rule)
    if rule["acts_as"] != rule["mode"]:
        canary = "canary: none of its selectors matches this event"
        yield f"{_INDENT}{canary}, so the rule acts in mode {rule['acts_as']}"
    for exemption in rule["exemptions"]:
        yield from _exemption(exemption)
    if all(exemption["misses"] for exemption in rule["exemptions"]):
        if answer["value"] is not None:
            yield f"{_INDENT}estimate by the index: {about(answer['value'])}"
        yield from _finding_lines(answer)


_MATCHES = {"yes": "matches", "no": "does not match", "unknown": "is unknown"}


def _selector(rule: Document) -> Iterator[str]:
    for part in rule["selector"]:
        head = f"{_INDENT}for {part['field']} {part['asks']}, {_MATCHES[part['matches']]}"
        yield f"{head}: {cut(part['why'])}"


def _finding_lines(answer: Document) -> Iterator[str]:
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


def _exemption(exemption: Document) -> Iterator[str]:
    number, reason, owner = exemption["number"], exemption["reason"], exemption["owner"]
    head = f"{_INDENT}exemption {number}, {reason} (owner: {owner})"
    if not exemption["misses"]:
        yield f"{head}, exempts this event"
        return
    yield f"{head}, does not match:"
    for miss in exemption["misses"]:
        yield f"{_INDENT * 2}{miss['field']} {miss['asks']}: {cut(miss['why'])}"


def _outcome(answer: Document) -> Iterator[str]:
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
    return (f"{_INDENT}{visible_text(line)}" for line in text.splitlines())
