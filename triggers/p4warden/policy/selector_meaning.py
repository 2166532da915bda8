"""Check the meaning of selectors: classes that exist, known zones, and names that can be forged.

Groups and the server are trusted, since p4d tells them. Users choose the names of clients and
programs, and below security level 3 also other user names.
"""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any

from p4warden.policy import hours
from p4warden.policy.problems import Path, Problem, entries, listed
from p4warden.policy.suggested_words import nearest

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from p4warden.policy.selectors import Selector

USER, NAME, ADDRESS = "user", "name", "address"
_FORGEABLE = {"users": USER, "clients": NAME, "programs": NAME, "ips": ADDRESS}
_FORGERIES = {
    USER: (
        'a user name can be forged: p4d drops quotation marks in pairs, so p4"ad"min arrives as '
        "p4admin (use a group of these users instead)"
    ),
    NAME: "any user can choose this client or program name (add a group as well)",
    ADDRESS: (
        "rests on the address alone, and whether a proxy or an edge server passes on that of the "
        "client is not documented (add a group as well)"
    ),
}
_LEAVING = {
    USER: (
        "below security level 3 a user can leave this rule under another user name (select by "
        "groups or servers)"
    ),
    NAME: (
        "any user can leave this rule under another client or program name (select by groups or "
        "servers)"
    ),
}


def problems(document: object) -> Iterator[Problem]:
    """Yield the errors in the meaning of a policy's selectors."""
    classes = _classes(document)
    for path, selector in selectors_in(document):
        yield from _unknown_classes(path, selector, classes)
        for place, one in _hours(path, selector):
            yield from _hours_problems(place, one)


def warnings(document: object) -> Iterator[Problem]:
    """Yield remarks about selectors that users can enter or leave by a name that they choose."""
    classes = _classes(document)
    for path, exemption in entries(document, "exemptions"):
        forged = entered_by(exemption, classes)
        if forged:
            yield Problem(path, _FORGERIES[forged])
    for path, rule in entries(document, "rules"):
        forged = left_by(rule["for"], classes) if isinstance(rule.get("for"), dict) else None
        if forged in _LEAVING and rule.get("mode") != "off":
            yield Problem((*path, "for"), _LEAVING[forged])


def forged_words(class_selector: Selector) -> str | None:
    """Return the warning about an exemption of a class; None if p4d tells who is of it."""
    forged = entered_by(class_selector, {})
    return _FORGERIES[forged] if forged else None


def entered_by(selector: Selector, classes: Mapping[str, Selector]) -> str | None:
    """Return what a user forges to match a selector: `USER`, `NAME` or `ADDRESS`.

    None if p4d tells one of the facts that must match, or if nothing of it is about the sender.
    """
    forged = set[str]()
    for field, value in selector.items():
        if field in ("groups", "servers"):
            return None
        if field in _FORGEABLE:
            forged.add(_FORGEABLE[field])
        elif field == "classes":
            each = [entered_by(one, classes) for one in _named(value, classes)]
            if not any(each):
                return None
            forged.update(filter(None, each))
        elif field == "not" and isinstance(value, dict):
            one = left_by(value, classes)
            if one is None:
                return None
            forged.add(one)
    return next((kind for kind in (ADDRESS, USER, NAME) if kind in forged), None)


def left_by(selector: Selector, classes: Mapping[str, Selector]) -> str | None:
    """Return what a user forges so that a selector no longer matches; None if there is nothing."""
    forged = set[str | None]()
    for field, value in selector.items():
        if field in _FORGEABLE:
            forged.add(_FORGEABLE[field])
        elif field == "classes":
            each = [left_by(one, classes) for one in _named(value, classes)]
            forged.update(each if all(each) else ())
        elif field == "not" and isinstance(value, dict):
            forged.add(entered_by(value, classes))
    return next((kind for kind in (NAME, USER, ADDRESS) if kind in forged), None)


def selectors_in(document: object) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Yield every selector of a policy document, `not` included, each with its path."""
    for name, selector in _classes(document).items():
        yield from _with_inner(("classes", name), selector)
    for path, exemption in entries(document, "exemptions"):
        yield from _with_inner(path, exemption)
    for path, rule in entries(document, "rules"):
        yield from _with_inner((*path, "for"), rule.get("for"))
        for place, selector in entries(rule, "canary"):
            yield from _with_inner((*path, *place), selector)


def _with_inner(path: Path, selector: Any) -> Iterator[tuple[Path, dict[str, Any]]]:
    if isinstance(selector, dict):
        yield path, selector
        yield from _with_inner((*path, "not"), selector.get("not"))


def _unknown_classes(
    path: Path, selector: dict[str, Any], classes: Mapping[str, Selector]
) -> Iterator[Problem]:
    for index, name in enumerate(listed(selector.get("classes"))):
        if isinstance(name, str) and name not in classes and path[0] != "classes":
            remedy = nearest(name, classes) if classes else "(the policy has no classes:)"
            yield Problem((*path, "classes", index), f"no class is named {name} {remedy}")


def _hours(path: Path, selector: dict[str, Any]) -> Iterator[tuple[Path, dict[str, Any]]]:
    if isinstance(selector.get("hours"), dict):
        yield (*path, "hours"), selector["hours"]
    for place, one in entries(selector, "hours"):
        yield (*path, *place), one


def _hours_problems(path: Path, one: dict[str, Any]) -> Iterator[Problem]:
    zone = one.get("zone")
    if isinstance(zone, str) and not hours.is_zone(zone):
        near = difflib.get_close_matches(zone, hours.zone_names(), 1)
        remedy = f"did you mean {near[0]}?" if near else "write one such as Europe/Berlin"
        yield Problem((*path, "zone"), f"this machine knows no time zone {zone} ({remedy})")
    if isinstance(one.get("from"), str) and one["from"] == one.get("to"):
        text = "from and to are the same time (for whole days write from: 00:00 and to: 24:00)"
        yield Problem((*path, "to"), text)


def _named(names: Any, classes: Mapping[str, Selector]) -> list[Selector]:
    return [classes[name] for name in listed(names) if isinstance(name, str) and name in classes]


def _classes(document: object) -> dict[str, dict[str, Any]]:
    classes = document.get("classes") if isinstance(document, dict) else None
    mapping = classes if isinstance(classes, dict) else {}
    return {name: one for name, one in mapping.items() if isinstance(one, dict)}
