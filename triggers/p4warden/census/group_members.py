"""Look up the groups of a user, including groups of groups, as p4d passes them in `%groups%`."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    Holding = Callable[[str, bool], set[str]]

REMEMBERED = 10_000
"""Maximum number of users whose groups stay in memory; one user often has many specs."""


class Groups:
    """Looks up the groups of users, directly or through subgroups; keeps recent results."""

    def __init__(self, groups_of: Holding) -> None:
        """Create a lookup of the groups of users.

        Args:
            groups_of: function of a name and `is_group` that returns the names of the groups that
                directly list this user, or this group, as a member.
        """
        self._groups_of = groups_of
        self.of = functools.lru_cache(maxsize=REMEMBERED)(self._of)

    def _of(self, user: str | None) -> tuple[str, ...]:
        groups = set() if user is None else self._groups_of(user, False)  # noqa: FBT003 - above
        new = groups
        while new:
            outer = {group for name in new for group in self._groups_of(name, True)}  # noqa: FBT003
            new = outer - groups
            groups = groups | outer
        return tuple(sorted(groups))
