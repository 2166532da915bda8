"""The context of one p4 command on the sandbox: request, server state, and reply to the client."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from p4warden_sandbox.message_stack import CommandError
from p4warden_sandbox.messages import NO_PERMISSION

if TYPE_CHECKING:
    from collections.abc import Mapping

    from p4warden_sandbox.accounts import Accounts
    from p4warden_sandbox.depot_files import DepotFiles
    from p4warden_sandbox.have_list import HaveList
    from p4warden_sandbox.open_files import OpenFiles
    from p4warden_sandbox.reply import Reply
    from p4warden_sandbox.running_commands import RunningCommands
    from p4warden_sandbox.settings import Settings
    from p4warden_sandbox.store import Store
    from p4warden_sandbox.trigger_run import TriggerHost, TriggerRunner
    from p4warden_sandbox.trigger_variables import ServerFacts
    from p4warden_sandbox.wire import Message


@dataclass(frozen=True)
class Server:
    """State and services that all commands on one sandbox server share."""

    settings: Settings
    facts: ServerFacts
    store: Store
    files: DepotFiles
    open_files: OpenFiles
    have: HaveList
    running_commands: RunningCommands
    accounts: Accounts
    trigger_host: TriggerHost
    started_s: float


@dataclass(frozen=True)
class Call:
    """One p4 command of a client on the sandbox, with the server's state and the reply.

    `variables` are values for trigger lines such as `%user%`, without the percent signs; `peer_ip`
    is the client's IP address.
    """

    server: Server
    triggers: TriggerRunner
    request: Message
    reply: Reply
    variables: Mapping[str, str]
    peer_ip: str

    @property
    def store(self) -> Store:
        """The sandbox server's stored data, such as forms, counters and configurables."""
        return self.server.store

    def behaves(self, name: str, value: str) -> bool:
        """Tell whether the sandbox runs with this value of a variant.

        The variants are listed in `variant_definitions.py`.
        """
        return self.server.settings.behaves(name, value)

    @property
    def user(self) -> str:
        """Name of the user who runs the p4 command."""
        return self.request.text("user")

    @property
    def client(self) -> str:
        """Name of the client workspace that the p4 command uses; it need not exist."""
        return self.request.text("client")

    @property
    def is_super(self) -> bool:
        """Whether the user who sent the p4 command has super access on the sandbox."""
        return self.store.is_super(self.user)

    def require_super(self) -> None:
        """Raise unless the user who sent the p4 command is a super user.

        Raises:
            CommandError: the user has no super access.
        """
        if not self.is_super:
            raise CommandError(NO_PERMISSION)
