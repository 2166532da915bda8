"""The limits of groups and of their users.

The limit of a user is the highest of those in the user's groups, and a group with `unlimited`
lifts it (p4 help group). For a group without a number `db.group` has 0 or less. That 0 means
`unset`, and a negative number `unlimited`, is inferred.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

FIELDS = ("MaxScanRows", "MaxLockTime")


class Group(NamedTuple):
    """Direct members, subgroups, and limits by field; a limit is None if unknown."""

    name: str
    users: frozenset[str]
    groups: frozenset[str]
    limits: Mapping[str, int | None]


class UnlimitedUser(NamedTuple):
    user: str
    field: str  # `MaxScanRows` or `MaxLockTime`
    limiting_groups: tuple[str, ...]
    lifting_groups: tuple[str, ...]


def groups_without_limit(
    groups: Sequence[Group], users_in_no_group: int
) -> list[tuple[str | None, int, tuple[str, ...]]]:
    """Return groups with members whom no group limits: name, number of these, unset limits.

    The users in no group, if any, come first and have the name None.
    """
    by_group: dict[str, dict[str, set[str]]] = {}
    for field, user, its in _unlimited(groups):
        for group in its:
            by_group.setdefault(group.name, {}).setdefault(field, set()).add(user)
    rows: list[tuple[str | None, int, tuple[str, ...]]] = [
        (name, len(set().union(*fields.values())), tuple(fields))
        for name, fields in sorted(by_group.items())
    ]
    outside = (None, users_in_no_group, FIELDS)
    return [outside, *rows] if users_in_no_group else rows


def unlimited_users(groups: Sequence[Group]) -> Iterator[UnlimitedUser]:
    """Yield users with a group that sets a limit and another that lifts it."""
    by_user = memberships(groups)
    for field in FIELDS:
        for user, its in by_user.items():
            limits = {group.name: group.limits[field] or 0 for group in its}
            limited_groups = tuple(name for name, limit in limits.items() if limit > 0)
            unlimited_groups = tuple(name for name, limit in limits.items() if limit < 0)
            if limited_groups and unlimited_groups:
                yield UnlimitedUser(user, field, limited_groups, unlimited_groups)


def users_without_limit(groups: Sequence[Group], users_in_no_group: int) -> dict[str, int]:
    """Count, by limit field, the users in no group, or of whose groups none sets a number."""
    counts = Counter(field for field, *_ in _unlimited(groups))
    return {field: users_in_no_group + counts[field] for field in FIELDS}


def in_no_group(
    groups: Sequence[Group], users: Iterable[str], folded: Callable[[str], str]
) -> int:
    """Count the users who are no member of any group."""
    members = {folded(user) for group in groups for user in group.users}
    return len({folded(user) for user in users if user} - members)


def unknown_limits(groups: Sequence[Group]) -> dict[str, int]:
    """Count, by limit field, the groups whose limit is unknown, if there are any."""
    counts = {field: sum(group.limits[field] is None for group in groups) for field in FIELDS}
    return {field: count for field, count in counts.items() if count}


def _unlimited(groups: Sequence[Group]) -> Iterator[tuple[str, str, list[Group]]]:
    """Yield limit field, user and groups where all limits are known and none is a number."""
    by_user = memberships(groups)
    for field in FIELDS:
        for user, its in by_user.items():
            limits = [group.limits[field] for group in its]
            if all(limit is not None and limit <= 0 for limit in limits):
                yield field, user, its


def memberships(groups: Sequence[Group]) -> Mapping[str, list[Group]]:
    """Return each user's groups, with the groups that contain these."""
    by_subgroup: dict[str, list[Group]] = {}
    for group in groups:
        for name in group.groups:
            by_subgroup.setdefault(name, []).append(group)
    by_group: dict[str, dict[str, Group]] = {}
    for group in groups:
        outer = _outer(group, by_subgroup)
        for user in group.users:
            by_group.setdefault(user, {}).update(outer)
    return {user: [its[name] for name in sorted(its)] for user, its in sorted(by_group.items())}


def _outer(group: Group, by_subgroup: Mapping[str, Sequence[Group]]) -> dict[str, Group]:
    by_group, new = {group.name: group}, [group]
    while new:
        for outer in by_subgroup.get(new.pop().name, ()):
            if outer.name not in by_group:
                by_group[outer.name] = outer
                new.append(outer)
    return by_group
