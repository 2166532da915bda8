"""Revisions of depot files, and parsing of revision suffixes such as `#3` or `@=12`."""

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
    """One revision of a depot file.

    `change` is 0 in a spec depot; `content` is None until the submitting client has sent it.
    """

    file: str
    number: int
    change: int
    action: str
    type: str
    time_s: int
    content: bytes | None

    @property
    def is_deleted(self) -> bool:
        """Whether this revision of a depot file is its deletion."""
        return self.action == "delete"


class RevisionSuffix(NamedTuple):
    """The revision suffix of a file argument, such as `@=12` in `//depot/...@=12`.

    `kind` is empty (head revision), `none`, `#`, `@`, `@=`, or `,` for the changelists from
    `number` to `last_number`.
    """

    kind: str = ""
    number: int = 0
    last_number: int = 0

    @property
    def changes(self) -> range | None:
        """Numbers of the changelists in a suffix like `@=12` or `@5,9`; None for other suffixes.

        Also None for a range of more than 1,000 changelists. With None all files below a path are
        searched, otherwise only the files of these changelists.
        """
        if self.kind == "@=":
            return range(self.number, self.number + 1)
        if self.kind == "," and self.last_number - self.number < _FEW_CHANGES:
            return range(self.number, self.last_number + 1)
        return None

    def pick(self, history: tuple[Revision, ...]) -> Revision | None:
        """Return a sandbox file's newest revision that this suffix selects; None if there is none.

        `history` has the file's revisions, oldest first.
        """
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
        """Id of the message for a file argument whose revision suffix selects no file."""
        at_change = dict.fromkeys(("@", "@=", ","), NO_FILES_AT_CHANGE)
        return {"#": NO_FILES_AT_REVISION, **at_change}.get(self.kind, NO_SUCH_FILES)


def split_revision(argument: str) -> tuple[str, RevisionSuffix]:
    """Split a file argument into its path and its revision suffix (`p4 help revisions`).

    Raises:
        CommandError: the suffix is invalid, or the sandbox does not support it, such as a label or
            a date.
    """
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
