"""The depots that were let through and that the server does not list yet.

p4d stores a depot after its triggers have passed, so two creations at once would each count the
server's depots without the other. Here each waits for the one before it to be judged, and counts
the depots let through in the last minute as if they were there. So of two creations at once on one
server none goes unseen; one that p4d itself then refuses keeps its place for that minute. Servers
of a commit-edge installation each have a home folder of their own and do not see each other's.
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
KEPT_S = 60
WAIT_S = 1.0


class Admitted:
    """The file, held by this process."""

    def __init__(self, descriptor: int, now_s: int) -> None:
        """Read the file; ignore old entries, and all content from the first damaged entry on."""
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
def held(home: str, now_s: int) -> Iterator[Admitted]:
    """Yield the file of a home folder, held by this process.

    Raises:
        Busy: others held it for over `WAIT_S`.
        HomeError: it cannot be opened.
    """
    with locks.held(home, FILE_NAME, WAIT_S) as descriptor:
        yield Admitted(descriptor, now_s)
