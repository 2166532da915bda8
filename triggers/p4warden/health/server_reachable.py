"""Check the Perforce server: whether it answers, its clock, and other servers with triggers."""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING

from P4 import P4Exception

from p4warden.health import BAD, GOOD, UNKNOWN, WARNING, Check
from p4warden.home import active_policy
from p4warden.server.table_form import server_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    import P4

    from p4warden.health import CheckedInstallation

MAX_SKEW_S = 60
# Types of Perforce servers that run triggers for the users who connect to them (p4 help server).
_WITH_TRIGGERS = ("commit-server", "edge-server", "build-server", "workspace-server", "standard")


def checks(place: CheckedInstallation) -> Iterator[Check]:
    """Yield results of checking the server; without a connection, one failed check."""
    if place.p4 is None:
        remedy = (
            "specify the server with --port or P4PORT, the account with --user or P4USER; then "
            "run p4 login"
        )
        yield Check("server", BAD, place.connection_problem, remedy)
        return
    server = server_of(place.p4)
    line = f"{server.port}, {server.version or 'version unknown'}"
    yield Check("server", GOOD, line)
    yield _clock(place, place.p4)
    yield from _other_servers(place, place.p4)


def _clock(place: CheckedInstallation, p4: P4.P4) -> Check:
    """Compare the server's clock with this host's, by which exemptions end and logs are dated."""
    date_text = str(p4.run("info")[0].get("serverDate", ""))
    try:
        server_time = datetime.datetime.strptime(date_text[:25], "%Y/%m/%d %H:%M:%S %z")
    except ValueError:
        return Check("clock", UNKNOWN, f"the server's date cannot be read: {date_text!r}")
    skew_s = abs(place.now_ns // 10**9 - int(server_time.timestamp()))
    if skew_s > MAX_SKEW_S:
        line = f"the clocks of this host and of the server differ by {skew_s} s"
        return Check("clock", WARNING, line, "run this on the server's host, or set its clock")
    return Check("clock", GOOD, f"{skew_s} s off the server's")


def _other_servers(place: CheckedInstallation, p4: P4.P4) -> Iterator[Check]:
    """Yield results about the other servers that run triggers, as listed by `p4 servers`.

    All of them run the same triggers table, and each needs its own home folder.
    """
    try:
        server_id = (p4.run("serverid") or [{}])[0].get("serverID")
        rows = [row for row in p4.run("servers") if row.get("ServerID") != server_id]
    except P4Exception as error:
        yield Check("other servers", UNKNOWN, str(error).strip())
        return
    others = [row for row in rows if row.get("Services") in _WITH_TRIGGERS]
    if not others:
        yield Check("other servers", GOOD, "no other server runs triggers")
        return
    policy = active_policy.policy_if_any(place.home)
    digest = policy.digest[:12] if policy else "the same"
    for row in others:
        line = f"{row['ServerID']} ({row['Services']}) runs the same triggers table"
        remedy = (
            f"install p4warden on its host at the same path, with policy {digest} in "
            f"{place.home}, then run p4warden status there"
        )
        yield Check("other servers", WARNING, line, remedy)
