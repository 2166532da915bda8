"""Decide whether an exemption applies to an event: every field that it sets must match."""

from __future__ import annotations

from p4warden.core.light_typing import TYPE_CHECKING
from p4warden.core.patterns import any_matches

if TYPE_CHECKING:
    from collections.abc import Iterator

    from p4warden.core.records import Event, Facts
    from p4warden.policy.compiled import Exemption


def applies(exemption: Exemption, rule: str, event: Event, facts: Facts) -> bool:
    """Tell whether an exemption excuses an event from the rule named `rule`."""
    return not any(misses(exemption, rule, event, facts))


def misses(exemption: Exemption, rule: str, event: Event, facts: Facts) -> Iterator[str]:
    """Yield the names of an exemption's fields that do not match the event or the rule."""
    if exemption.rules is not None and rule not in exemption.rules:
        yield "rules"
    if exemption.until is not None and event.day > exemption.until:
        yield "until"
    for field, names in names_by_field(event).items():
        patterns = getattr(exemption, field)
        if patterns is not None and not any_matches(
            patterns, names, case_sensitive=facts.case_sensitive
        ):
            yield field


def names_by_field(event: Event) -> dict[str, tuple[str | None, ...]]:
    """Return an event's values to compare with each name field of an exemption, by field.

    A client form has two clients: the client it describes and the client it is sent from;
    `clients` matches either.
    """
    return {
        "users": (event.user,),
        "groups": event.groups,
        "clients": (event.client, event.name if event.type == "client" else None),
        "programs": (event.prog,),
    }
