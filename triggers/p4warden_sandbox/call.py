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
    """`variables` are values for trigger lines by name, such as `user`."""

    server: Server
    triggers: TriggerRunner
    request: Message
    reply: Reply
    variables: Mapping[str, str]
    peer_ip: str

    @property
    def store(self) -> Store:
        return self.server.store

    def behaves(self, name: str, value: str) -> bool:
        return self.server.settings.behaves(name, value)

    @property
    def user(self) -> str:
        return self.request.text("user")

    @property
    def client(self) -> str:
        """It need not exist."""
        return self.request.text("client")

    @property
    def is_super(self) -> bool:
        return self.store.is_super(self.user)

    def require_super(self) -> None:
        if not self.is_super:
            raise CommandError(NO_PERMISSION)
