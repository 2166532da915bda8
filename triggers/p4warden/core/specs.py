from __future__ import annotations

import functools
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    Fields = Mapping[str, Sequence[str]]
    Holding = Callable[[str, bool], set[str]]

TYPES = ("client", "stream", "branch", "label", "depot")


class Spec(NamedTuple):
    type: str  # one of `TYPES`
    name: str
    owner: str | None
    accessed_s: int | None  # seconds since the epoch
    fields: Fields  # those that rules judge
    text: str | None = None  # of the form; None for a spec from a checkpoint


REMEMBERED = 10_000
"""Users whose groups stay in memory; one user often has many specs."""


class Groups:
    def __init__(self, groups_of: Holding) -> None:
        """`groups_of(name, is_group)` returns the groups that list this member directly."""
        self._groups_of = groups_of
        self.of = functools.lru_cache(maxsize=REMEMBERED)(self._all_groups)

    def _all_groups(self, user: str | None) -> tuple[str, ...]:
        groups = set() if user is None else self._groups_of(user, False)  # noqa: FBT003 - above
        new = groups
        while new:
            outer = {group for name in new for group in self._groups_of(name, True)}  # noqa: FBT003
            new = outer - groups
            groups = groups | outer
        return tuple(sorted(groups))
