from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from p4warden.core.releases import Release, Releases
    from p4warden.workbench.audit.groups import Group
    from p4warden.workbench.audit.protections import Protection

ANY_SERVER = "any"
COMMENTS = "dm.configure.comment.mandatory"
"""With 1, p4d refuses p4 configure set and unset without a comment (2025)."""


class Value(NamedTuple):
    """A value of a judged configurable, set with `p4 configure` for a server id or all."""

    server: str
    name: str
    value: str


class Override(NamedTuple):
    """A value in effect that `p4 configure` does not change."""

    name: str
    value: str
    origin: str  # in p4d's word, such as `-v` or `environment`


class StoredProperty(NamedTuple):
    name: str
    sequence: int
    scope: str  # `user NAME`, `group NAME` or, for everyone, empty
    value: str


class ProtectionTable(NamedTuple):
    lines: Sequence[Protection]
    texts: Sequence[str] = ()  # of a live server; else those of the lines
    problem: str = ""  # why no smaller table may be proposed


class Note(NamedTuple):
    table: str  # without `db.`; empty if it is about no record
    text: str


class ServerState(NamedTuple):
    """A field is None if its records cannot be read."""

    releases: Releases | None
    values: Sequence[Value] | None
    groups: Sequence[Group] | None
    properties: Sequence[StoredProperty] | None
    protections: ProtectionTable
    overrides: Sequence[Override] = ()
    recommended: Mapping[str, str] = {}  # by `p4 configure help`, by configurable
    users: Sequence[str] | None = None  # names; a checkpoint's are not read
    programs: Sequence[str] = ()  # service users and operators among the users
    notes: Sequence[Note] = ()
    is_live: bool = False
    defaults: Mapping[str, str] = {}  # as a live server says, by configurable
    needs_comment: bool = False  # of `COMMENTS`

    def is_before(self, release: Release | None) -> bool:
        """Tell whether the server is known to be older than a release."""
        if release is None or self.releases is None:
            return False
        return self.releases.last < release
