# Values are bytes, because a server without unicode may have names that are not UTF-8.

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from p4warden.server.client_settings import require_text
from p4warden.server.questions import visit_rows

if TYPE_CHECKING:
    from collections.abc import Callable

    import P4

    from p4warden.server.reply import Row

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
        require_text("client", client)
        with self._p4.saved_context(client=client, host=host or self._p4.host):
            self._visit(lambda row: visit(row["depotFile"], row["clientFile"]), "have")

    def opened(self, client: str, visit: Callable[[bytes, bytes], None]) -> None:
        """Call `visit` with depot path and client path of each file."""
        self._visit(
            lambda row: visit(row["depotFile"], row["clientFile"]), "opened", "-a", "-C", client
        )

    def below(self, directory: bytes, most: int, visit: Callable[[bytes], None]) -> int:
        """List at most `most` files, deleted ones included; return their number."""
        path = b"%s..." % directory
        return self._visit(lambda row: visit(row["depotFile"]), "files", "-m", str(most), path)

    def submitted(
        self, client: str, since: str, visit: Callable[[int, int, list[bytes]], None]
    ) -> None:
        """Visit at most `_MAX_CHANGES` changelists since a day, `YYYY/MM/DD`.

        `visit` gets the number, the time in seconds since the epoch, and the files.
        """
        changes: list[tuple[int, int]] = []
        words = "-s", "submitted", "-c", client, "-m", str(_MAX_CHANGES), f"@{since},@now"
        self._visit(
            lambda row: changes.append((int(row["change"]), int(row["time"]))), "changes", *words
        )
        for number, time_s in changes:
            visit(number, time_s, self._files_of_change(number))

    def _files_of_change(self, number: int) -> list[bytes]:
        files: list[bytes] = []
        self._visit(lambda row: files.append(row["depotFile"]), "files", f"//...@={number}")
        return files

    def _visit(self, visit: Callable[[Row], object], command: str, *words: str | bytes) -> int:
        self._wait()
        self.commands[command] += 1
        with self._p4.saved_context(encoding="raw"):
            count = visit_rows(self._p4, visit, command, *words)
        self.rows += count
        return count
