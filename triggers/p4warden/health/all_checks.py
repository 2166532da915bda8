from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden.health import (
    BAD,
    account_limits,
    allowances,
    asking_account,
    checkpoint_index,
    commands_at_once,
    group_owners,
    home_folder,
    installed_lines,
    line_answers,
    own_requests,
    past_faults,
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

_FIRST = (trigger_programs.checks, line_answers.checks)
_ALL = (
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
    account_limits.checks,
    installed_lines.checks,
    installed_lines.printing,
    installed_lines.passed_arguments,
    server_facts.long_groups,
    group_owners.checks,
    installed_lines.old_lines,
    commands_at_once.checks,
    readiness.checks,
)
_OF_OTHERS = (trigger_programs.checks, home_folder.checks)


def run(place: CheckedInstallation) -> Iterator[Check]:
    """Run all checks of a p4warden installation and yield their results.

    In a home folder of another account only those checks are run that do not read its files.
    """
    if home_folder.is_of_another_account(place.home):
        for checks in _OF_OTHERS:
            yield from checks(place)
        return
    first = [check for checks in _FIRST for check in checks(place)]
    unjudged = next((check.name for check in first if check.state == BAD), "")
    place = place._replace(unjudged=unjudged)
    results = [*first, *(check for checks in _ALL for check in checks(place))]
    yield from results
    yield from past_faults.checks(place, is_over=all(check.state != BAD for check in results))
