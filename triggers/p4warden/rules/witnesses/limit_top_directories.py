"""Example events for the rule `limit_top_directories`: a submit of one directory too many."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from p4warden.core.records import Depot
from p4warden.rules.witnesses import numbers
from p4warden.rules.witnesses.draft import CLIENT, depots

if TYPE_CHECKING:
    from collections.abc import Iterator

    from p4warden.core.records import Facts
    from p4warden.rules.witnesses.draft import Draft


def drafts(settings: Any, facts: Facts) -> Iterator[Draft]:
    """Yield example submits that add one first-level directory more than a depot may have."""
    if settings.max is not None:
        plain = [name for name in depots(facts) if name not in settings.depots] or [CLIENT]
        yield _draft(plain[0], settings.max, facts)
    for depot, most in settings.depots.items():
        yield _draft(depot, most, facts)


def none(settings: Any) -> str:
    """Return the reason, for a warning, why `limit_top_directories` stopped no test event."""
    return numbers.none(settings, settings.depots, 1000, "a directory above its limits is allowed")


def _draft(depot: str, most: int, facts: Facts) -> Draft:
    tops = tuple(f"top-{n}" for n in range(most))
    server_depots = {depot: Depot("local", tops, most)}
    files = [{"action": "add", "path": f"//{depot}/{CLIENT}/file"}]
    description = f"a submit that adds a first-level directory to //{depot} beside {most}"
    return numbers.on_server_with(
        server_depots, description, {"event": "change-submit", "files": files}, facts
    )
