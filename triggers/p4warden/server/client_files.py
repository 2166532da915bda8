# Values are bytes, because a server without unicode may have names that are not UTF-8. Rows are
# passed on one by one, because a client may have a million files.

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import P4

from p4warden.server.questions import ask

if TYPE_CHECKING:
    from collections.abc import Callable

    Row = dict[str, Any]

_MAX_CHANGES = 10_000


class ClientFiles:
    """`commands` are the numbers of queries sent so far, by p4 command, such as `have`."""

    def __init__(self, p4: P4.P4, wait: Callable[[], None]) -> None:
        """`wait` delays each query, so that the load stays low."""
        self._p4 = p4
        self._wait = wait
        self.commands: Counter[str] = Counter()
        self.rows = 0

    def have(self, client: str, host: str | None, visit: Callable[[bytes, bytes], None]) -> None:
        """Call `visit` with depot and client path; `host` is the form's, None for this host."""
        with self._p4.saved_context(client=client, host=host or self._p4.host):
            self._visit_rows(lambda row: visit(row["depotFile"], row["clientFile"]), "have")

    def opened(self, client: str, visit: Callable[[bytes, bytes], None]) -> None:
        """Call `visit` with depot path and client path of each file."""
        self._visit_rows(
            lambda row: visit(row["depotFile"], row["clientFile"]), "opened", "-a", "-C", client
        )

    def below(self, directory: bytes, most: int, visit: Callable[[bytes], None]) -> int:
        """List at most `most` files, deleted ones included; return their number."""
        before = self.rows
        path = b"%s..." % directory
        self._visit_rows(lambda row: visit(row["depotFile"]), "files", "-m", str(most), path)
        return self.rows - before

    def submitted(
        self, client: str, since: str, visit: Callable[[int, int, list[bytes]], None]
    ) -> None:
        """Visit at most `_MAX_CHANGES` changelists since a day, `YYYY/MM/DD`.

        `visit` gets the number, the time in seconds since the epoch, and the files.
        """
        changes: list[tuple[int, int]] = []
        words = "-s", "submitted", "-c", client, "-m", str(_MAX_CHANGES), f"@{since},@now"
        self._visit_rows(
            lambda row: changes.append((int(row["change"]), int(row["time"]))), "changes", *words
        )
        for number, time_s in changes:
            visit(number, time_s, self._files_of_change(number))

    def _files_of_change(self, number: int) -> list[bytes]:
        files: list[bytes] = []
        self._visit_rows(lambda row: files.append(row["depotFile"]), "files", f"//...@={number}")
        return files

    def _visit_rows(
        self, visit: Callable[[Row], object], command: str, *words: str | bytes
    ) -> None:
        self._wait()
        self.commands[command] += 1
        handler = _Rows(self, visit)
        with self._p4.saved_context(encoding="raw"), self._p4.using_handler(handler):
            ask(self._p4, command, *words)
        if handler.problem:
            raise handler.problem


class _Rows(P4.OutputHandler):
    def __init__(self, files: ClientFiles, visit: Callable[[Row], object]) -> None:
        super().__init__()
        self._files, self._visit = files, visit
        self.problem: Exception | None = None

    def outputStat(self, h: Row) -> int:  # noqa: N802 - P4Python's name
        """P4Python would swallow an exception, so it is raised after the command has ended."""
        self._files.rows += 1
        try:
            self._visit(h)
        except Exception as problem:  # noqa: BLE001 - P4Python would swallow it
            self.problem = self.problem or problem
            return P4.OutputHandler.HANDLED | P4.OutputHandler.CANCEL
        return P4.OutputHandler.HANDLED
