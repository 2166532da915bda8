"""Suggest how many commands run at once, from their starts and ends in a log.

A number fits the most of each user's commands that ran at once, as a rate limit fits the number of
requests.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from p4warden.core.errors import P4WardenError
from p4warden.workbench.replay.suggested_limits import (
    AtOnce,
    SuggestedLimit,
    UserRequests,
    members,
    percentile,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from p4warden.workbench.replay.suggested_limits import Margins

_MOST = 100
"""Of `at_most` in a policy."""
_NO_ENDS = (
    "the logs have no end of one (p4d writes ends with server=2 or more), or can be read only once"
)


def suggest_at_once(
    history: Mapping[str, Any],
    command: str,
    groups: Mapping[str, Sequence[str]],
    margins: Margins,
) -> list[SuggestedLimit]:
    """Return the suggested number of one command for each group and class, as `suggest` does.

    Raises:
        P4WardenError: the log has no end of one, or more ran at once than a policy can allow.
    """
    users = [UserRequests(*row) for row in history["commands"].get(command, ())]
    known = [user for user in users if user.most_at_once]
    if users and not known:
        raise P4WardenError(_NO_ENDS)
    limits = [
        _fitting(command, name, of, margins)._replace(is_of_class=is_of_class)
        for (is_of_class, name), of in members(known, groups)
    ]
    most = max((limit.at_once.most for limit in limits if limit.at_once), default=0)
    if most > _MOST:
        raise P4WardenError(f"{most} of a user ran at once, and a rule lets run at most {_MOST}")
    return limits


def _fitting(
    command: str, group: str, users: Sequence[UserRequests], margins: Margins
) -> SuggestedLimit:
    most = percentile([user.most_at_once for user in users], margins.percentile)
    return SuggestedLimit(
        command,
        group,
        users=len(users),
        requests=sum(user.requests for user in users),
        per_minute=0,
        burst=min(math.ceil(margins.headroom * most), _MOST),
        above=sum(user.most_at_once > most for user in users),
        at_once=AtOnce(most, sum(user.without_end for user in users)),
    )
