from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden.core.errors import P4WardenError
from p4warden.server.connection import connected
from p4warden.server.questions import setting

if TYPE_CHECKING:
    from p4warden.server.connection import Address

WITHIN_S = 5
_PROVEN = 3
"""From this value of the configurable `security` on, each user proves a password with a ticket."""


def are_names_proven(address: Address) -> bool:
    """Tell whether users must prove their names; False if the server does not say so."""
    try:
        with connected(address, WITHIN_S) as p4:
            level = setting(p4, "security") or ""
    except P4WardenError:
        return False
    return level.isdecimal() and int(level) >= _PROVEN
