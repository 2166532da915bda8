from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden.asking.gate_program import GateError
from p4warden.health import BAD, UNKNOWN, Check
from p4warden.health.steps import step
from p4warden.history import ways_back
from p4warden.home import active_policy, off_mark
from p4warden.rehearse import known_surroundings, own_account

if TYPE_CHECKING:
    from collections.abc import Iterator

    from p4warden.health import CheckedInstallation

_NAME = "own requests"


def checks(place: CheckedInstallation) -> Iterator[Check]:
    """Check that the running policy lets p4warden's own account ask the server."""
    policy, account = active_policy.policy_if_any(place.home), own_account.recorded(place.home)
    if policy is None or account is None or off_mark.is_uninstalled(place.home):
        return
    if place.gate_problem:
        return  # `programs.checks` names what only the gate can tell
    around = known_surroundings.surroundings_of_home(place.home)
    try:
        found = own_account.stopped(policy, account, around)
    except GateError as error:
        yield Check(_NAME, UNKNOWN, str(error))
        return
    if found:
        activate = ways_back.edited_policy(place.home)
        yield Check(_NAME, BAD, found.text, f"{found.remedy}\n{step('then', activate)}")
