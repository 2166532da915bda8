from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from p4warden.core.errors import P4WardenError
from p4warden.core.plural import amount
from p4warden.core.printable import cut
from p4warden.health import GOOD, UNKNOWN, WARNING, Check
from p4warden.history.local_time import minute_text
from p4warden.home.old_lines import accounts, last_digest
from p4warden.server import deployment, table_form
from p4warden.table import instances

if TYPE_CHECKING:
    from collections.abc import Iterator

    from p4warden.health import CheckedInstallation

_PAST_S = 86400
_MAX_USERS = 10


def checks(place: CheckedInstallation) -> Iterator[Check]:
    """Check, by the gate's records of the last 24 hours, for calls of outdated trigger lines."""
    try:
        last_calls = accounts(place.home, place.now_ns / 10**9 - _PAST_S, _digest_now(place))
    except P4WardenError as error:
        yield Check("old lines", UNKNOWN, str(error))
        return
    if not last_calls:
        yield Check("old lines", GOOD, "not used within a day")
        return
    ranking = sorted(last_calls, key=lambda user: -last_calls[user])
    first = [
        f"{cut(user)} (last {minute_text(last_calls[user])})" for user in ranking[:_MAX_USERS]
    ]
    more = [f"{len(ranking) - _MAX_USERS} more"] if len(ranking) > _MAX_USERS else []
    line = f"{amount(len(last_calls), 'account')} used one within a day: {', '.join(first + more)}"
    remedy = (
        "their connections are older than the table: have these users reconnect, "
        "for example by closing P4V; leave the programs and the home folder in place until then"
    )
    yield Check("old lines", WARNING, line, remedy)


def _digest_now(place: CheckedInstallation) -> str | None:
    if place.p4 is not None:
        with contextlib.suppress(P4WardenError):
            line_owner = instances.installed(place.home).owner
            return deployment.digest_of_table(table_form.read_form(place.p4), line_owner)
    return last_digest(place.home)
