# The client sends a `protocol` message and then commands; each command is answered by any number
# of messages and one `release` (Perforce API source client/client.cc, rpc/rpc.cc). Nothing is
# locked during a command, so a trigger may run p4 commands on the same server.

from __future__ import annotations

import contextlib
import time
from typing import TYPE_CHECKING

from p4warden_sandbox import access
from p4warden_sandbox.call import Call, Server
from p4warden_sandbox.commands import COMMANDS, UNSUPPORTED_COMMANDS, main_name
from p4warden_sandbox.commands.server import services
from p4warden_sandbox.message_stack import CommandError
from p4warden_sandbox.messages import (
    COMMAND_CANCELLED,
    NOT_IN_SANDBOX,
    UNICODE_CLIENT,
    UNICODE_SERVER,
    UNKNOWN_COMMAND,
)
from p4warden_sandbox.names import admitted, check_client
from p4warden_sandbox.printing_triggers import AFTER, BEFORE, PrintedReply, do_print
from p4warden_sandbox.reply import Reply
from p4warden_sandbox.tracking import append_to_log, track_output
from p4warden_sandbox.trigger_run import TriggerRunner
from p4warden_sandbox.trigger_variables import CommandFacts, variables
from p4warden_sandbox.wire import DisconnectedError, Message, Wire, WireError

if TYPE_CHECKING:
    from collections.abc import Callable

    from p4warden_sandbox.running_commands import RunningCommand
    from p4warden_sandbox.store import Store

_COMMAND = "user-"
_RELEASE = "release2"
# As real servers of the supported releases send them.
_XFILES = "7"
_SERVER = "3"
# On an edge server that forwards a command to the sandbox (variant `forwarded=twice`).
_EDGE = {"serverid": "edge", "servername": "edge", "serverservices": "edge-server"}


