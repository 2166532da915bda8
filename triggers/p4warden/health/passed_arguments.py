from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden.core.errors import P4WardenError
from p4warden.health import WARNING, Check
from p4warden.home import active_policy
from p4warden.rehearse.program_answers import long_commands_note
from p4warden.server.table_form import read_form
from p4warden.table import instances
from p4warden.table.trigger_lines import owner, passes_arguments
from p4warden.table.triggers_table import entries

if TYPE_CHECKING:
    from collections.abc import Iterator

    import P4

    from p4warden.health import CheckedInstallation


def checks(place: CheckedInstallation) -> Iterator[Check]:
    """Name the rules that need arguments; nothing if no line in the table passes them."""
    policy = active_policy.policy_if_any(place.home)
    note = long_commands_note(policy) if policy else None
    if place.p4 is None or note is None or not _are_passed(place.p4, place.home):
        return
    remedy = (
        "if users are refused, set these rules to mode: off, then p4warden activate POLICY and "
        "p4warden deploy plan and apply"
    )
    yield Check("arguments", WARNING, note, remedy)


def _are_passed(p4: P4.P4, home: str) -> bool:
    try:
        own = owner(home, instances.name_of(home))
        return any(own.has(row) and passes_arguments(row) for row in entries(read_form(p4)))
    except P4WardenError:
        return False  # `installed_lines` reports a table that cannot be read
