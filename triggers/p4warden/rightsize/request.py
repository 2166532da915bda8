from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from p4warden.census import Spec
    from p4warden.rightsize.finder import Question


class RecentUse(NamedTuple):
    """By which a narrower view may lack files."""

    since_s: int  # of a sync or submit, since the epoch
    logs: tuple[str, ...]  # of p4d, with the syncs


class Client(NamedTuple):
    spec: Spec
    groups: tuple[str, ...]
    question: Question
