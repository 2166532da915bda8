"""A request for views: the clients, and which of their files have to stay."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from p4warden.census import Spec
    from p4warden.rightsize.finder import Question


class Used(NamedTuple):
    """Files that were not used lately need not stay.

    Attributes:
        since_s: used are files that are open, or were synced or submitted since, in seconds since
            the epoch.
        logs: p4d's logs, which tell what was synced.
    """

    since_s: int
    logs: tuple[str, ...]


class Client(NamedTuple):
    """A client to find a view for, with everything that it is judged by."""

    spec: Spec
    groups: tuple[str, ...]
    question: Question
