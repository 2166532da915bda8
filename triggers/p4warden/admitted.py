"""The depots that were let through and that the server does not list yet.

p4d stores a depot after its triggers have passed, so two creations at once would each count the
server's depots without the other. Here each waits for the one before it to be judged, and counts
what was let through in the last minute as if it were there. So of two creations at once on one
server none goes unseen; one that p4d itself then refuses keeps its place for that minute. Servers
of a commit-edge installation each have a home folder of their own and do not see each other's.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import time
from typing import TYPE_CHECKING

from p4warden.errors import P4WardenError
from p4warden.records import Depot

if TYPE_CHECKING:
    from collections.abc import Iterator

    from p4warden.records import Facts

FILE_NAME = "admitted.json"
KEPT_S = 60
WAIT_S = 1.0
_TURN_S = 0.02


class Busy(P4WardenError):  # noqa: N818 - a state of the file, not an error of ours
    """Others have the file for too long."""


class Admitted:
    """The file, held by this process."""

    def __init__(self, descriptor: int, now_s: int) -> None:
        """Read the file; what is no record of ours, or too old, is as if it were not there."""
        self._descriptor = descriptor
        self._now_s = now_s
        self._depots: dict[str, tuple[str, int]] = {}
        with contextlib.suppress(ValueError, TypeError, AttributeError):
            content = os.pread(descriptor, 1 << 20, 0)
            for name, (depot_type, since_s) in json.loads(content).items():
                if 0 <= now_s - since_s < KEPT_S:
                    self._depots[name] = (depot_type, since_s)

    def counted(self, facts: Facts) -> Facts:
        """Return the facts with the depots that were let through."""
        depots = {name: Depot(kind, None, 0) for name, (kind, _) in self._depots.items()}
        return facts._replace(depots={**depots, **facts.depots})

    def add(self, name: str, depot_type: str) -> None:
        """Let a depot through."""
        self._depots[name] = (depot_type, self._now_s)
        content = json.dumps(self._depots).encode()
        os.pwrite(self._descriptor, content, 0)
        os.ftruncate(self._descriptor, len(content))


@contextlib.contextmanager
def held(folder: str, now_s: int) -> Iterator[Admitted]:
    """Yield the file of a home folder, held by this process.

    Raises:
        Busy: others held it for over `WAIT_S`.
        OSError: it cannot be opened.
    """
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(os.path.join(folder, FILE_NAME), flags, 0o600)
    try:
        _lock(descriptor)
        yield Admitted(descriptor, now_s)
    finally:
        os.close(descriptor)


def _lock(descriptor: int) -> None:
    """Take the kernel's lock, which ends with its holder."""
    end_s = time.monotonic() + WAIT_S
    while not _is_locked(descriptor):
        if time.monotonic() > end_s:
            raise Busy(f"{FILE_NAME} was held for over {WAIT_S} s")
        time.sleep(_TURN_S)


def _is_locked(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
