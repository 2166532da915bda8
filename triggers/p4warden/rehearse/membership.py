from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import yaml

from p4warden.core.errors import P4WardenError
from p4warden.core.printable import decoded
from p4warden.core.server_names import all_members
from p4warden.index.records import records
from p4warden.policy.differences import are_names

if TYPE_CHECKING:
    from p4warden.index.records import Record

Groups = dict[str, list[str]]
Members = dict[str, set[str]]

_USER, _SUBGROUP = 1, 2


class MembershipError(P4WardenError):
    """Error: the members of groups cannot be read from a file, which the message names."""


def from_file(path: str) -> Groups:
    """Return the members of each group in a YAML or JSON file, `{group: [user, ...]}`.

    Raises:
        MembershipError: the file cannot be read, or has another shape.
    """
    try:
        document = yaml.safe_load(Path(path).read_bytes())
    except (OSError, yaml.YAMLError) as error:
        raise MembershipError(f"{path}: {_first_line(error)}") from error
    if not isinstance(document, dict) or not all(map(_is_group, document.items())):
        raise MembershipError(
            f"{path} does not have the form of a groups file; write GROUP: [USER, ...] for each "
            "group"
        )
    return document


def from_checkpoint(path: str) -> Groups:
    """Return the members of each group in a checkpoint, with those of subgroups.

    The file is plain or compressed with gzip. A journal record of `db.group` has a user, a group
    and a number with a bit each for a user, a subgroup and an owner (Perforce's database schema,
    Group and UserType). A mere owner is not a member. Names are as `p4warden-log` writes them.

    Raises:
        P4WardenError: the file cannot be read, or is not a whole checkpoint.
    """
    users: Members = {}
    subgroups: Members = {}
    for record in records([path], [], ["group"], lambda _: None):
        match record.values:
            case [str() as member, str() as group, int() as kind, *_]:
                for bit, members in ((_USER, users), (_SUBGROUP, subgroups)):
                    of_group = members.setdefault(decoded(group), set())
                    _apply(of_group, decoded(member), record, bit & kind)
    return {
        group: sorted(all_members(group, users, subgroups)) for group in users.keys() | subgroups
    }


def _apply(members: set[str], member: str, record: Record, belongs: int) -> None:
    if belongs and record.operation != "dv":
        members.add(member)
    else:
        members.discard(member)


def _is_group(entry: tuple[object, object]) -> bool:
    name, users = entry
    return isinstance(name, str) and are_names(users)


def _first_line(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return str(error).splitlines()[0] if str(error) else type(error).__name__
