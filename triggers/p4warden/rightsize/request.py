"""A request for views: the clients, and the files that must stay."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from p4warden.census import Spec
    from p4warden.rightsize.finder import Question


class Used(NamedTuple):
    """Limits the needed files to those used recently.

    Attributes:
        since_s: files count as used if they are open, or were synced or submitted since this time,
            in seconds since the epoch.
        logs: p4d's logs, which contain the syncs.
    """

    since_s: int
    logs: tuple[str, ...]


class Client(NamedTuple):
    """A client that needs a view, with the facts to judge it by."""

    spec: Spec
    groups: tuple[str, ...]
    question: Question
