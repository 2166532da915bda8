"""Selectors: for whom, where and when a rule, an exemption or a canary holds.

In the records of a policy they are as its author wrote them. In `policy.json`, where nothing is
looked up, each name of a class has its selector with it, and hours have the changes of their zone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from p4warden.policy import hours

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Selector = Mapping[str, Any]

FIELDS = ("users", "groups", "clients", "ips", "programs", "servers", "hours", "classes", "not")


def from_document(
    document: Selector, read_hours: Callable[[Mapping[str, Any]], dict[str, Any]] = hours.normal
) -> dict[str, Any]:
    """Return a selector of a checked policy, its lists as tuples and its hours in one spelling."""
    selector: dict[str, Any] = {}
    for field in FIELDS:
        value = document.get(field)
        if value is None:
            continue
        if field == "not":
            selector[field] = from_document(value, read_hours)
        elif field == "hours":
            selector[field] = tuple(map(read_hours, value if isinstance(value, list) else [value]))
        else:
            selector[field] = tuple(value)
    return selector


def compiled(selector: Selector, classes: Mapping[str, Selector], year: int) -> dict[str, Any]:
    """Return the selector as it is in `policy.json`; `year` is the present one."""
    document = dict(selector)
    if "classes" in selector:
        names = selector["classes"]
        document["classes"] = {name: compiled(classes[name], {}, year) for name in names}
    if "not" in selector:
        document["not"] = compiled(selector["not"], classes, year)
    if "hours" in selector:
        document["hours"] = [hours.compiled(one, year) for one in selector["hours"]]
    return document


def written(document: Selector) -> dict[str, Any]:
    """Return the selector of `from_document` that `compiled` turned into a document."""
    return from_document(document, hours.written)
