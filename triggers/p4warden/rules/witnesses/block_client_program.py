"""Events for testing a policy's rule `block_client_program`: commands from blocked programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from p4warden.rules.witnesses.draft import DEEP, Draft, depots, instance

if TYPE_CHECKING:
    from collections.abc import Iterator

    from p4warden.core.records import Facts


def drafts(settings: Any, facts: Facts) -> Iterator[Draft]:
    """Yield example p4 commands from each blocked program, without version and with an old one."""
    command, path = settings.commands[0], f"//{depots(facts)[0]}/{DEEP}"
    for entry in settings.programs:
        name = instance(entry["program"])
        for prog in (name, f"{name}/LINUX26X86_64/0.1/1"):
            for version in (None, "v1", "1"):
                event = {"event": "command", "command": command, "args": [path], "prog": prog}
                description = f"{command} from {prog}"
                yield Draft(
                    description, event if version is None else {**event, "version": version}
                )


def none(settings: Any) -> str:  # noqa: ARG001 - the same for all
    """Return the reason, for a warning, why `block_client_program` stopped no test event."""
    return "it allows programs of all its names (check program and below)"
