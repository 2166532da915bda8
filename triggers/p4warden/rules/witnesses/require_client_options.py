"""Example clients without demanded options, for `require_client_options` to refuse."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from p4warden.rules.witnesses import client_wishes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from p4warden.core.records import Facts
    from p4warden.rules.witnesses.draft import Draft


def drafts(settings: Any, facts: Facts) -> Iterator[Draft]:
    """Yield for each demand of the rule an example client with the opposite options."""
    yield from client_wishes.drafts(settings.demands, "form-save", facts)


def none(settings: Any) -> str:  # noqa: ARG001 - the same for all
    """Return the reason, for a warning, why `require_client_options` stopped no test event."""
    return "a client with the opposite of each demand is allowed"
