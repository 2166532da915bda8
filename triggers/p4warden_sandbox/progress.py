# Perforce API source client/clientprog.h; client/clientservice.cc, clientProgress.

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from p4warden_sandbox.call import Call

_FILES_TRANSFERRED, _UNIT_FILES = "3", "2"


class Progress:
    def __init__(self, call: Call, total: int) -> None:
        self._reply = call.reply
        self._total = total
        self.is_requested = call.request.get("progress") is not None

    def update(self, done: int) -> None:
        """Report to a client that requested it (`p4 -I`); the last file's ends its display."""
        if not self.is_requested:
            return
        beginning = {"type": _FILES_TRANSFERRED, "desc": "Files", "units": _UNIT_FILES}
        values = {"handle": "progress", "update": str(done)}
        if done == 1:
            values |= {**beginning, "total": str(self._total)}
        if done == self._total:
            values["done"] = "0"
        self._reply.call_client("client-Progress", values)
