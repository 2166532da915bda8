from __future__ import annotations

import contextlib
from pathlib import Path

import yaml

from p4warden.core.errors import P4WardenError
from p4warden.core.printable import decoded
from p4warden.policy.differences import are_names
from p4warden.workbench.audit import small_tables
from p4warden.workbench.audit.groups import memberships
from p4warden.workbench.checkpoint.reading import Sources, read
from p4warden.workbench.checkpoint.small_tables import SmallTables

Groups = dict[str, list[str]]


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
    except (ValueError, RecursionError):  # a date or number that is none, or too deep
        document = None
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
    with contextlib.closing(SmallTables(("group",))) as tables:
        read(Sources([path]), tables, lambda _read, _of: None)
        groups = small_tables.groups(tables)
    members: Groups = {decoded(group.name): [] for group in groups}
    for user, its_groups in memberships(groups).items():
        for group in its_groups:
            members[decoded(group.name)].append(decoded(user))
    return members


def _is_group(entry: tuple[object, object]) -> bool:
    name, users = entry
    return isinstance(name, str) and are_names(users)


def _first_line(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return str(error).splitlines()[0] if str(error) else type(error).__name__
