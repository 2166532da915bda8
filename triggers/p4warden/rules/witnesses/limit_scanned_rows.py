"""Events for testing a policy's rule `limit_scanned_rows`: commands on whole depots."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from p4warden.rules.witnesses.draft import Draft, depots

if TYPE_CHECKING:
    from collections.abc import Iterator

    from p4warden.core.records import Facts

_DEPOTS = 20


def drafts(settings: Any, facts: Facts) -> Iterator[Draft]:
    """Yield each p4 command of a rule on scanned rows, on all depots and then on single ones."""
    for command in settings.commands:
        for path in ("//...", *(f"//{depot}/..." for depot in depots(facts)[:_DEPOTS])):
            event = {"event": "command", "command": command, "args": [path]}
            yield Draft(f"{command} {path}", event)


def none(settings: Any) -> str:  # noqa: ARG001 - the same for all
    """Return the reason, for a warning, why `limit_scanned_rows` stopped no test event.

    Either there is no checkpoint index, or the limits are too high.
    """
    return (
        "no command on all depots exceeds its limits by the index in the home folder, or there is "
        "no index (create one with p4warden index --checkpoint FILE, or lower the limits)"
    )
