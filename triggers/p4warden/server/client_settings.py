from __future__ import annotations

import P4

from p4warden.core.errors import P4WardenError
from p4warden.core.own_names import OWN_CLIENT
from p4warden.core.printable import cut

_OPTIONS = {"port": "--port or P4PORT", "user": "--user or P4USER", "ticket_file": "P4TICKETS"}


def new_connection(settings: dict[str, str]) -> P4.P4:
    """Return a connection that is not open yet; P4WardenError if a variable has a bad value.

    Its client is p4warden's own, which need not exist: a host's name, the default, may be one that
    p4d refuses (purely numeric).
    """
    for name, value in settings.items():
        require_text(_OPTIONS[name], value)
    try:
        return P4.P4(client=OWN_CLIENT, **settings)
    except (P4.P4Exception, SystemError, TypeError, ValueError) as error:
        from p4warden.server.setting_places import bad_setting  # noqa: PLC0415 - as in `connection`

        raise P4WardenError(bad_setting(str(error.__cause__ or error))) from error


def require_text(name: str, value: str) -> None:
    """Raise P4WardenError for text that is not UTF-8, which ends P4Python with a signal."""
    try:
        value.encode("utf-8")
    except UnicodeEncodeError as error:
        raise P4WardenError(f"{name}: {cut(value)} is not UTF-8; write it in UTF-8") from error
