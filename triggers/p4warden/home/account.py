from __future__ import annotations

import contextlib
import os
import pwd
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator


class Account(NamedTuple):
    """An account of this host; `name` is its number if it has no name."""

    name: str
    user_id: int
    group_id: int
    groups: tuple[int, ...]

    @property
    def is_own(self) -> bool:
        return self.user_id == os.geteuid()

    @property
    def can_be_taken(self) -> bool:
        return self.is_own or os.geteuid() == 0

    def options(self) -> dict[str, Any]:
        if self.is_own:
            return {}
        return {"user": self.user_id, "group": self.group_id, "extra_groups": [*self.groups]}

    @contextlib.contextmanager
    def acting(self) -> Iterator[None]:
        """Context manager: if root runs this, access files as this account meanwhile.

        Programs are not started meanwhile: they could become root again.
        """
        if self.is_own or os.geteuid() != 0:
            yield
            return
        groups, group_id = os.getgroups(), os.getegid()
        os.setgroups(self.groups)
        os.setegid(self.group_id)
        os.seteuid(self.user_id)
        try:
            yield
        finally:
            os.seteuid(0)
            os.setegid(group_id)
            os.setgroups(groups)

    def may_enter(self, status: os.stat_result) -> bool:
        if self.user_id in (0, status.st_uid):
            return self.user_id == 0 or bool(status.st_mode & 0o100)
        own_group = status.st_gid in (self.group_id, *self.groups)
        return bool(status.st_mode & (0o010 if own_group else 0o001))


def owner_of(path: str) -> Account:
    """Return the account that owns a file or folder.

    Raises:
        OSError: the path cannot be looked at.
    """
    status = Path(path).stat()
    try:
        entry = pwd.getpwuid(status.st_uid)
    except KeyError:
        return Account(str(status.st_uid), status.st_uid, status.st_gid, ())
    groups = tuple(os.getgrouplist(entry.pw_name, entry.pw_gid))
    return Account(entry.pw_name, entry.pw_uid, entry.pw_gid, groups)
