"""Numbers of a server beside its settings; None if unknown."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence


class Workspace(NamedTuple):
    """A client; `files` and `revisions` are those that its view spans."""

    name: str
    owner: str
    files: int
    revisions: int


class LargestMemory(NamedTuple):
    """Of the command of a user that took most memory."""

    megabytes: int
    command: str
    user: str


class LogUse(NamedTuple):
    """Commands of users in the database of `p4warden log load`.

    `locks` counts commands over the highest recommended MaxLockTime, and their users; None if the
    log has no such facts. `pauses` are commands that p4d paused, and for how many seconds.
    """

    most_at_once: int
    locks: tuple[int, int] | None
    syncs: int
    sync_users: int
    p4v_commands: int
    pauses: tuple[int, float]
    memory: LargestMemory | None
    oldest_client: tuple[int, int] | None  # its release


class Site(NamedTuple):
    files: int | None = None
    revisions: int | None = None
    workspaces: Sequence[Workspace] = ()
    log: LogUse | None = None
