"""Example new clients of whole depots, whose view `suggest_client_view` would change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from p4warden.rules.witnesses.draft import CLIENT, Draft, depots, form_event

if TYPE_CHECKING:
    from collections.abc import Iterator

    from p4warden.core.records import Facts


def drafts(settings: Any, facts: Facts) -> Iterator[Draft]:
    """Yield example forms of new clients, each mapping one whole depot as p4d proposes."""
    for depot in depots(facts, settings.depots):
        form = f"Client:\t{CLIENT}\n\nView:\n\t//{depot}/... //{CLIENT}/{depot}/...\n"
        yield Draft(
            f"a new client that maps //{depot}/...", form_event("form-out", "client", form)
        )


def none(settings: Any) -> str:  # noqa: ARG001 - the same for all
    """Return the reason, for a warning, why `suggest_client_view` changed no test form."""
    return "a new client that maps a whole depot is shown unchanged"
