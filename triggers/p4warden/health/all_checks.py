from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden.health import (
    allowances,
    checkpoint_index,
    home_folder,
    installed_lines,
    long_groups,
    old_lines,
    passed_arguments,
    programs,
    readiness,
    rule_effects,
    running_policy,
    server_facts,
    server_reachable,
    time_zones,
    trigger_programs,
)
from p4warden.health.home_folder import is_of_another_account

if TYPE_CHECKING:
    from collections.abc import Iterator

    from p4warden.health import Check, CheckedInstallation

_SIDES = (
    programs,
    trigger_programs,
    home_folder,
    running_policy,
    time_zones,
    rule_effects,
    allowances,
    server_facts,
    checkpoint_index,
    server_reachable,
    installed_lines,
    passed_arguments,
    long_groups,
    old_lines,
    readiness,
)
_OF_OTHERS = (trigger_programs, home_folder)


def run(place: CheckedInstallation) -> Iterator[Check]:
    """Run all checks of a p4warden installation and yield their results.

    In a home folder of another account only those checks are run that do not read its files.
    """
    for side in _OF_OTHERS if is_of_another_account(place.home) else _SIDES:
        yield from side.checks(place)
