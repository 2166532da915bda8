"""A group that limits the users whom no group limits.

The limit of a user is the highest of those in the user's groups; a group without a number among
groups with one does not lift it, `unlimited` does (p4 help group).
"""

from __future__ import annotations

import shlex
from functools import partial
from typing import TYPE_CHECKING

from p4warden.core.plural import amount, listed, some
from p4warden.workbench.tune import limit_values
from p4warden.workbench.tune.finding import Finding, Unjudged, finding, shown
from p4warden.workbench.tune.known_settings import Advice, known
from p4warden.workbench.tune.unlimited_users import unlimited

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from p4warden.workbench.tune.finding import Commands
    from p4warden.workbench.tune.limit_values import Numbers
    from p4warden.workbench.tune.server_state import ServerState
    from p4warden.workbench.tune.site import Site
    from p4warden.workbench.tune.unlimited_users import Kind, UnlimitedUsers

_NAME = "limited-users"
_some = partial(some, most=5, shown=shown)
_RISK = (
    "a command over a limit fails as a whole; those who need more get it from a group of their "
    "own with a higher number or unlimited, because the highest counts"
)


def judge(
    state: ServerState, site: Site, folded: Callable[[str], str]
) -> Iterator[Finding | Unjudged]:
    """Yield a finding for each kind of users who lack limits that the server's release has."""
    if state.groups is None:
        yield Unjudged("limits of groups", "a record of db.group cannot be read")
        return
    if not state.protections.lines and state.protections.problem:
        problem = f"the protections cannot be read: {state.protections.problem}"
        yield Unjudged("limits of groups", problem)
        return
    fields = [one.name for one in known().limits if not state.is_before(one.since)]
    if "MaxMemory" in fields and not (site.log and site.log.memory):
        fields.remove("MaxMemory")
        yield Unjudged("MaxMemory", "a log with the memory of commands is needed (--database)")
    users = unlimited(state, site, fields, folded)
    names = _new_names({folded(group.name) for group in state.groups}, folded)
    for kind, people in sorted(users.people.items()):
        yield _finding(kind, people, next(names), users, _numbers(site, people, folded))


def _numbers(site: Site, people: Sequence[str], folded: Callable[[str], str]) -> Numbers:
    owners = {folded(user) for user in people}
    return limit_values.numbers(
        site, [one for one in site.workspaces if folded(one.owner) in owners]
    )


def _finding(
    kind: Kind, people: Sequence[str], name: str, users: UnlimitedUsers, numbers: Numbers
) -> Finding:
    where = "" if kind.has_group else "in no group "
    verb = "has" if len(people) == 1 else "have"
    present = f"{amount(len(people), 'user')} {where}{verb} none: {_some(people)}"
    here = [f"The group {name} limits these users and no others", *numbers.sentences()]
    if users.others:
        who = _some(users.others)
        here.append(f"Not in it, as administrators or what seem to be programs: {who}")
    risk = _RISK + (_doubt(users.doubtful_groups) if kind.has_group else "")
    limits = numbers.limits()
    commands = _commands(name, {field: limits[field] for field in kind.lacking}, people, kind)
    return finding(listed(kind.lacking), present, _advice(kind.lacking, risk), here, commands)


def _doubt(groups: Sequence[str]) -> str:
    if not groups:
        return ""
    return f"; if the 0 of {_some(groups)} in db.group means unlimited (p4 group -o), it counts"


def _advice(lacking: Sequence[str], risk: str) -> Advice:
    limits = [one for one in known().limits if one.name in lacking]
    words = "; ".join(f"{one.name} {one.advice.recommends}" for one in limits)
    sources = dict.fromkeys(source for one in limits for source in one.advice.sources)
    return Advice(words, tuple(sources), "", risk)


def _commands(name: str, limits: Mapping[str, int], people: Sequence[str], kind: Kind) -> Commands:
    """Return the form on one line for a shell.

    Timeout is that of a new group, or unset for members of a group: the highest one counts.
    """
    lines = [
        f"Group: {name}",
        *(f"{field}: {limit}" for field, limit in limits.items()),
        f"Timeout: {'unset' if kind.has_group else 43200}",
        "Users:",
        *(f" {user}" for user in people),
    ]
    form = shlex.join(["printf", r"%s\n", *lines])
    return (f"{form} | p4 group -i",), (shlex.join(["p4", "group", "-d", name]),)


def _new_names(taken: set[str], folded: Callable[[str], str]) -> Iterator[str]:
    number = 1
    while True:
        name = _NAME if number == 1 else f"{_NAME}-{number}"
        if folded(name) not in taken:
            yield name
        number += 1
