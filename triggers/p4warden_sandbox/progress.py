"""Report the progress of a p4 command to a client that displays it.

(Perforce API source client/clientprog.h; client/clientservice.cc, clientProgress.)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from p4warden_sandbox.call import Call

_FILES_TRANSFERRED, _UNIT_FILES = "3", "2"


class Progress:
    """Reporter of the progress of one p4 command: the number of finished files of a total."""

    def __init__(self, call: Call, total: int) -> None:
        self._reply = call.reply
        self._total = total
        self.is_requested = call.request.get("progress") is not None

    def update(self, done: int) -> None:
        """Send the number of finished files to a client that requested progress (`p4 -I`).

        The report of the last file ends the client's display.
        """
        if not self.is_requested:
            return
        beginning = {"type": _FILES_TRANSFERRED, "desc": "Files", "units": _UNIT_FILES}
        values = {"handle": "progress", "update": str(done)}
        if done == 1:
            values |= {**beginning, "total": str(self._total)}
        if done == self._total:
            values["done"] = "0"
        self._reply.call_client("client-Progress", values)
