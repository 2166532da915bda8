"""Suggest limits from the history of requests in a log: of rates here.

A limit fits the needs of nearly all users of a group or class, with headroom. For each user and
command the history has the burst that each of several rates would have needed. The lowest rate is
chosen whose burst is at most ten or, if that is more, twice that of the highest rate: at lower
rates requests pile up. Both the rate and the burst are multiplied by the headroom, and rounded up.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from p4warden.asking import tables

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_NAME = re.compile(r"[a-z][a-z0-9-]{0,39}")

OTHERS = ""
"""Group name under which the users who belong to no group are counted."""

_FEWEST = 5
"""The burst at the highest rate counts as at least this number; the chosen rate's burst is at most
twice as large."""
_BUSY_PERCENT = 5
_MINUTE_MS = 60_000
_MOST_IN_ALLOW = 9_999_999
_MOST_BURST = 10**12
_MOST_MINUTES = 10**6
"""A policy's `allow` has at most seven digits, and its burst is regained within 1,000 days."""


class Margins(NamedTuple):
    """Margins of suggested rate limits above the measured needs of users.

    Attributes:
        percentile: a limit covers the needs of this percentage of the users.
        headroom: factor by which the limit exceeds these needs. The vendor advises two to five
            times the typical value (P4 Server Administrator Guide, MaxResults and MaxScanRows).
    """

    percentile: float = 99
    headroom: float = 2


class UserRequests(NamedTuple):
    """A user's requests in a log, of one command or of those of a budget.

    Attributes:
        bursts: for each interval, the smallest burst that would have refused no request; with a
            budget, of records.
        class_name: the first class of the policy that these requests match; None if none does.
        most_at_once: the most that ran at once, of those whose end is known.
        without_end: number of the others.
    """

    name: str
    requests: int
    bursts: Sequence[int]
    class_name: str | None = None
    most_at_once: int = 0
    without_end: int = 0


class Budget(NamedTuple):
    """What a suggested limit has in addition if it limits the records that commands read.

    Attributes:
        commands: names of the commands that share the budget.
        unknown_as: number of records that a command without an estimate counts as.
        requests: number of requests of all users in the log.
        unknown: number of these without an estimate.
        per_interval: number of records that count as one request.
        members: the users to whom the limit may apply.
        rate: index, in the members' `bursts`, of a rate that the limit's is no lower than.
    """

    commands: tuple[str, ...]
    unknown_as: int
    requests: int
    unknown: int
    per_interval: int
    members: tuple[UserRequests, ...] = ()
    rate: int = 0


class AtOnce(NamedTuple):
    """What a suggested limit has in addition if it limits how many commands run at once."""

    most: int  # that the percentage of the users ran
    without_end: int


class SuggestedLimit(NamedTuple):
    """A suggested limit for one group or class and one command, or for those of a budget.

    Attributes:
        command: the command's name; with a budget `file-budget`.
        group: the group's or class's name, or `OTHERS` for the users without either.
        per_minute: maximum number of requests, with a budget of records, per minute that the limit
            allows in the long run.
        burst: maximum number of these that the limit allows at the same time after a pause; of
            commands at once, that number.
        above: number of users who need a larger burst than the limit would have without headroom.
        budget: None if the limit is of requests.
        at_once: None if the limit is of a rate.
        is_of_class: whether `group` is the name of a class.
    """

    command: str
    group: str
    users: int
    requests: int
    per_minute: int
    burst: int
    above: int
    budget: Budget | None = None
    is_of_class: bool = False
    at_once: AtOnce | None = None

    @property
    def allow(self) -> str:
        per_second, rest = divmod(self.per_minute, 60)
        if (per_second and not rest) or self.per_minute > _MOST_IN_ALLOW:
            return _per_second(math.ceil(self.per_minute / 60))
        return f"{self.per_minute}/m"

    @property
    def may_stop(self) -> list[str]:
        """With a budget, all users in the log of whom the limit can stop a request."""
        members, rate = (self.budget.members, self.budget.rate) if self.budget else ((), 0)
        return [user.name for user in members if user.bursts[rate] > self.burst]


def _per_second(number: int) -> str:
    return f"{number}/s" if number <= _MOST_IN_ALLOW else f"{math.ceil(number / 1000)}/ms"


