"""Compare the access that two protections tables give, without the code that makes the second.

Each user of the groups and of the lines and a user that no line names, in the groups of today and
in none, one or all of the named groups, are asked for each host and for paths at the bounds of
each line. Whether an exclusion removes only its own rights is not documented for every right:
both are compared.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from p4warden.workbench.audit.groups import memberships

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from p4warden.workbench.audit.groups import Group
    from p4warden.workbench.audit.protections import Protection

_WILDCARD = re.compile(r"(\.\.\.|\*|%%[0-9])")
_SAMPLES = {"...": ("", "x", "x/y"), "*": ("", "x")}
_MOST_SAMPLES = 81
"""As many as four `...` have; a difference in only those beyond is not seen."""
_SOMEBODY = "p4warden somebody"
"""No user's name: names of users have no blanks."""


class _Person(NamedTuple):
    user: str
    groups: frozenset[str]


def changes_access(
    before: Sequence[Protection], after: Sequence[Protection], groups: Sequence[Group]
) -> bool:
    """Tell whether somebody's access to a path differs; names that fold case must be folded."""
    paths = sorted({path for line in (*before, *after) for path in bounds(line.path)})
    old, new = _Table(before, paths), _Table(after, paths)
    rights = {line.rights for line in (*before, *after)}
    bits = [bit for bit in (1 << n for n in range(64)) if any(bit & one for one in rights)]
    pairs = {
        (old.matching(person, host), new.matching(person, host))
        for person in _people([*before, *after], groups)
        for host in _hosts([*before, *after])
    }
    return any(
        old.granted(one, bit, removes_all=removes_all)
        != new.granted(other, bit, removes_all=removes_all)
        for one, other in pairs
        for removes_all in (True, False)
        for bit in bits
    )


class _Table:
    def __init__(self, lines: Sequence[Protection], paths: Sequence[str]) -> None:
        self._lines = lines
        self._matches = [_matched(line.path, paths) for line in lines]
        self._of_groups: dict[str, list[int]] = {}
        self._of_users: dict[str, list[int]] = {}
        for place, line in enumerate(lines):
            by_name = self._of_groups if line.is_group else self._of_users
            by_name.setdefault(line.name, []).append(place)

    def matching(self, person: _Person, host: frozenset[str]) -> tuple[int, ...]:
        """Return the places of the lines about a person, in the order of the table."""
        names = [name for name in self._of_users if _matches_name(name, person.user)]
        places = [place for name in names for place in self._of_users[name]]
        for pattern, of_group in self._of_groups.items():
            if pattern in person.groups or (
                "*" in pattern and any(_matches_name(pattern, name) for name in person.groups)
            ):
                places += of_group
        hosts = {"*", *host}
        return tuple(place for place in sorted(places) if self._lines[place].host in hosts)

    def granted(self, places: Iterable[int], bit: int, *, removes_all: bool) -> int:
        """Return the granted paths as bits of a number; the last line that matches decides."""
        granted = 0
        for place in places:
            line = self._lines[place]
            if line.is_exclusion and (removes_all or line.rights & bit):
                granted &= ~self._matches[place]
            elif not line.is_exclusion and line.rights & bit:
                granted |= self._matches[place]
        return granted


def bounds(path: str) -> set[str]:
    """Return paths that a pattern just matches or just misses."""
    texts = {""}
    for number, part in enumerate(_WILDCARD.split(path)):
        samples = _SAMPLES["*" if part.startswith("%%") else part] if number % 2 else (part,)
        texts = {text + sample for text in texts for sample in samples}
        if len(texts) > _MOST_SAMPLES:
            texts = set(sorted(texts)[:_MOST_SAMPLES])
    return {bound for text in texts for bound in (text, f"{text}x", f"{text}/x", text[:-1])}


def _matched(pattern: str, paths: Sequence[str]) -> int:
    parts = _WILDCARD.split(pattern)
    regex = re.compile(
        "".join(_regex(number, part) for number, part in enumerate(parts)), re.DOTALL
    )
    found = 0
    for place, path in enumerate(paths):
        if path.startswith(parts[0]) and regex.fullmatch(path):
            found |= 1 << place
    return found


def _regex(number: int, part: str) -> str:
    if number % 2 == 0:
        return re.escape(part)
    return ".*" if part == "..." else "[^/]*"


def _matches_name(pattern: str, name: str) -> bool:
    if "*" not in pattern:
        return pattern == name
    return re.fullmatch(".*".join(map(re.escape, pattern.split("*"))), name, re.DOTALL) is not None


def _people(lines: Sequence[Protection], groups: Sequence[Group]) -> set[_Person]:
    """Return everyone whom the lines may tell apart; a user whom none names is `_SOMEBODY`."""
    by_user = {
        user: frozenset(group.name for group in its) for user, its in memberships(groups).items()
    }
    named_groups = frozenset(line.name for line in lines if line.is_group)
    patterns = {line.name for line in lines if not line.is_group} - {"*"}
    samples = {name.replace("*", sample) for name in patterns for sample in ("", "x")}
    people = set()
    for user in (*by_user, *samples, _SOMEBODY):
        is_named = any(_matches_name(pattern, user) for pattern in patterns)
        its = by_user.get(user, frozenset())
        if not any("*" in name for name in named_groups):
            its &= named_groups
        people.add(_Person(user if is_named else _SOMEBODY, its))
    named_users = {person.user for person in people}
    for user in named_users:
        people |= {_Person(user, frozenset()), _Person(user, named_groups)}
        people |= {_Person(user, frozenset({group})) for group in named_groups}
    return people


def _hosts(lines: Sequence[Protection]) -> list[frozenset[str]]:
    """Return sets of host patterns that a host may match at once: none, one or all."""
    patterns = sorted({line.host for line in lines} - {"*"})
    return [frozenset(), frozenset(patterns), *(frozenset({one}) for one in patterns)]
