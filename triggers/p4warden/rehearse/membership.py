"""Who is in which groups: from a file, or from a server's checkpoint."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import yaml

from p4warden.census import journal
from p4warden.core.errors import P4WardenError

if TYPE_CHECKING:
    from collections.abc import Mapping

Groups = dict[str, list[str]]
Members = dict[str, set[str]]

_RECORD = re.compile(
    rb"\n@(pv|rv|dv)@ [0-9]+ @db\.group@ @((?:[^@\n]|@@)+)@ @((?:[^@\n]|@@)+)@ ([0-9]+) "
)
_USER, _SUBGROUP = 1, 2


class MembershipError(P4WardenError):
    """Groups cannot be read; the text names the file."""


def from_file(path: str) -> Groups:
    """Return the groups of a YAML or JSON file, `{group: [user, ...]}`.

    Raises:
        MembershipError: it cannot be read, or has another shape.
    """
    try:
        document = yaml.safe_load(Path(path).read_bytes())
    except (OSError, yaml.YAMLError) as error:
        raise MembershipError(f"{path}: {_first_line(error)}") from error
    if not isinstance(document, dict) or not all(map(_is_group, document.items())):
        raise MembershipError(f"{path}: write `group: [user, ...]` for each group")
    return document


def from_checkpoint(path: str) -> Groups:
    """Return the groups of a checkpoint or journal, plain or gzip; those of subgroups included.

    A record is `@op@ version @db.group@ @user@ @group@ type ...`, in which every `@` of a text
    stands twice; type has a bit for a user, a subgroup and an owner (Perforce's database schema,
    Group and UserType). An owner who is not a user is no member.

    Raises:
        P4WardenError: it cannot be read, or is no checkpoint, or ends early.
    """
    users: Members = {}
    subgroups: Members = {}
    if not journal.read(path, lambda block: _take(block, users, subgroups), lambda _: None):
        raise MembershipError(f"{path}: is cut short or damaged, so groups would be missing")
    return {group: sorted(_all(group, users, subgroups)) for group in users.keys() | subgroups}


def _take(block: bytes, users: Members, subgroups: Members) -> None:
    """Apply the records of a block to each group's users and subgroups."""
    for operation, member, group, kind in _RECORD.findall(block):
        for bit, members in ((_USER, users), (_SUBGROUP, subgroups)):
            known = members.setdefault(_text(group), set())
            if int(kind) & bit and operation != b"dv":
                known.add(_text(member))
            else:
                known.discard(_text(member))


def _all(group: str, users: Mapping[str, set[str]], subgroups: Mapping[str, set[str]]) -> set[str]:
    """Return the users of a group and of all groups within it, which may go in circles."""
    members, seen, waiting = set[str](), {group}, [group]
    while waiting:
        here = waiting.pop()
        members |= users.get(here, set())
        fresh = subgroups.get(here, set()) - seen
        seen |= fresh
        waiting += fresh
    return members


def _text(field: bytes) -> str:
    return field.replace(b"@@", b"@").decode("utf-8", "replace")


def _is_group(entry: tuple[object, object]) -> bool:
    name, users = entry
    return (
        isinstance(name, str)
        and isinstance(users, list)
        and all(isinstance(user, str) for user in users)
    )


def _first_line(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return str(error).splitlines()[0] if str(error) else type(error).__name__
