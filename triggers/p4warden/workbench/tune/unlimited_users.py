"""Users whom no group limits, and which of them are people."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from p4warden.policy.starter import LEAST_CLIENTS
from p4warden.workbench.audit.groups import memberships
from p4warden.workbench.audit.protections import SUPER
from p4warden.workbench.tune.known_settings import known

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from p4warden.workbench.audit.groups import Group
    from p4warden.workbench.tune.server_state import ServerState
    from p4warden.workbench.tune.site import Site

_FORM_NAME = re.compile(r"""[^\s"#]+""")
"""A name that stands for itself in a form."""


class Kind(NamedTuple):
    """What users have in common."""

    lacking: tuple[str, ...]  # fields of the group form, in the order of the data file
    has_group: bool


class UnlimitedUsers(NamedTuple):
    people: Mapping[Kind, Sequence[str]]
    others: Sequence[str]  # that lack a limit as well: programs and administrators
    doubtful_groups: Sequence[str]  # of people: their stored 0 may mean unlimited


def unlimited(
    state: ServerState, site: Site, fields: Sequence[str], folded: Callable[[str], str]
) -> UnlimitedUsers:
    """Sort the users who lack one of these limits; names compare as `folded` returns them."""
    of_user = _groups_by_user(state, folded)
    programs = {folded(name) for name in state.programs} | _owners_of_many(site, folded)
    spared = programs | _administrators(state, of_user, folded)
    people: dict[Kind, list[str]] = {}
    others: list[str] = []
    doubtful: set[str] = set()
    for user in _users(state, site, of_user, folded):
        its = of_user.get(folded(user), ())
        lacking = tuple(field for field in fields if _lacks(field, its))
        if not lacking:
            continue
        names = (user, *(group.name for group in its))
        if folded(user) in spared or any(map(_names_program, names)) or not _fits_form(user):
            others.append(user)
        else:
            people.setdefault(Kind(lacking, bool(its)), []).append(user)
            doubtful.update(group.name for group in its)
    return UnlimitedUsers(people, others, [] if state.is_live else sorted(doubtful))


def _users(
    state: ServerState,
    site: Site,
    members: Iterable[str],
    folded: Callable[[str], str],
) -> list[str]:
    """Return all users; of a checkpoint the members of groups and the owners of clients."""
    names = state.users
    if names is None:
        names = [*members, *(one.owner for one in site.workspaces if one.owner)]
    return sorted({folded(name): name for name in names}.values())


def _groups_by_user(
    state: ServerState, folded: Callable[[str], str]
) -> Mapping[str, Sequence[Group]]:
    """Return the groups of all spellings of a user together."""
    of_user: dict[str, list[Group]] = {}
    for user, its in memberships(state.groups or ()).items():
        of_user.setdefault(folded(user), []).extend(its)
    return of_user


def _owners_of_many(site: Site, folded: Callable[[str], str]) -> set[str]:
    counts = Counter(folded(one.owner) for one in site.workspaces)
    return {owner for owner, count in counts.items() if count >= LEAST_CLIENTS}


def _administrators(
    state: ServerState, of_user: Mapping[str, Sequence[Group]], folded: Callable[[str], str]
) -> set[str]:
    """Return the users to whom a line gives super access, by name or as members of a group."""
    lines = [one for one in state.protections.lines if one.rights & SUPER and not one.is_exclusion]
    groups = {folded(one.name) for one in lines if one.is_group}
    members = {
        user for user, its in of_user.items() if groups & {folded(group.name) for group in its}
    }
    return members | {folded(one.name) for one in lines if not one.is_group}


def _lacks(field: str, its: Sequence[Group]) -> bool:
    """`unlimited` is somebody's decision, and what is unknown is not judged."""
    return all(group.limits.get(field) == 0 for group in its)


def _names_program(name: str) -> bool:
    return not known().program_words.isdisjoint(re.split(r"[^a-z]+", name.lower()))


def _fits_form(name: str) -> bool:
    return name.isprintable() and _FORM_NAME.fullmatch(name) is not None
