# The table replicates, programs do not, and p4d refuses a command whose trigger cannot be started
# (P4 Server Administrator Guide, "Triggers and commit-edge").

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, NamedTuple

from P4 import P4Exception

from p4warden.core.trigger_options import FORM
from p4warden.history import local_time
from p4warden.home import named_servers
from p4warden.server.questions import ask, server_id
from p4warden.table import instances
from p4warden.table.services import run_triggers

if TYPE_CHECKING:
    import P4

    from p4warden.home.named_servers import NamedServer
    from p4warden.table.trigger_lines import Installation

UNLISTED = "unlisted"
"""ID that stands for all other servers where `p4 servers` gives no answer."""
READY, EXCLUDED, UNNAMED, NO_TRIGGERS = "ready", "excluded", "unnamed", "no triggers"


class OtherServer(NamedTuple):
    """`address` may be ""; `named` is what an administrator said of it, or None.

    `program` has the paths and the form of the lines that the server must be ready for.
    """

    server_id: str
    services: str
    address: str
    named: NamedServer | None
    program: str

    @property
    def state(self) -> str:
        if self.server_id != UNLISTED and not run_triggers(self.services):
            return NO_TRIGGERS
        if self.named and self.named.reason:
            return EXCLUDED
        return READY if self.named and self.named.program == self.program else UNNAMED

    def words(self) -> str:
        if self.state == NO_TRIGGERS:
            return "runs no triggers"
        if self.named is None:
            return "not named yet"
        time_text = local_time.time_text(self.named.time_s)
        if self.state == EXCLUDED:
            return f"excluded on {time_text} by {self.named.account}: {self.named.reason}"
        by = f"on {time_text} with p4warden {self.named.version} by {self.named.account}"
        if self.state == READY:
            return f"named as ready {by}"
        return f"to be named again: it was named {by}, but for {self.named.program}"


class OtherServers(NamedTuple):
    """`doubt` is a note about the list; "" if there is none."""

    servers: tuple[OtherServer, ...]
    doubt: str

    @property
    def unnamed(self) -> list[str]:
        """IDs of the servers that must be named before p4warden's lines are written."""
        return [server.server_id for server in self.servers if server.state == UNNAMED]


def read(p4: P4.P4, home: str) -> OtherServers:
    """Raise P4WardenError if the home's file of named servers is damaged."""
    named, program = named_servers.load(home), program_of(instances.installed(home))
    rows, doubt = _rows(p4)
    servers = (
        OtherServer(
            row["ServerID"],
            row.get("Services", ""),
            row.get("ExternalAddress") or row.get("Address") or "",
            named.get(row["ServerID"]),
            program,
        )
        for row in rows
    )
    return OtherServers(tuple(servers), doubt)


def program_of(installation: Installation) -> str:
    """Return the paths in an installation's trigger lines and the form of the lines, as text."""
    gate = shlex.quote(installation.gate)
    return f"{gate}, home {installation.home}, trigger lines of format {FORM}"


def ready_for(installation: Installation, policy: str) -> str:
    """Return what a ready host shows in `p4warden status`; `policy` is the policy's digest."""
    return f"{program_of(installation)}, policy {policy[:12]}"


def _rows(p4: P4.P4) -> tuple[list[dict[str, str]], str]:
    try:
        rows = [row for row in ask(p4, "servers") if row.get("ServerID")]
    except P4Exception as error:
        problem = (error.errors or [str(error)])[0].strip()
        doubt = (
            f"p4 servers gave no answer ({problem}), so the other servers are unknown; "
            f"{UNLISTED} stands for all of them."
        )
        return [{"ServerID": UNLISTED}], doubt
    own_id = server_id(ask(p4, "info")[0])
    if rows and not own_id:
        doubt = (
            "this server has no server ID, so one of these may be this server itself; name that "
            "one as well."
        )
        return rows, doubt
    return [row for row in rows if row["ServerID"] != own_id], ""
