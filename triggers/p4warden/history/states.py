from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from p4warden.core.errors import P4WardenError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from p4warden.history.change import Change

_ACTIONS = frozenset({"found", "activate", "follow", "deploy", "rollback", "uninstall"})


def policy_or_table_changes(changes: Sequence[Change]) -> list[Change]:
    """Return the successful changes of policy or triggers table."""
    return [change for change in changes if change.is_done and change.action in _ACTIONS]


def settled_changes(changes: Sequence[Change]) -> list[Change]:
    """Leave out activations directly before a deploy of the same policy.

    A rollback goes back to states after the whole deploy.
    """
    relevant = policy_or_table_changes(changes)
    pairs = itertools.zip_longest(relevant, relevant[1:])
    return [change for change, next_change in pairs if not _opens(change, next_change)]


def latest(changes: Sequence[Change]) -> Change | None:
    """Return the last successful change of policy or triggers table, or None."""
    relevant = policy_or_table_changes(changes)
    return relevant[-1] if relevant else None


def present_change(changes: Sequence[Change]) -> Change | None:
    """Return the change that led to the present state, for a rollback the one restored."""
    restorable = settled_changes(changes)
    return restorable[_place(restorable)] if restorable else None


def before(changes: Sequence[Change]) -> Change:
    """Return the last change before the present state with another policy or trigger lines.

    After a rollback the search starts at the older state, so that a second one goes further back.
    It raises `P4WardenError` if there is no earlier state.
    """
    restorable = settled_changes(changes)
    place = _place(restorable)
    for change in reversed(restorable[: max(place, 0)]):
        if _state(change) != _state(restorable[place]):
            return change
    raise P4WardenError(
        "no earlier state is known (p4warden history lists the states); p4warden deploy uninstall "
        "removes the trigger lines"
    )


def known_change(changes: Sequence[Change], number: int) -> Change:
    """Raise `P4WardenError` if a change is unknown."""
    for change in changes:
        if change.number == number:
            return change
    raise P4WardenError(f"change {number} is not known; p4warden history lists them")


def numbered_change(changes: Sequence[Change], number: int) -> Change:
    """Raise `P4WardenError` if a change is unknown, failed, or of no policy or table."""
    target = known_change(changes, number)
    if target.action not in _ACTIONS:
        raise P4WardenError(
            f"change {number} ({target.action}) changed neither policy nor table; choose another "
            "from p4warden history"
        )
    if not target.is_done:
        raise P4WardenError(
            f"change {number} ({target.action}) failed, so its state cannot be restored; choose "
            "another from p4warden history"
        )
    return target


def _opens(change: Change, next_change: Change | None) -> bool:
    following = next_change and (next_change.action, next_change.policy)
    return change.action == "activate" and following == ("deploy", change.policy)


def _place(restorable: Sequence[Change]) -> int:
    """Return the index of the last change, or of that to which a rollback went back; else -1."""
    places = {change.number: place for place, change in enumerate(restorable)}
    place = len(restorable) - 1
    while place >= 0 and restorable[place].action == "rollback":
        back = places.get(restorable[place].to or 0, -1)
        if not 0 <= back < place:
            break
        place = back
    return place


def _state(change: Change) -> tuple[str | None, str | None]:
    return change.policy, change.lines
