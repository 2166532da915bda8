"""Example submit of one first-level directory too many, for `limit_top_directories`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from p4warden.core.facts import to_document
from p4warden.core.records import Depot, Facts
from p4warden.rules.witnesses.draft import CLIENT, Draft, depots

if TYPE_CHECKING:
    from collections.abc import Iterator


def drafts(settings: Any, facts: Facts) -> Iterator[Draft]:
    """Yield a submit that adds a directory to a depot with the allowed number of directories."""
    if settings.max is not None:
        plain = [name for name in depots(facts) if name not in settings.depots] or [CLIENT]
        yield _new(plain[0], settings.max, facts)
    for depot, most in settings.depots.items():
        yield _new(depot, most, facts)


def none(settings: Any) -> str:
    """Explain which limits the settings lack."""
    if settings.max is None and not settings.depots:
        observed = (
            "warn_from only observes" if settings.warn_from is not None else "it has no limit"
        )
        return f"{observed} (write max, for example max: 1000)"
    return "a directory beyond its numbers passes"


def _new(depot: str, most: int, facts: Facts) -> Draft:
    tops = tuple(f"top-{n}" for n in range(most))
    there = {depot: Depot("local", tops, most)}
    files = [{"action": "add", "path": f"//{depot}/{CLIENT}/file"}]
    brought = to_document(Facts(facts.case_sensitive, there))
    what = f"a submit that adds a first-level directory to //{depot} beside {most}"
    return Draft(what, {"event": "change-submit", "files": files}, facts=brought)
