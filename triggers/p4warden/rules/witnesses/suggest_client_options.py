"""Example new clients whose options the rule `suggest_client_options` would change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from p4warden.rules.witnesses import client_wishes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from p4warden.core.records import Facts
    from p4warden.rules.witnesses.draft import Draft


def drafts(settings: Any, facts: Facts) -> Iterator[Draft]:
    """Yield for each entry of the rule an example new client with the opposite of its options."""
    yield from client_wishes.drafts(settings.wishes, "form-out", facts)


def none(settings: Any) -> str:  # noqa: ARG001 - the same for all
    """Return the reason, for a warning, why `suggest_client_options` changed no test form."""
    return "a new client with the opposite of each wish is shown unchanged"
