"""Record of an example event for a policy rule, and functions for its names and forms."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from p4warden.core.records import Facts

CLIENT = "p4warden-witness"
"""Name of the client or other spec in example events, chosen to be unlike names on servers."""
DEEP = "p4warden/witness/of/a/deep/path"
_MAPPED_TYPES = ("local", "stream")


class Draft(NamedTuple):
    """An example event that a rule should stop.

    Attributes:
        description: a description of the event, for example `a client that maps //depot/...`.
        event: the event's fields, as in a JSON event line; those about the user are left out.
        times: how often the event is sent; the rule should stop the last one.
        groups: groups that the event's user must belong to.
        facts: facts to judge the event by, as a JSON document; None for those of the server.
    """

    description: str
    event: Mapping[str, Any]
    times: int = 1
    groups: tuple[str, ...] = ()
    facts: Mapping[str, Any] | None = None


def depots(facts: Facts, more: Iterable[str] = ()) -> list[str]:
    """Return the names of the local and stream depots, then those in `more`; else `depot`."""
    names = [name for name, depot in facts.depots.items() if depot.type in _MAPPED_TYPES]
    return [*sorted(names), *(name for name in more if name not in names)] or ["depot"]


def instance(pattern: str) -> str:
    """Return an example name that matches a pattern with `*` and `?`."""
    return pattern.replace("*", "").replace("?", "x") or "x"


def saved(form_type: str, lines: Iterable[str]) -> dict[str, Any]:
    """Return an example event of saving a form whose view has the given depot paths."""
    root = "Root:\t/nowhere\n\n" if form_type == "client" else ""
    text = f"{form_type.capitalize()}:\t{_name(form_type)}\n\n{root}"
    field = "Paths" if form_type == "stream" else "View"
    rows = "".join(f"\t{_row(form_type, line, n)}\n" for n, line in enumerate(lines))
    return form_event("form-save", form_type, f"{text}{field}:\n{rows}")


def form_event(event: str, form_type: str, form: str) -> dict[str, Any]:
    """Return an example event about a form, to be judged by a policy."""
    return {"event": event, "type": form_type, "name": _name(form_type), "form": form}


def _name(form_type: str) -> str:
    return f"//depot/{CLIENT}" if form_type == "stream" else CLIENT


def _row(form_type: str, path: str, number: int) -> str:
    rest = path.removeprefix("//").partition("/")[2]
    if form_type == "client":
        return f"{path} //{CLIENT}/{number}/{rest}"
    if form_type == "branch":
        return f"{path} //depot/{DEEP}/{number}/{rest}"
    return f"import {number}/{rest} {path}" if form_type == "stream" else path
