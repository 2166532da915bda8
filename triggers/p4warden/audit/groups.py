"""Find groups without MaxScanRows or MaxLockTime, and users to whom such a limit does not apply.

The limit of a user is the highest of those in the user's groups, and a group with `unlimited`
lifts it (p4 help group). For a group without a number `db.group` has 0 or less. That 0 means
`unset`, and a negative number `unlimited`, is inferred.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from p4warden.audit.small_tables import Group

FIELDS = {"MaxScanRows": "max_scan_rows", "MaxLockTime": "max_lock_time_ms"}


class UnlimitedUser(NamedTuple):
    """A user whose limit, set by one group, is lifted by another group with `unlimited`.

    Attributes:
        user: the user name.
        field: the limit, `MaxScanRows` or `MaxLockTime`.
        limiting_groups: the groups of the user that set a number.
        lifting_groups: the groups of the user that set `unlimited`.
    """

    user: str
    field: str
    limiting_groups: tuple[str, ...]
    lifting_groups: tuple[str, ...]


def sizes(groups: Sequence[Group]) -> dict[str, int]:
    """Return the number of users in each group by group name; members of subgroups count too."""
    by_group = {group.name: 0 for group in groups}
    for its in _memberships(groups).values():
        for group in its:
            by_group[group.name] += 1
    return by_group


def groups_without_limit(groups: Sequence[Group]) -> list[tuple[str, int, tuple[str, ...]]]:
    """Return each group that sets no number for a limit: name, user count, and these limits."""
    users = sizes(groups)
    lacking = (
        (
            group,
            tuple(field for field, name in FIELDS.items() if _lacks(getattr(group, name))),
        )
        for group in groups
    )
    return [(group.name, users[group.name], fields) for group, fields in lacking if fields]


def unlimited_users(groups: Sequence[Group]) -> Iterator[UnlimitedUser]:
    """Yield users with a group that sets a limit and another group that lifts it (`unlimited`)."""
    memberships = _memberships(groups)
    for field, name in FIELDS.items():
        for user, its in memberships.items():
            limited_groups = tuple(group.name for group in its if _sets(getattr(group, name)))
            unlimited_groups = tuple(group.name for group in its if _lifts(getattr(group, name)))
            if limited_groups and unlimited_groups:
                yield UnlimitedUser(user, field, limited_groups, unlimited_groups)


def users_without_limit(groups: Sequence[Group]) -> dict[str, int]:
    """Return, by limit field, the number of group members none of whose groups sets a number."""
    memberships = _memberships(groups).values()
    return {
        field: sum(all(_lacks(getattr(group, name)) for group in its) for its in memberships)
        for field, name in FIELDS.items()
    }


def unknown_limits(groups: Sequence[Group]) -> dict[str, int]:
    """Return, by limit field, the number of groups whose limit is unknown, if there are any."""
    counts = {
        field: sum(getattr(group, name) is None for group in groups)
        for field, name in FIELDS.items()
    }
    return {field: count for field, count in counts.items() if count}


# An unknown limit, None, is neither set nor lacking.
def _sets(limit: int | None) -> bool:
    return limit is not None and limit > 0


def _lacks(limit: int | None) -> bool:
    return limit is not None and limit <= 0


def _lifts(limit: int | None) -> bool:
    return limit is not None and limit < 0


def _memberships(groups: Sequence[Group]) -> Mapping[str, list[Group]]:
    """Return each user's groups: those that list the user, and the groups that contain them."""
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
