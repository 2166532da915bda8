"""Parts of a request for narrower client views: the clients, and which files to keep mapped."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from p4warden.census import Spec
    from p4warden.rightsize.finder import Question


class RecentUse(NamedTuple):
    """Condition by which files count as used recently; a narrower view may lack all others.

    Attributes:
        since_s: files count as used if they are open, or were synced or submitted since this time,
            in seconds since the epoch.
        logs: paths of p4d's logs, which contain the syncs.
    """

    since_s: int
    logs: tuple[str, ...]


class Client(NamedTuple):
    """A client that needs a narrower view: spec, owner's groups, view limits and synced paths."""

    spec: Spec
    groups: tuple[str, ...]
    question: Question
