"""Who is in which groups, by way of a subgroup too, as p4d hands it to triggers (`%groups%`)."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    Holding = Callable[[str, bool], set[str]]

REMEMBERED = 10_000
"""Users whose groups are kept at hand; specs of one user are often many."""


class Groups:
    """Answers for one user after another."""

    def __init__(self, holding: Holding) -> None:
        """Ask `holding(name, is_group)` for the groups that list a user or a group itself."""
        self._holding = holding
        self.of = functools.lru_cache(maxsize=REMEMBERED)(self._of)

    def _of(self, user: str | None) -> tuple[str, ...]:
        found = set() if user is None else self._holding(user, False)  # noqa: FBT003 - above
        new = found
        while new:
            outer = {group for name in new for group in self._holding(name, True)}  # noqa: FBT003
            new = outer - found
            found = found | outer
        return tuple(sorted(found))
