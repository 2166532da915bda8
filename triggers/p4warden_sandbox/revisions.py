from __future__ import annotations

import re
from typing import NamedTuple

from p4warden_sandbox.file_messages import (
    BAD_REVISION,
    NO_FILES_AT_CHANGE,
    NO_FILES_AT_REVISION,
    NO_SUCH_FILES,
)
from p4warden_sandbox.message_stack import CommandError, MessageId
from p4warden_sandbox.messages import NOT_IN_SANDBOX

_REVISION_STARTS = re.compile(r"(?=[#@])")
_SUFFIX = re.compile(r"(#|@=?)([0-9]{1,18})")
_RANGE = re.compile(r"@([0-9]{1,18}),@?([0-9]{1,18})")
_FEW_CHANGES = 1000


class Revision(NamedTuple):
    """`change` is 0 in a spec depot; `content` is None until the submitting client has sent it."""

    file: str
    number: int
    change: int
    action: str
    type: str
    time_s: int
    content: bytes | None

    @property
    def is_deleted(self) -> bool:
        return self.action == "delete"


class RevisionSuffix(NamedTuple):
    """`kind` is empty (head), `none`, `#`, `@`, `@=`, or `,` for `number` to `last_number`."""

    kind: str = ""
    number: int = 0
    last_number: int = 0

    @property
    def changes(self) -> range | None:
        """Changelists whose files are searched; None for all, also for over 1,000 of them."""
        if self.kind == "@=":
            return range(self.number, self.number + 1)
        if self.kind == "," and self.last_number - self.number < _FEW_CHANGES:
            return range(self.number, self.last_number + 1)
        return None

    def pick(self, history: tuple[Revision, ...]) -> Revision | None:
        """`history` is sorted oldest first."""
        return next((revision for revision in reversed(history) if self._means(revision)), None)

    def _means(self, revision: Revision) -> bool:
        if self.kind == "#":
            return revision.number == self.number
        if self.kind == ",":
            return self.number <= revision.change <= self.last_number
        if self.kind == "@":
            return revision.change <= self.number
        return self.kind == "" or (self.kind == "@=" and revision.change == self.number)

    @property
    def no_file_message(self) -> MessageId:
        at_change = dict.fromkeys(("@", "@=", ","), NO_FILES_AT_CHANGE)
        return {"#": NO_FILES_AT_REVISION, **at_change}.get(self.kind, NO_SUCH_FILES)


def split_revision(argument: str) -> tuple[str, RevisionSuffix]:
    """Split off a revision suffix (`p4 help revisions`); raise CommandError for a bad one."""
    path, suffix = [*_REVISION_STARTS.split(argument, maxsplit=1), ""][:2]
    if suffix in {"", "#head"}:
        return path, RevisionSuffix()
    if suffix in {"#0", "#none"}:
        return path, RevisionSuffix("none")
    if match := _SUFFIX.fullmatch(suffix):
        return path, RevisionSuffix(match[1], int(match[2]))
    if match := _RANGE.fullmatch(suffix):
        return path, RevisionSuffix(",", int(match[1]), int(match[2]))
    if suffix in {"#", "@"}:
        raise CommandError(BAD_REVISION, arg=suffix)
    raise CommandError(NOT_IN_SANDBOX, what=f"files{suffix}")
