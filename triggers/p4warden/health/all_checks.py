from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden.health import (
    allowances,
    asking_account,
    checkpoint_index,
    home_folder,
    installed_lines,
    line_answers,
    own_requests,
    programs,
    readiness,
    running_policy,
    server_facts,
    server_reachable,
    trigger_programs,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from p4warden.health import Check, CheckedInstallation

_ALL = (
    trigger_programs.checks,
    line_answers.checks,
    programs.checks,
    home_folder.checks,
    running_policy.checks,
    running_policy.time_zones,
    running_policy.effects,
    own_requests.checks,
    allowances.checks,
    server_facts.checks,
    checkpoint_index.checks,
    server_reachable.checks,
    asking_account.checks,
    installed_lines.checks,
    installed_lines.printing,
    installed_lines.passed_arguments,
    server_facts.long_groups,
    installed_lines.old_lines,
    readiness.checks,
)
_OF_OTHERS = (trigger_programs.checks, home_folder.checks)


def run(place: CheckedInstallation) -> Iterator[Check]:
    """Run all checks of a p4warden installation and yield their results.

    In a home folder of another account only those checks are run that do not read its files.
    """
    for checks in _OF_OTHERS if home_folder.is_of_another_account(place.home) else _ALL:
        yield from checks(place)
