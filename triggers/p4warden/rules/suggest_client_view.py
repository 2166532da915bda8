"""Propose a narrow view to new clients, in place of the whole depots that p4d proposes.

Only the form of a new client is changed, and only lines that map more than the demanded depth
allows; a narrow view from a template stays unchanged. Applying the rule twice has the same result
as once.
"""

from __future__ import annotations

from p4warden.core.facts import by_depot, folded
from p4warden.core.light_typing import TYPE_CHECKING, NamedTuple
from p4warden.forms.new_client import is_new
from p4warden.rules.rule import Rule

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from p4warden.core.records import Event, Facts, Suggestion


class Settings(NamedTuple):
    """Settings of the policy rule `suggest_client_view`.

    Attributes:
        views: each with a `view`, in which `//CLIENT/` stands for `//` and the client's name, and
            the `groups` to whose users it is proposed, or none for all users; the first matching
            entry is used.
        min_depth: for all other users, the number of complete directories below the depot that a
            view line must name.
        depots: other depths by depot name; a name is matched whole.
    """

    views: tuple[Mapping[str, Any], ...] = ()
    min_depth: int = 1
    depots: Mapping[str, int] = {}


def events(settings: Settings) -> tuple[tuple[str, str], ...]:  # noqa: ARG001
    """Return the trigger event of a rule that suggests client views: showing a client form."""
    return (("form-out", "client"),)


def suggest(settings: Settings, event: Event, facts: Facts) -> Suggestion | None:
    """Return a new client's form with a narrow view that the policy proposes.

    None to leave the form unchanged.
    """
    if event.form is None or not is_new(event.form):
        return None
    from p4warden.rules.proposals import new_view  # noqa: PLC0415 - few forms are new

    depths = by_depot(settings.depots, facts)

    def need_of(depot: str) -> int:
        return depths.get(folded(depot, facts), settings.min_depth)

    return new_view.suggestion(event.form, event, facts, settings.views, need_of)


RULE = Rule(
    "a new client's form could have a narrower view",
    Settings,
    events,
    suggest=suggest,
)