def suggest(
    history: Mapping[str, Any],
    commands: Iterable[str],
    groups: Mapping[str, Sequence[str]],
    margins: Margins,
) -> list[SuggestedLimit]:
    """Return a suggested rate limit for each given command and each group or class that sent it.

    Args:
        history: the `history` of a replay's report.
        commands: names without `user-`; commands that nobody sent are left out.
        groups: users by group, as far as known. A user in several groups counts in the one
            whose users sent most requests for the command. Requests of a class count in it alone.
        margins: the percentage of users whose needs the limits cover, and the headroom.
    """
    limits = []
    for command in commands:
        requests = [UserRequests(*row) for row in history["commands"].get(command, ())]
        limits += by_group(command, requests, groups, history["intervals_ms"], margins)
    return limits


def busiest(history: Mapping[str, Any]) -> list[str]:
    """Return the commands that make up at least 5% of all requests, the most frequent first.

    Commands that a policy cannot limit are left out.
    """
    counts = {
        command: sum(requests for _, requests, *_ in users)
        for command, users in history["commands"].items()
    }
    least = sum(counts.values()) * _BUSY_PERCENT / 100
    rescue = tables.rescue_commands()
    frequent = [
        command
        for command, count in counts.items()
        if count >= least and _NAME.fullmatch(command) and command not in rescue
    ]
    return sorted(frequent, key=lambda command: -counts[command])


def by_group(
    command: str,
    requests: Sequence[UserRequests],
    groups: Mapping[str, Sequence[str]],
    intervals_ms: Sequence[int],
    margins: Margins,
    budget: Budget | None = None,
) -> list[SuggestedLimit]:
    """Return the limit of each group and of each class, as in `suggest`."""
    return [
        _fitting(command, name, of, intervals_ms, margins, budget)._replace(
            is_of_class=is_of_class
        )
        for (is_of_class, name), of in members(requests, groups)
    ]


def members(
    requests: Sequence[UserRequests], groups: Mapping[str, Sequence[str]]
) -> list[tuple[tuple[bool, str], list[UserRequests]]]:
    """Return the users of each group and class: whether it is a class, and its name."""
    of_user = _largest_groups([user for user in requests if user.class_name is None], groups)
    by_name: dict[tuple[bool, str], list[UserRequests]] = {}
    for user in requests:
        is_of_class = user.class_name is not None
        name = user.class_name or of_user.get(user.name, OTHERS)
        by_name.setdefault((is_of_class, name), []).append(user)
    return sorted(by_name.items())


def _largest_groups(
    user_requests: Sequence[UserRequests], groups: Mapping[str, Sequence[str]]
) -> dict[str, str]:
    """Return by user the group whose users sent most of the requests."""
    requests = {user.name: user.requests for user in user_requests}
    weights = {g: sum(requests.get(user, 0) for user in users) for g, users in groups.items()}
    of_user: dict[str, str] = {}
    for group in sorted(groups, key=lambda group: (weights[group], group)):
        of_user |= dict.fromkeys(groups[group], group)
    return of_user


def _fitting(
    command: str,
    group: str,
    requests: Sequence[UserRequests],
    intervals_ms: Sequence[int],
    margins: Margins,
    budget: Budget | None,
) -> SuggestedLimit:
    per_interval = budget.per_interval if budget else 1
    needed_bursts = [
        percentile([user.bursts[rate] for user in requests], margins.percentile)
        for rate in range(len(intervals_ms))
    ]
    enough = 2 * max(needed_bursts[0], _FEWEST * per_interval)
    rate = max(rate for rate, burst in enumerate(needed_bursts) if rate == 0 or burst <= enough)
    burst = max(needed_bursts[rate], 1)
    per_minute = max(
        1, math.ceil(margins.headroom * per_interval * _MINUTE_MS / intervals_ms[rate])
    )
    return SuggestedLimit(
        command,
        group,
        users=len(requests),
        requests=sum(user.requests for user in requests),
        per_minute=per_minute,
        burst=min(
            _rounded(math.ceil(margins.headroom * burst)), _MOST_BURST, per_minute * _MOST_MINUTES
        ),
        above=sum(user.bursts[rate] > burst for user in requests),
        budget=budget and budget._replace(members=tuple(requests), rate=rate),
    )


def percentile(numbers: list[int], percent: float) -> int:
    """Return the least of the numbers that at least this percentage of them does not exceed."""
    ordered = sorted(numbers)
    return ordered[max(0, math.ceil(len(ordered) * percent / 100) - 1)]


def _rounded(number: int) -> int:
    """Round a burst of a suggested limit up to two significant digits."""
    unit: int = 10 ** max(0, len(str(number)) - 2)
    return math.ceil(number / unit) * unit
