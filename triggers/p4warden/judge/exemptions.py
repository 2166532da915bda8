"""Whether an exemption fits an event: all of its fields must, any value within a field."""

from __future__ import annotations

from p4warden.core.light_typing import TYPE_CHECKING
from p4warden.core.patterns import any_matches

if TYPE_CHECKING:
    from collections.abc import Iterator

    from p4warden.core.records import Event, Facts
    from p4warden.policy.compiled import Exemption


def applies(exemption: Exemption, rule: str, event: Event, facts: Facts) -> bool:
    """Tell whether an exemption lets the event pass the rule of that name."""
    return not any(misses(exemption, rule, event, facts))


def misses(exemption: Exemption, rule: str, event: Event, facts: Facts) -> Iterator[str]:
    """Yield the fields of an exemption that do not fit; none when it lets the event pass."""
    if exemption.rules is not None and rule not in exemption.rules:
        yield "rules"
    if exemption.until is not None and event.day > exemption.until:
        yield "until"
    for field, names in who(event).items():
        patterns = getattr(exemption, field)
        if patterns is not None and not any_matches(
            patterns, names, case_sensitive=facts.case_sensitive
        ):
            yield field


def who(event: Event) -> dict[str, tuple[str | None, ...]]:
    """Return what each field of an exemption that names someone is compared with.

    A client form is about the client it names as well as the client it comes from; `clients`
    matches either.
    """
    return {
        "users": (event.user,),
        "groups": event.groups,
        "clients": (event.client, event.name if event.type == "client" else None),
        "programs": (event.prog,),
    }
