from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

from p4warden.core.errors import P4WardenError
from p4warden.core.printable import printable
from p4warden.core.server_dates import server_time_s
from p4warden.health import BAD, GOOD, UNKNOWN, WARNING, Check
from p4warden.health.steps import step
from p4warden.home import active_policy, server_account
from p4warden.server import error_advice, other_servers
from p4warden.server.other_servers import EXCLUDED, NO_TRIGGERS, READY
from p4warden.server.questions import ask
from p4warden.server.table_form import receives_the_table, server_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    import P4

    from p4warden.health import CheckedInstallation
    from p4warden.server.other_servers import OtherServer

MAX_SKEW_S = 60
NAME, _OTHERS = "server", "other servers"


def checks(place: CheckedInstallation) -> Iterator[Check]:
    """Yield results of checking the server; without a connection, one check.

    It is no failure where a home needs no account, because it has the facts of `p4warden share`.
    """
    if place.p4 is None:
        yield _unreached(place)
        return
    server = server_of(place.p4)
    line = f"{server.port}, {server.version or 'version unknown'}"
    yield Check(NAME, GOOD, line)
    yield _clock(place, place.p4)
    yield from _other_servers(place, place.p4)


def try_without_p4warden(port: str) -> str:
    """Return the step that tells whether a server answers at an address."""
    words = "p4warden is not the cause; whether p4d runs and listens there, this shows"
    return step(words, shlex.join(["p4", "-p", port, "info"]))


def _unreached(place: CheckedInstallation) -> Check:
    problem, remedy = place.unconnected.problem, place.unconnected.remedy
    try:
        known = server_account.read(place.home)
    except server_account.AccountError:
        state = UNKNOWN if active_policy.needs_no_account(place.home) else BAD
        advice = "specify the server with --port or P4PORT, the account with --user or P4USER"
        return Check(NAME, state, str(place.unconnected), advice)
    port, asked = str(known["port"]), problem.split(": ", 1)[0].rpartition("@")[2]
    if asked != port:
        line = f"{problem}; users notice nothing of that: triggers ask {port}"
        return Check(NAME, BAD, line, _on_record(place, known, remedy))
    if error_advice.is_unreached(remedy):
        return Check(NAME, BAD, problem, try_without_p4warden(port))
    return Check(NAME, BAD, problem, error_advice.command_in(remedy) or remedy or None)


def _on_record(place: CheckedInstallation, known: dict[str, Any], remedy: str) -> str:
    """Return the step that takes the address and account of the last refresh."""
    port, user = str(known["port"]), str(known["user"])
    variable, _, rest = remedy.removeprefix("check ").partition(",")
    doctor = ["p4warden", "doctor", "--home", place.home]
    if variable == "P4PORT" or variable.startswith("P4PORT (it is not set"):
        words = f"change P4PORT to {port}, as of the last refresh"
        names = {"P4PORT": port, "P4USER": user, "P4TICKETS": known["ticket_file"]}
        export = shlex.join(
            ["export", *(f"{name}={value}" for name, value in names.items() if value)]
        )
        return step(words, export, shlex.join(doctor))
    is_set = rest and error_advice.is_unreached(remedy)
    change = f"change {variable} to {port}, as of" if is_set else f"ask {port}, the server of"
    words = f"{change} the last refresh"
    return step(words, shlex.join([*doctor, "--port", port, "--user", user]))


def _clock(place: CheckedInstallation, p4: P4.P4) -> Check:
    date_text = str(ask(p4, "info")[0].get("serverDate", ""))
    server_s = server_time_s(date_text)
    if server_s is None:
        return Check("clock", UNKNOWN, f"the server's date cannot be read: {date_text!r}")
    skew_s = abs(place.now_ns // 10**9 - int(server_s))
    if skew_s > MAX_SKEW_S:
        line = f"the clocks of this host and of the server differ by {skew_s} s"
        return Check("clock", WARNING, line, "run this on the server's host, or set its clock")
    return Check("clock", GOOD, f"{skew_s} s off the server's")


def _other_servers(place: CheckedInstallation, p4: P4.P4) -> Iterator[Check]:
    try:
        others = other_servers.read(p4, place.home)
    except P4WardenError as error:
        yield Check(_OTHERS, UNKNOWN, str(error))
        return
    servers = [server for server in others.servers if server.state != NO_TRIGGERS]
    if not servers:
        yield Check(_OTHERS, GOOD, "no other server runs triggers")
        return
    if receives_the_table(p4):
        ids = ", ".join(printable(server.server_id) for server in servers)
        line = f"{ids}; the server that the table is written on knows which are ready"
        yield Check(_OTHERS, GOOD, line)
        return
    if others.doubt:
        yield Check(_OTHERS, UNKNOWN, printable(others.doubt))
    yield from (_other_server(place, server) for server in servers)


def _other_server(place: CheckedInstallation, server: OtherServer) -> Check:
    about = f"{server.server_id} ({server.services or 'unknown services'})"
    line = printable(f"{about} runs the same triggers table: {server.words()}")
    if server.state == READY:
        return Check(_OTHERS, GOOD, line)
    server_id, home = shlex.quote(server.server_id), shlex.quote(place.home)
    name = f"p4warden deploy plan --home {home}; p4warden deploy apply --home {home}"
    if server.state == EXCLUDED:
        remedy = f"if it is gone, p4 server -d {server_id}; if it is back, make it ready and run "
        return Check(_OTHERS, WARNING, line, f"{remedy}{name} --ready-on {server_id}")
    remedy = "make it ready (docs/servers.md), then run "
    instead = f"(if it is gone: --exclude {server_id} --reason TEXT)"
    return Check(_OTHERS, WARNING, line, f"{remedy}{name} --ready-on {server_id} {instead}")
