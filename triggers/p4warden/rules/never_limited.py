"""P4 commands that no rule may limit, because administrators need them to repair a server."""

from __future__ import annotations

from p4warden.core.light_typing import TYPE_CHECKING
from p4warden.rules.command_names import synonym_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

RESCUE = frozenset(
    (
        "admin configure counter counters extension failover group groups help info journals "
        "login login2 logout logstat monitor passwd ping property protect protects pull server "
        "serverid servers set tickets triggers trust user users"
    ).split()
)


def mistakes(rule: Mapping[str, Any]) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Yield an error for each command in a policy rule that must never be limited."""
    commands = rule.get("commands")
    for index, command in enumerate(commands if isinstance(commands, list) else []):
        if isinstance(command, str) and synonym_of(command).main_name in RESCUE:
            problem = f"{command} is a rescue command, which is never limited (remove it)"
            yield ("commands", index), problem
