"""Events for testing a policy's rule `limit_command_scope`: commands on whole depots."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from p4warden.rules.witnesses.draft import Draft, depots

if TYPE_CHECKING:
    from collections.abc import Iterator

    from p4warden.core.records import Facts

_DEPOTS = 20


def drafts(settings: Any, facts: Facts) -> Iterator[Draft]:
    """Yield example p4 commands on a whole depot, then on all depots.

    Depots with their own limit come first.
    """
    names = [*settings.depots, *depots(facts)][: len(settings.depots) + _DEPOTS]
    for command in settings.commands:
        for path in (*(f"//{depot}/..." for depot in dict.fromkeys(names)), "//..."):
            event = {"event": "command", "command": command, "args": [path]}
            yield Draft(f"{command} {path}", event)


def none(settings: Any) -> str:
    """Return the reason, for a warning, why `limit_command_scope` stopped no test event."""
    return (
        "its commands on a whole depot are allowed, or counted as unknown: "
        f"{', '.join(settings.commands)} (docs/command-bounds.md lists the unknown ones)"
    )
