"""All checks of `p4warden status` and `p4warden doctor`, in the order of display."""

from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden.health import (
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
    trigger_programs,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from p4warden.health import Check, CheckedInstallation

_SIDES = (
    programs,
    trigger_programs,
    home_folder,
    running_policy,
    rule_effects,
    server_facts,
    checkpoint_index,
    server_reachable,
    installed_lines,
    passed_arguments,
    long_groups,
    old_lines,
    readiness,
)


def run(place: CheckedInstallation) -> Iterator[Check]:
    """Run all checks of a p4warden installation and yield their results."""
    for side in _SIDES:
        yield from side.checks(place)
