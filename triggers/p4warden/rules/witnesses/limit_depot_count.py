"""Example events for the rule `limit_depot_count`: the creation of one depot too many."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from p4warden.core.records import Depot
from p4warden.rules.witnesses import numbers
from p4warden.rules.witnesses.draft import CLIENT, form_event

if TYPE_CHECKING:
    from collections.abc import Iterator

    from p4warden.core.records import Facts
    from p4warden.rules.witnesses.draft import Draft


def drafts(settings: Any, facts: Facts) -> Iterator[Draft]:
    """Yield example events that create a depot on a server with the largest allowed number."""
    if settings.max is not None:
        yield _draft(settings.max, "local", facts)
    for depot_type, most in settings.max_by_type.items():
        yield _draft(most, depot_type, facts)


def none(settings: Any) -> str:
    """Return why a rule `limit_depot_count` stopped none of its test events, for a warning."""
    return numbers.none(settings, settings.max_by_type, 500, "a depot above its limits is allowed")


def _draft(most: int, depot_type: str, facts: Facts) -> Draft:
    names = [*facts.depots][:most]
    names += [f"depot-{n}" for n in range(most - len(names))]
    server_depots = {name: Depot(depot_type, (), 0) for name in names or [f"{CLIENT}-other"]}
    if not most:
        server_depots = {name: Depot("other", (), 0) for name in server_depots}
    form = f"Depot:\t{CLIENT}\n\nType:\t{depot_type}\n\nMap:\t{CLIENT}/...\n"
    description = f"a new {depot_type} depot beside {most}"
    return numbers.on_server_with(
        server_depots, description, form_event("form-save", "depot", form), facts
    )