class Session:
    def __init__(self, server: Server, wire: Wire, peer_ip: str) -> None:
        self._server = server
        self._settings = server.settings
        self._wire = wire
        self._peer_ip = peer_ip
        self._client_level = "0"
        self._proofs: dict[str, int] = {}
        self._charset_fits = False
        self._is_tracked = False
        self._with_definitions = False
        self._triggers = TriggerRunner(server.trigger_host)
        self._number = server.running_commands.new_number()

    def run(self) -> None:
        with (
            contextlib.closing(self._triggers),
            contextlib.suppress(DisconnectedError, WireError),
        ):
            while (message := self._wire.read()).func != _RELEASE:
                self._answer(message)
                self._wire.flush()

    def _answer(self, message: Message) -> None:
        if message.func == "protocol":
            self._client_level = message.text("client")
            self._is_tracked = message.get("track") is not None
            self._with_definitions = message.get("specstring") is not None
            self._wire.write(self._protocol())
        elif message.func.startswith(_COMMAND):
            started_s = time.monotonic()
            self._server.files.rows_read()
            self._command(message)
            self._track(message, time.monotonic() - started_s)
            self._wire.write(Message.of("release"))

    def _track(self, request: Message, elapsed_s: float) -> None:
        output = track_output(elapsed_s, self._server.files.rows_read())
        defects, log = self._settings.defects, self._settings.log
        if self._is_tracked and not {"clients-untracked", "untracked"} & {*defects}:
            self._wire.write(Message.of("client-OutputText", {"data": output}))
        if log and self._server.store.configurables["track"] > 0 and "untracked" not in defects:
            append_to_log(log, request, self._peer_ip, output)

    def _protocol(self) -> Message:
        """A flag that is set is an entry with an empty value; one that is not set has no entry."""
        settings = self._settings
        flags = {"nocase": not settings.case_sensitive, "unicode": settings.unicode}
        server_id = self._server.store.configurables.server_id
        identity = {"serverID": server_id} if server_id else {}
        return Message.of(
            "protocol",
            {
                "xfiles": _XFILES,
                "server": _SERVER,
                "server2": str(settings.server_version.level),
                **identity,
                "revver": "9",
                "tzoffset": "0",
                "serverAddress": self._server.facts.address,
                "security": str(self._server.store.configurables["security"]),
                **{name: "" for name, is_set in flags.items() if is_set},
            },
        )

    def _command(self, request: Message) -> None:
        tagged = request.get("tag") is not None
        kind = PrintedReply if do_print(self._settings, request) else Reply
        reply = kind(self._wire, tagged=tagged, with_definitions=self._with_definitions)
        command = request.func.removeprefix(_COMMAND)
        try:
            self._check_charset(command, request)
            run = _implementation(command)
            request = admitted(request, self._settings.variant("odd-names"))
            if not access.needs_no_login(command):
                check_client(request.text("client"))
            call = self._call(request, reply, command)
            started_s = time.monotonic() - self._settings.aged_s
            commands = self._server.running_commands
            with commands.registered(self._number, request, started_s) as own:
                self._run(command, run, call, own)
        except CommandError as error:
            reply.say_all(error.stack)

    def _run(
        self, command: str, run: Callable[[Call], None], call: Call, own: RunningCommand
    ) -> None:
        # There is no pre-user-info trigger (P4 Server Administration Guide, "Triggering before or
        # after commands").
        late = self._settings.behaves("authentication", "after-triggers")
        if not late:
            self._identify(command, call)
        if command not in {"info", "discover"}:
            self._run_triggers("pre", call)
        if late:
            self._identify(command, call)
        try:
            self._end_if_marked(own)
            run(call)
            self._end_if_marked(own)
        except CommandError:
            if self._settings.behaves("post-user-triggers", "after-all"):
                self._run_triggers("post", call)
            raise
        if command != "discover":
            self._run_triggers("post", call)

    def _run_triggers(self, phase: str, call: Call) -> None:
        if "quoted-programs-pass" in self._settings.defects and '"' in call.request.text("prog"):
            return
        event = f"{phase}-{call.variables['command']}"
        for hop in self._hops():
            call.reply.trigger_outputs(self._triggers.command(event, {**call.variables, **hop}))
        if do_print(self._settings, call.request):
            call.reply.trigger_outputs([BEFORE if phase == "pre" else AFTER])

    def _hops(self) -> list[dict[str, str]]:
        """One dictionary of replaced variables for each server that a command passes through."""
        hop: dict[str, str] = {}
        return [_EDGE, hop] if self._settings.behaves("forwarded", "twice") else [hop]

    def _check_charset(self, name: str, request: Message) -> None:
        """An agreement lasts for the connection (inferred from P4Python's tests)."""
        has_charset = request.get("unicode") is not None
        if self._charset_fits or name == "discover":
            return
        if has_charset != self._settings.unicode:
            raise CommandError(UNICODE_CLIENT if has_charset else UNICODE_SERVER)
        self._charset_fits = True

    def _call(self, request: Message, reply: Reply, command: str) -> Call:
        store, settings = self._server.store, self._settings
        name = main_name(command) if settings.behaves("command-name", "main") else command
        groups = _groups(store, request.text("user"), settings.variant("groups"))
        facts = CommandFacts(request, name, self._peer_ip, self._client_level, groups)
        server_id = store.configurables.server_id
        server = self._server.facts._replace(
            server_id=server_id, services=services(store, server_id)
        )
        values = variables(server, facts, store.pressure, settings)
        return Call(self._server, self._triggers, request, reply, values, self._peer_ip)

    def _identify(self, command: str, call: Call) -> None:
        """Once for each user on a connection; again after the user's logins become invalid."""
        user = call.store.fold(call.user)
        version = self._server.accounts.version(user)
        if not access.is_open(call, command) and self._proofs.get(user) != version:
            access.admit(call, command)
            self._proofs[user] = version

    def _end_if_marked(self, own: RunningCommand) -> None:
        """A real server checks more often, and no document says where."""
        if own.mark.is_set() and "marks-ignored" not in self._settings.defects:
            raise CommandError(COMMAND_CANCELLED)


def _groups(store: Store, user: str, way: str) -> str:
    """`way` is a value of the variant `groups`."""
    if way == "direct":
        return " ".join(sorted(store.groups_listing({user}, "Users")))
    return ("," if way == "commas" else " ").join(store.groups_of(user))


def _implementation(name: str) -> Callable[[Call], None]:
    """Refuse a real server's command only when it runs, so its pre-user triggers run first."""
    if name in COMMANDS:
        return COMMANDS[name]
    if name in UNSUPPORTED_COMMANDS:
        return _refuse
    raise CommandError(UNKNOWN_COMMAND)


def _refuse(call: Call) -> None:
    raise CommandError(NOT_IN_SANDBOX, what=call.request.func.removeprefix(_COMMAND))
