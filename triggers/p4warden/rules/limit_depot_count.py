"""Refuse new depots beyond a maximum number.

Saving an existing depot is never refused, whatever the number. The depots are counted by the
server itself; a refusal by facts that may be some hours old says so.
"""

from __future__ import annotations

from p4warden.core.facts import depot_named
from p4warden.core.light_typing import TYPE_CHECKING, NamedTuple
from p4warden.core.plural import amount, at_most
from p4warden.core.records import Event, Facts, Finding
from p4warden.forms.depot_form import type_of
from p4warden.rules.rule import Rule

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


class Settings(NamedTuple):
    """Settings of the policy rule `limit_depot_count`; a limit of None is not judged.

    Attributes:
        max: the largest allowed number of depots, of all types.
        max_by_type: the largest allowed number of depots, by type (`local`, `stream`, ...).
        warn_from: the number of depots from which on a new depot gives a warning.
    """

    max: int | None = None
    max_by_type: Mapping[str, int] = {}
    warn_from: int | None = None


def events(settings: Settings) -> tuple[tuple[str, str], ...]:  # noqa: ARG001
    """Return the trigger event that a rule on the number of depots judges: saving a depot form."""
    return (("form-save", "depot"),)


def is_undecidable(settings: Settings, event: Event, facts: Facts) -> bool:  # noqa: ARG001
    """Tell whether the depots of the server are unknown to a rule that counts them.

    An empty list means unknown, because a real server always has at least one depot.
    """
    return not facts.depots


def find(settings: Settings, event: Event, facts: Facts) -> Iterator[Finding]:
    """Yield a finding for each limit that a new depot would exceed, and one from `warn_from` on.

    The latter is a warning. The save of an existing depot gives no finding.
    """
    name = event.name or ""
    if depot_named(facts, name) is not None:
        return
    total = len(facts.depots) + 1
    if settings.max is not None and total > settings.max:
        yield _finding(name, "depot", total, settings.max, facts.depots_as_of)
    depot_type = type_of(event.form)
    limit = settings.max_by_type.get(depot_type)
    of_type = 1 + sum(depot.type.lower() == depot_type for depot in facts.depots.values())
    if limit is not None and of_type > limit:
        yield _finding(name, f"{depot_type} depot", of_type, limit, facts.depots_as_of)
    if settings.warn_from is not None and total >= settings.warn_from:
        note = f"{_as_of(facts.depots_as_of)}, reported from {settings.warn_from} on"
        problem = f"is depot number {total:,} of this server{note}"
        yield Finding(name, "The depot", problem, total, settings.warn_from, is_warning=True)


def _finding(name: str, kind: str, number: int, limit: int, depots_as_of: str) -> Finding:
    existing = f"{amount(number - 1, kind)}{_as_of(depots_as_of)}"
    problem = f"cannot be created: this server already has {existing}, and {at_most(limit)}"
    if limit == 0:
        problem = f"cannot be created: no {kind} is allowed on this server"
    return Finding(name, "The depot", problem, number, limit)


def _as_of(origin: str) -> str:
    return f" (as of {origin})" if origin else ""


RULE = Rule(
    "the server has more depots than the policy allows",
    Settings,
    events,
    find=find,
    is_undecidable=is_undecidable,
    server_facts={"form-save": frozenset({"depots"})},
    reason=(
        "Make a directory in an existing depot instead, or a stream in an existing stream depot. "
        "With 4,096 depots, p4 dirs took 1.12 s; with 8, it took 0.024 s (Perforce Performance "
        "Lab, 2009)."
    ),
)
