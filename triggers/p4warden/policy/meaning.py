"""Check the meaning of a policy beyond its JSON schema, and give warnings that reject nothing.

Every check skips parts of the policy that it cannot examine, because `schema` reports those.
"""

from __future__ import annotations

import calendar
import datetime
import re
from typing import TYPE_CHECKING, Any

from p4warden.asking import remarks
from p4warden.core.plural import amount
from p4warden.policy import advice_text, known_commands, selector_meaning
from p4warden.policy.problems import Path, Problem, entries, listed, render
from p4warden.policy.selectors import FIELDS
from p4warden.policy.suggested_words import nearest, suggested

if TYPE_CHECKING:
    from collections.abc import Iterator


ENDS_SOON_DAYS = 30
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_OTHER_FIELDS = ("rules", "reason", "owner", "until")
_EXPIRY = "this exemption has expired (remove it, or set a later day)"
_BASELINE_END = "the baseline has ended and has no effect (remove it, or set a later day)"


def problems(document: object) -> Iterator[Problem]:
    """Yield the errors in a policy's meaning, such as two rules of one name."""
    first: dict[str, Path] = {}
    for path, name in _rule_names(document):
        if first.setdefault(name, path) != path:
            duplicate = f"{name} is already {render(first[name])}"
            yield Problem(path, f"{duplicate} (give each rule its own name)")
    for path, exemption in entries(document, "exemptions"):
        yield from _exemption_problems(path, exemption, document)
    yield from selector_meaning.problems(document)
    yield from _pressure_problems(document)
    contact = document.get("contact") if isinstance(document, dict) else None
    yield from advice_text.problems(("contact",), contact, advice_text.MAX_CONTACT_BYTES)
    for path, rule in entries(document, "rules"):
        yield from _baseline_problems(path, rule)
        yield from _advice_problems(path, rule)
        yield from known_commands.problems(path, rule)
    yield from (Problem(*remark) for remark in remarks.about(document)["mistakes"])


def warnings(document: object, today: datetime.date) -> Iterator[Problem]:
    """Yield remarks about a policy that is valid but possibly not intended."""
    unknown = {*_unknown_commands(document)}
    for path, text in remarks.about(document)["doubts"]:
        if path not in unknown:
            yield Problem(path, text)
    for path, exemption in entries(document, "exemptions"):
        place, until = (*path, "until"), exemption.get("until")
        yield from _end_doubts(place, until, today, _EXPIRY, "this exemption expires")
    yield from selector_meaning.warnings(document)
    for path, rule in entries(document, "rules"):
        yield from _canary_doubts(path, rule)
        place, until = (*path, "baseline_until"), rule.get("baseline_until")
        yield from _end_doubts(place, until, today, _BASELINE_END, "the baseline ends")
        yield from known_commands.doubts(path, rule)


def _unknown_commands(document: object) -> Iterator[Path]:
    """Yield the places of names that are no commands, of which the gate has no list."""
    for path, rule in entries(document, "rules"):
        for index, name in enumerate(listed(rule.get("commands"))):
            if isinstance(name, str) and name not in known_commands.COMMANDS:
                yield (*path, "commands", index)


def _end_doubts(
    path: Path, until: object, today: datetime.date, passed: str, ends: str
) -> Iterator[Problem]:
    day = _date(until)
    days = (day - today).days if day else ENDS_SOON_DAYS + 1
    if days < 0:
        yield Problem(path, passed)
    elif days <= ENDS_SOON_DAYS:
        yield Problem(path, f"{ends} in {amount(days, 'day')}" if days else f"{ends} today")


def _canary_doubts(path: Path, rule: dict[str, Any]) -> Iterator[Problem]:
    mode = rule.get("mode")
    if rule.get("canary") and mode in ("observe", "off"):
        doubt = f"a canary has no effect with mode: {mode} (write mode: enforce, or remove canary)"
        yield Problem((*path, "canary"), doubt)


def _baseline_problems(path: Path, rule: dict[str, Any]) -> Iterator[Problem]:
    until = rule.get("baseline_until")
    if until is not None and rule.get("baseline") is not True:
        yield Problem((*path, "baseline_until"), "there is no baseline (write baseline: true)")
    yield from _day_problems((*path, "baseline_until"), until)


def _advice_problems(path: Path, rule: dict[str, Any]) -> Iterator[Problem]:
    for place, entry in [((), rule), *entries(rule, "programs")]:
        yield from advice_text.problems((*path, *place, "advice"), entry.get("advice"))


def _pressure_problems(document: object) -> Iterator[Problem]:
    levels = document.get("pressure") if isinstance(document, dict) else None
    if isinstance(levels, dict):
        medium, high = levels.get("medium"), levels.get("high")
        if (medium is None) != (high is None):
            name = "medium" if medium is None else "high"
            text = f"{name} is missing (write pressure: {{medium: 40, high: 80}})"
            yield Problem(("pressure",), text)
        if isinstance(medium, int) and isinstance(high, int) and medium >= high:
            low, top = (high, medium) if high < medium else (40, 80)
            remedy = f"write pressure: {{medium: {low}, high: {top}}}"
            text = f"{high} is not above medium, which is {medium} ({remedy})"
            yield Problem(("pressure", "high"), text)


def _exemption_problems(
    path: Path, exemption: dict[str, Any], document: object
) -> Iterator[Problem]:
    if not any(map(_names_someone, exemption)):
        yield Problem(path, "exempts everyone (add users, groups, clients or programs)")
    rules = [name for _, name in _rule_names(document)]
    for index, name in enumerate(listed(exemption.get("rules"))):
        if isinstance(name, str) and name not in rules:
            text = f"no rule is named {name} {_instead(name, document) or nearest(name, rules)}"
            yield Problem((*path, "rules", index), text)
    yield from _day_problems((*path, "until"), exemption.get("until"))


def _day_problems(path: Path, until: object) -> Iterator[Problem]:
    if isinstance(until, str) and _DAY.fullmatch(until) and not _date(until):
        yield Problem(path, _no_day(until))


def _names_someone(field: str) -> bool:
    return field in FIELDS or (field not in _OTHER_FIELDS and suggested(field, FIELDS) is not None)


def _instead(name: str, document: object) -> str | None:
    if name in ("*", "all", "any"):
        return "(omit rules to exempt from all rules)"
    names = [str(r.get("name")) for _, r in entries(document, "rules") if r.get("rule") == name]
    return f"(that is its type; write its name: {', '.join(names)})" if names else None


def _rule_names(document: object) -> Iterator[tuple[Path, str]]:
    for path, rule in entries(document, "rules"):
        if isinstance(rule.get("name"), str):
            yield (*path, "name"), rule["name"]


def _no_day(text: str) -> str:
    first = _date(f"{text[:7]}-01")
    if first is None or text.endswith("-00"):
        return f"this day does not exist: {text} (write YYYY-MM-DD, for example 2027-03-31)"
    last = calendar.monthrange(first.year, first.month)[1]
    return f"this day does not exist: {text} (the last day of that month is {text[:7]}-{last})"


def _date(text: object) -> datetime.date | None:
    try:
        return datetime.date.fromisoformat(text) if isinstance(text, str) else None
    except ValueError:
        return None
