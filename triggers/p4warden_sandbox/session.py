"""One client's connection: the conversation around its commands.

The client sends `protocol` and then commands; each is answered by any number of messages and one
`release`. Nothing is locked between or during commands, so a trigger may call back. (Perforce API
source client/client.cc, rpc/rpc.cc.)
"""

from __future__ import annotations

import contextlib
import time
from typing import TYPE_CHECKING

from p4warden_sandbox import login
from p4warden_sandbox.call import Call, Server
from p4warden_sandbox.commands import COMMANDS, KNOWN_ELSEWHERE
from p4warden_sandbox.commands.server import services
from p4warden_sandbox.message_stack import CommandError
from p4warden_sandbox.messages import (
    NOT_IN_SANDBOX,
    TRIGGER_OUTPUT,
    UNICODE_CLIENT,
    UNICODE_SERVER,
    UNKNOWN_COMMAND,
)
from p4warden_sandbox.reply import Reply
from p4warden_sandbox.trigger_variables import CommandFacts, variables
from p4warden_sandbox.wire import Disconnected, Message, Wire, WireError

if TYPE_CHECKING:
    from collections.abc import Callable

_COMMAND = "user-"
_LEFT = "release2"
# The protocol levels of client and server themselves, as servers of this age send them.
_XFILES = "7"
_SERVER = "3"


class Session:
    """The conversation on one connection."""

    def __init__(self, server: Server, wire: Wire, peer_ip: str) -> None:
        self._server = server
        self._wire = wire
        self._peer_ip = peer_ip
        self._client_level = "0"
        self._proven_users: set[str] = set()

    def run(self) -> None:
        """Answer the client until it leaves or speaks nonsense."""
        with contextlib.suppress(Disconnected, WireError):
            while (message := self._wire.read()).func != _LEFT:
                self._answer(message)
                self._wire.flush()

    def _answer(self, message: Message) -> None:
        if message.func == "protocol":
            self._client_level = message.text("client")
            self._wire.write(self._protocol())
        elif message.func.startswith(_COMMAND):
            self._command(message)
            self._wire.write(Message.of("release"))

    def _protocol(self) -> Message:
        """Return what this server is; flags are there or not, their value is empty."""
        settings = self._server.settings
        flags = {"nocase": not settings.case_sensitive, "unicode": settings.unicode}
        return Message.of(
            "protocol",
            {
                "xfiles": _XFILES,
                "server": _SERVER,
                "server2": str(settings.server_version.level),
                "serverID": settings.server_id,
                "revver": "9",
                "tzoffset": "0",
                "serverAddress": self._server.facts.address,
                "security": "0",
                **{name: "" for name, is_set in flags.items() if is_set},
            },
        )

    def _command(self, request: Message) -> None:
        """Run one command and its triggers; what fails goes to the client."""
        reply = Reply(self._wire, tagged=request.get("tag") is not None)
        name = request.func.removeprefix(_COMMAND)
        try:
            self._check_charset(name, request)
            run = _implementation(name)
            call = self._call(request, reply)
            with self._server.running.noted(request, time.monotonic()):
                if name not in login.OPEN_COMMANDS:
                    self._identify(call)
                self._run(name, run, call)
        except CommandError as error:
            reply.say_all(error.stack)

    def _run(self, name: str, run: Callable[[Call], None], call: Call) -> None:
        """Run the command between its triggers.

        There is no pre-user-info (P4 Server Administration Guide, "Triggering before or after
        commands"). That post triggers wait for a command that went well, and lack its arguments,
        is inferred.
        """
        if name not in {"info", "discover"}:
            self._run_triggers(f"pre-user-{name}", call)
        run(call)
        if name != "discover":
            self._run_triggers(f"post-user-{name}", call)

    def _run_triggers(self, event: str, call: Call) -> None:
        for output in self._server.triggers.command(event, call.variables):
            call.reply.say(TRIGGER_OUTPUT, result=output)

    def _check_charset(self, name: str, request: Message) -> None:
        has_charset = request.get("unicode") is not None
        if name == "discover" or has_charset == self._server.settings.unicode:
            return
        raise CommandError(UNICODE_CLIENT if has_charset else UNICODE_SERVER)

    def _call(self, request: Message, reply: Reply) -> Call:
        store = self._server.store
        groups = store.groups_of(request.text("user"))
        facts = CommandFacts(request, self._peer_ip, self._client_level, groups)
        server = self._server.facts
        server = server._replace(services=services(store, server.server_id))
        known = variables(server, facts, store.pressure)
        return Call(self._server, request, reply, known, self._peer_ip)

    def _identify(self, call: Call) -> None:
        """Have the client prove who it is, once for each user on a connection."""
        user = call.store.fold(call.user)
        if user not in self._proven_users:
            login.prove(call)
            self._proven_users.add(user)


def _implementation(name: str) -> Callable[[Call], None]:
    """Return what runs a command.

    A command the real server has and this one lacks is refused only when it comes to run it: its
    triggers are real.

    Raises:
        CommandError: no server knows it.
    """
    if name in COMMANDS:
        return COMMANDS[name]
    if name in KNOWN_ELSEWHERE:
        return _refuse
    raise CommandError(UNKNOWN_COMMAND)


def _refuse(call: Call) -> None:
    raise CommandError(NOT_IN_SANDBOX, what=call.request.func.removeprefix(_COMMAND))
