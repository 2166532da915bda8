from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden.core.plural import amount
from p4warden.health import GOOD, WARNING, Check
from p4warden.home import active_policy, off_mark
from p4warden.policy.problems import render
from p4warden.rehearse import known_surroundings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from p4warden.health import CheckedInstallation

_REMEDY = "p4warden check POLICY --home {home} shows the line; fix it, then run p4warden activate"


def checks(place: CheckedInstallation) -> Iterator[Check]:
    """Check that each enforced rule of the running policy stops an example event."""
    policy = active_policy.policy_if_any(place.home)
    if policy is None or off_mark.is_uninstalled(place.home):
        return
    around = known_surroundings.surroundings_of_home(place.home)._replace(
        now_s=place.now_ns / 10**9
    )
    doubts = [*known_surroundings.doubts(policy, around)]
    for doubt in doubts:
        line = f"{render(doubt.path)}: {doubt.text}"
        yield Check("rules", WARNING, line, _REMEDY.format(home=place.home))
    for unknown in known_surroundings.unknown_names(policy, around):
        line = f"{render(unknown.path)}: users and groups unknown"
        yield Check("rules", WARNING, line, f"p4warden refresh --home {place.home}")
    if not doubts:
        number = sum(rule.mode == "enforce" for rule in policy.rules)
        remark = "; each stops a test event" if number else ""
        yield Check("rules", GOOD, f"{amount(number, 'rule')} enforced{remark}")
