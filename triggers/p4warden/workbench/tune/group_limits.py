"""Limits of groups: users without one, and groups that undo the limits of others.

The limit of a user is the highest of those in the user's groups; a group without a number among
groups with one does not lift it, `unlimited` does (p4 help group).
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from p4warden.core.plural import amount, listed
from p4warden.workbench.audit.groups import memberships
from p4warden.workbench.tune.finding import Finding, Unjudged, finding, shown
from p4warden.workbench.tune.known_settings import known

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from p4warden.workbench.audit.groups import Group
    from p4warden.workbench.tune.finding import Site
    from p4warden.workbench.tune.known_settings import Limit
    from p4warden.workbench.tune.server_state import ServerState

_MOST_NAMES = 5


def judge(state: ServerState, site: Site) -> Iterator[Finding | Unjudged]:
    """Judge each limit of the data file that the server's release has."""
    for limit in known().limits:
        if not state.is_before(limit.since):
            yield from _judged(limit, state.groups, site, is_live=state.is_live)


def _judged(
    limit: Limit, groups: Sequence[Group] | None, site: Site, *, is_live: bool
) -> Iterator[Finding | Unjudged]:
    if groups is None:
        yield Unjudged(limit.name, "a record of db.group cannot be read")
    elif not groups:
        here = (*_here(limit, site), "There are no groups: make one that contains all users")
        yield finding(limit.name, "no group", limit.advice, here)
    elif not (limits := _known_limits(groups, limit.name)):
        yield Unjudged(limit.name, "the records of groups do not have it at a known place")
    else:
        by_user = {
            user: [group.name for group in its] for user, its in memberships(groups).items()
        }
        judge = _Judge(limit, limits, by_user, site)
        yield from judge.without_limit()
        yield from judge.undone()
        if not is_live:
            yield from judge.doubtful()


def _known_limits(groups: Sequence[Group], field: str) -> dict[str, int]:
    limits = {group.name: group.limits.get(field) for group in groups}
    return {name: limit for name, limit in limits.items() if limit is not None}


class _Judge(NamedTuple):
    limit: Limit
    limits: Mapping[str, int]  # of the groups where it is known
    by_user: Mapping[str, Sequence[str]]  # names of groups
    site: Site

    def without_limit(self) -> Iterator[Finding]:
        """One finding for the largest group of the users whom no group limits."""
        users = [user for user, its in self.by_user.items() if all(map(self._lacks, its))]
        if not users:
            return
        sizes = Counter(name for user in users for name in self.by_user[user])
        name, count = max(sizes.items(), key=lambda one: (one[1], one[0]))
        present = f"no limit for {amount(len(users), 'user')} in groups"
        more = f", {count:,} of them in {shown(name)}"
        yield finding(
            self.limit.name, present + more, self.limit.advice, _here(self.limit, self.site)
        )

    def undone(self) -> Iterator[Finding]:
        """One finding for each group that lifts or raises the limit of another."""
        undone: dict[str, dict[str, set[str]]] = {}  # by generous group: limited ones, users
        for user, its in self.by_user.items():
            set_limits = {name: self.limits[name] for name in its if self._sets(name)}
            generous = self._generous(its, set_limits)
            for limited in set_limits:
                if generous and limited != generous:
                    undone.setdefault(generous, {}).setdefault(limited, set()).add(user)
        for generous, limited_groups in sorted(undone.items()):
            yield self._undone(generous, limited_groups)

    def doubtful(self) -> Iterator[Unjudged]:
        """Name the groups whose stored 0, if it means unlimited, lifts the limit of another."""
        names = {
            name
            for its in self.by_user.values()
            if any(map(self._sets, its))
            for name in its
            if self.limits.get(name) == 0
        }
        if names:
            yield Unjudged(
                self.limit.name,
                f"whether the 0 of {listed(sorted(map(shown, names)))} in db.group means unset or "
                "unlimited is not documented; p4 group -o shows it",
            )

    def _undone(self, generous: str, limited_groups: Mapping[str, set[str]]) -> Finding:
        users = set().union(*limited_groups.values())
        names = [f"{shown(name)} ({self.limits[name]:,})" for name in sorted(limited_groups)]
        listed_names = listed([*names[:_MOST_NAMES], *(["others"] if names[_MOST_NAMES:] else [])])
        lifts = "no limit" if self._lacks(generous) else f"{self.limits[generous]:,}"
        here = (
            f"the highest number of a user's groups counts, so for {amount(len(users), 'user')} "
            f"{listed_names} {'has' if len(names) == 1 else 'have'} no effect"
        )
        present = f"{lifts} in group {shown(generous)}"
        return finding(self.limit.name, present, self.limit.advice, [here])

    def _generous(self, its: Sequence[str], set_limits: Mapping[str, int]) -> str | None:
        """Return the group whose limit counts; None if no other is undone by it."""
        lifting = [name for name in its if self.limits.get(name, 0) < 0]
        if lifting:
            return lifting[0]
        if len(set(set_limits.values())) < 2:  # noqa: PLR2004 - two differ
            return None
        return max(set_limits, key=lambda name: (set_limits[name], name))

    def _sets(self, name: str) -> bool:
        return self.limits.get(name, 0) > 0

    def _lacks(self, name: str) -> bool:
        return name in self.limits and self.limits[name] <= 0


def _here(limit: Limit, site: Site) -> tuple[str, ...]:
    return limit.advice.why, _logged(limit, site)


def _logged(limit: Limit, site: Site) -> str:
    log = site.log
    if log is None or limit.value is None:
        return ""
    if log.locks is None:
        return "The log has no times of locks"
    commands, users = log.locks
    return (
        f"{amount(commands, 'command')} of {amount(users, 'user')} kept a lock for more than "
        f"{limit.value:,} ms; that {limit.name} counts the same is not documented"
    )
