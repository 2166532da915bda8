"""Services of Perforce servers, and which of them run the lines of the triggers table.

The values are sets of bits, from the schema of db.server (zerdlg/p4dlg, r24.1). Bit 1 is set in
every service of a p4d and in no other one; that it stands for running p4 commands, and so command
and form triggers, is inferred.
"""

from __future__ import annotations

import re

SERVICES = {
    "standard": 0x0903,
    "commit-server": 0x2F03,
    "edge-server": 0x19ED,
    "workspace-server": 0x59ED,
    "replica": 0x0945,
    "forwarding-replica": 0x09E5,
    "build-server": 0x094D,
    "standby": 0x8945,
    "forwarding-standby": 0x89E5,
    "depot-master": 0x6F03,
    "depot-standby": 0xC945,
    "local": 0x10003,
    "broker": 0x30,
    "proxy": 0xA0,
    "git-connector": 0x100000,
    "distribution": 0x200000,
}
_P4D = 0x1
_OWNS_TABLE = frozenset({"standard", "commit-server", "depot-master", "local"})


def run_triggers(services: str) -> bool:
    """Tell whether a server with these services, as in `p4 servers`, runs triggers.

    True for unknown services, and for none.
    """
    return any(SERVICES.get(name, _P4D) & _P4D for name in _names(services))


def receive_the_table(services: str) -> bool:
    """Tell whether a server with these services, as in `p4 info`, has its table from another."""
    return bool(services) and not _OWNS_TABLE.intersection(_names(services))


def _names(services: str) -> list[str]:
    return re.split(r"[\s,]+", services.strip().lower())
