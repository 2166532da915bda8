"""Shared code of the test events for rules that limit numbers of depots or directories."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from p4warden.core.facts import to_document
from p4warden.core.records import Depot, Facts
from p4warden.rules.witnesses.draft import Draft

if TYPE_CHECKING:
    from collections.abc import Mapping, Sized


def on_server_with(
    server_depots: Mapping[str, Depot], description: str, event: Mapping[str, Any], facts: Facts
) -> Draft:
    """Return a test event that is judged by the facts of a server with only the given depots."""
    facts_document = to_document(Facts(facts.case_sensitive, dict(server_depots)))
    return Draft(description, event, facts=facts_document)


def none(settings: Any, others: Sized, example: int, reason: str) -> str:
    """Return the reason, for a warning, why a rule with a maximum stopped no test event.

    Args:
        settings: the settings of the rule, with `max` and `warn_from`.
        others: the limits beside `max`, for some depots or depot types.
        example: a value of `max` to propose if the rule has no limit.
        reason: the reason to return if the rule has a limit.
    """
    if settings.max is not None or others:
        return reason
    observed = "warn_from only observes" if settings.warn_from is not None else "it has no limit"
    return f"{observed} (write max, for example max: {example})"
