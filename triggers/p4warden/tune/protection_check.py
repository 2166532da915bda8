"""Compare the access that two protections tables give, without the code that makes the second.

Each user of the groups and of the lines and a user that no line names, in the groups of today and
in none, one or all of the named groups, are asked for each host and for paths at the bounds of
each line. Whether an exclusion removes only its own rights is not documented for every right:
both are compared.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from p4warden.audit.groups import memberships

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from p4warden.audit.protections import Protection
    from p4warden.tune.server_state import Group

_WILDCARD = re.compile(r"(\.\.\.|\*|%%[0-9])")
_SAMPLES = {"...": ("", "x", "x/y"), "*": ("", "x")}
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
    bits = [bit for bit in (1 << n for n in range(32)) if any(bit & one for one in rights)]
    compared = set()
    for person in _people([*before, *after], groups):
        for host in _hosts([*before, *after]):
            pair = old.matching(person, host), new.matching(person, host)
            if pair in compared:
                continue
            compared.add(pair)
            for removes_all in (True, False):
                if any(
                    old.granted(pair[0], bit, removes_all=removes_all)
                    != new.granted(pair[1], bit, removes_all=removes_all)
                    for bit in bits
                ):
                    return True
    return False


class _Table:
    def __init__(self, lines: Sequence[Protection], paths: Sequence[str]) -> None:
        self._lines = lines
        self._matches = [_matched(line.path, paths) for line in lines]

    def matching(self, person: _Person, host: frozenset[str]) -> tuple[int, ...]:
        return tuple(
            place
            for place, line in enumerate(self._lines)
            if (line.host == "*" or line.host in host) and _is_about(line, person)
        )

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
        samples = _SAMPLES.get("*" if part.startswith("%%") else part) if number % 2 else (part,)
        texts = {text + sample for text in texts for sample in samples or ("",)}
        if len(texts) > 81:  # noqa: PLR2004 - of four `...`
            texts = set(sorted(texts)[:81])
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


def _is_about(line: Protection, person: _Person) -> bool:
    names = person.groups if line.is_group else {person.user}
    if "*" not in line.name:
        return line.name in names
    regex = ".*".join(map(re.escape, line.name.split("*")))
    return any(re.fullmatch(regex, name, re.DOTALL) for name in names)


def _people(lines: Sequence[Protection], groups: Sequence[Group]) -> Iterator[_Person]:
    by_user = {
        user: frozenset(group.name for group in its) for user, its in memberships(groups).items()
    }
    named_groups = {line.name for line in lines if line.is_group}
    named_users = {
        line.name.replace("*", sample)
        for line in lines
        if not line.is_group
        for sample in ("", "x")
    }
    for user in {*by_user, *named_users, _SOMEBODY}:
        yield _Person(user, by_user.get(user, frozenset()))
        yield _Person(user, frozenset())
        yield _Person(user, frozenset(named_groups))
        for group in named_groups:
            yield _Person(user, frozenset({group}))


def _hosts(lines: Sequence[Protection]) -> list[frozenset[str]]:
    """Return sets of host patterns that a host may match at once: none, one or all."""
    patterns = sorted({line.host for line in lines} - {"*"})
    return [frozenset(), frozenset(patterns), *(frozenset({one}) for one in patterns)]
