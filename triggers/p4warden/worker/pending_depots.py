"""Depots that passed their trigger recently and may be missing from the server's list.

p4d stores a depot after its triggers have passed, so two simultaneous creations would each count
the server's depots without the other. Therefore such forms are judged one at a time, and depots
allowed in the last minute count as existing, even if p4d itself then refuses them. Servers of a
commit-edge installation have separate home folders and do not see each other's recent depots. The
file keeps each depot for a week, because the gate takes these names for depots' until the next
refresh (`triggers/gate/src/home/pending_depots.rs`).
"""

from __future__ import annotations

import contextlib
import json
import os

from p4warden.core.light_typing import TYPE_CHECKING
from p4warden.core.records import Depot
from p4warden.home import locks

if TYPE_CHECKING:
    from collections.abc import Iterator

    from p4warden.core.records import Facts

FILE_NAME = "admitted.json"
COUNTED_S = 60
KEPT_S = 7 * 24 * 3600
WAIT_S = 1.0


class PendingDepots:
    """The locked file that lists the depots whose forms p4warden's trigger allowed recently."""

    def __init__(self, descriptor: int, now_s: int) -> None:
        """Read the list of recently allowed depots from a locked file.

        Old entries are ignored, and so is everything from the first damaged entry on.
        """
        self._descriptor = descriptor
        self._now_s = now_s
        self._depots: dict[str, tuple[str, int]] = {}
        with contextlib.suppress(ValueError, TypeError, AttributeError):
            content = os.pread(descriptor, 1 << 20, 0)
            for name, (depot_type, since_s) in json.loads(content).items():
                # A trigger that started later may have had the lock first.
                if -COUNTED_S < now_s - since_s < KEPT_S:
                    self._depots[name] = (depot_type, since_s)

    def counted(self, facts: Facts) -> Facts:
        """Return the facts about the server, with the depots added that were allowed recently.

        Unknown depots (none) stay unknown, as the recent ones alone would be too few.
        """
        if not facts.depots:
            return facts
        depots = {
            name: Depot(kind, None, 0)
            for name, (kind, since_s) in self._depots.items()
            if self._now_s - since_s < COUNTED_S
        }
        return facts._replace(depots={**depots, **facts.depots})

    def add(self, name: str, depot_type: str) -> None:
        """Add to the file a depot whose saving p4warden has just allowed."""
        self._depots[name] = (depot_type, self._now_s)
        content = json.dumps(self._depots).encode()
        os.pwrite(self._descriptor, content, 0)
        os.ftruncate(self._descriptor, len(content))


@contextlib.contextmanager
def locked_list(home: str, now_s: int) -> Iterator[PendingDepots]:
    """Lock and yield the home folder's list of depots whose saving was allowed recently.

    Raises:
        LockHeldError: other processes held the lock for more than `WAIT_S` seconds.
        HomeError: the file cannot be opened.
    """
    with locks.file_lock(home, FILE_NAME, WAIT_S) as descriptor:
        yield PendingDepots(descriptor, now_s)
