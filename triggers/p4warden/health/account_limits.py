"""Whether limits of groups end what triggers ask about a large submit."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from P4 import P4Exception

from p4warden.asking.gate_program import GateError
from p4warden.core.plural import listed
from p4warden.health import WARNING, Check
from p4warden.health.asking_account import rules_that_ask
from p4warden.health.steps import step
from p4warden.home import active_policy, off_mark, server_account
from p4warden.server.questions import ask

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from p4warden.health import CheckedInstallation
    from p4warden.server.reply import Row

_LIMITS = ("MaxResults", "MaxScanRows", "MaxLockTime", "MaxMemory")
_GROUP = "p4warden-account"
_UNLIMITED = -1


def checks(place: CheckedInstallation) -> Iterator[Check]:
    """Warn of limits of the account of the last refresh; nothing if no submit needs it."""
    policy, name = active_policy.policy_if_any(place.home), server_account.name(place.home)
    if not name or not policy or place.p4 is None or off_mark.is_uninstalled(place.home):
        return
    user = name.partition("@")[0]
    try:
        rules = rules_that_ask(policy, (None,))
        rows = ask(place.p4, "groups", "-i", "-v", user) if rules else []
    except (P4Exception, GateError):  # other checks report it
        return
    limits = dict(_limits(rows))
    if not limits:
        return
    known = listed([f"{field} {number:,}" for field, number in limits.items()])
    message = (
        f"{name} has {known}, beyond which the server ends what it is asked: large submits and "
        f"shelves that {listed(rules)} would judge get the on_error answer"
    )
    fields = [f"{field}: unlimited" for field in limits]
    lines = [f"Group: {_GROUP}", *fields, "Timeout: unset", "Users:", f" {user}"]
    form = shlex.join(["printf", r"%s\n", *lines])
    yield Check("limits", WARNING, message, step("lift them", f"{form} | p4 group -i"))


def _limits(rows: Iterable[Row]) -> Iterator[tuple[str, int]]:
    """Yield those that apply: the highest of all groups with one (p4 help group)."""
    listed_rows = [*rows]
    for field in _LIMITS:
        name = field[0].lower() + field[1:]
        numbers = [int(row.get(name) or 0) for row in listed_rows]
        if any(numbers) and _UNLIMITED not in numbers:
            yield field, max(numbers)
