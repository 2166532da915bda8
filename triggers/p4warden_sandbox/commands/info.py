from __future__ import annotations

import time
from typing import TYPE_CHECKING

from p4warden_sandbox import access, dates

if TYPE_CHECKING:
    from p4warden_sandbox.call import Call


def info(call: Call) -> None:
    """Handle `p4 info` on the sandbox: send data about the server and the calling client."""
    facts = _visible_facts(call)
    if call.reply.tagged:
        call.reply.row(facts.items())
        return
    for name, value in facts.items():
        call.reply.line(f"{_LABELS[name]}: {value}")


def _visible_facts(call: Call) -> dict[str, str]:
    """The text of dm.info.hide names name, address and license; root and id are inferred."""
    facts = _facts(call)
    if not call.store.configurables["dm.info.hide"] or access.is_known(call):
        return facts
    return {name: value for name, value in facts.items() if name not in _SENSITIVE}


def _facts(call: Call) -> dict[str, str]:
    server, settings, request = call.server, call.server.settings, call.request
    uptime_s = int(time.monotonic() - server.started_s)
    hours, minutes = divmod(uptime_s // 60, 60)
    facts = {
        "userName": call.user,
        "clientName": call.client,
        "clientCwd": request.text("cwd"),
        "clientHost": request.text("host"),
        "peerAddress": call.peer_ip,
        "clientAddress": call.peer_ip,
        "serverName": call.store.configurables.server_id,
        "serverAddress": server.facts.address,
        "serverRoot": server.facts.root,
        "serverDate": dates.now_with_zone(),
        "serverUptime": f"{hours:02}:{minutes:02}:{uptime_s % 60:02}",
        "serverVersion": server.facts.version_text,
        "serverServices": call.variables["serverservices"],
        settings.variant("info-server-id"): call.store.configurables.server_id,
        "serverLicense": "none",
        "caseHandling": "sensitive" if settings.case_sensitive else "insensitive",
    }
    facts = {name: value for name, value in facts.items() if value or name not in _SERVER_NAMES}
    return facts | ({"unicode": "enabled"} if settings.unicode else {})


_SERVER_NAMES = frozenset({"serverName", "ServerID", "serverID"})
_SENSITIVE = _SERVER_NAMES | {"serverAddress", "serverRoot", "serverLicense"}
_LABELS = {
    "userName": "User name",
    "clientName": "Client name",
    "clientCwd": "Current directory",
    "clientHost": "Client host",
    "peerAddress": "Peer address",
    "clientAddress": "Client address",
    "serverName": "Server name",
    "serverAddress": "Server address",
    "serverRoot": "Server root",
    "serverDate": "Server date",
    "serverUptime": "Server uptime",
    "serverVersion": "Server version",
    "serverServices": "Server services",
    "ServerID": "ServerID",
    "serverID": "ServerID",
    "serverLicense": "Server license",
    "caseHandling": "Case Handling",
    "unicode": "Unicode",
}


def discover(call: Call) -> None:
    """Send nothing: the character set is in the `protocol` message that was already sent."""
    del call
