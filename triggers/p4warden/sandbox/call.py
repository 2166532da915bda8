"""One command of one client: what it asks, what the server knows, and how to answer."""

from __future__ import annotations

import getopt
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from p4warden.sandbox.messages import (
    EXTRA_ARGUMENT,
    INVALID_OPTION,
    NEEDS_ARGUMENT,
    NO_PERMISSION,
    NOT_IN_SANDBOX,
    USAGE,
    WRONG_ARGUMENTS,
    CommandError,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from p4warden.sandbox.accounts import Accounts
    from p4warden.sandbox.depot_tree import DepotTree
    from p4warden.sandbox.reply import Reply
    from p4warden.sandbox.settings import Settings
    from p4warden.sandbox.store import Store
    from p4warden.sandbox.trigger_run import Triggers
    from p4warden.sandbox.trigger_variables import ServerFacts
    from p4warden.sandbox.wire import Message


@dataclass(frozen=True)
class Server:
    """What all commands of a server share."""

    settings: Settings
    facts: ServerFacts
    store: Store
    tree: DepotTree
    accounts: Accounts
    triggers: Triggers
    started_s: float


@dataclass(frozen=True)
class Call:
    """One command. `variables` are what its triggers can use; `peer_ip` is where it came from."""

    server: Server
    request: Message
    reply: Reply
    variables: Mapping[str, str]
    peer_ip: str

    @property
    def store(self) -> Store:
        """What the server keeps."""
        return self.server.store

    @property
    def user(self) -> str:
        """The user who gives the command."""
        return self.request.text("user")

    @property
    def client(self) -> str:
        """The name of the client workspace in use, which need not exist."""
        return self.request.text("client")

    @property
    def is_super(self) -> bool:
        """Whether the user is the server's super user."""
        store = self.store
        return store.fold(self.user) == store.fold(self.server.settings.super_user)

    def require_super(self) -> None:
        """Go on for the super user only.

        Raises:
            CommandError: it is someone else.
        """
        if not self.is_super:
            raise CommandError(NO_PERMISSION)


@dataclass(frozen=True)
class Options:
    """The options of a command: letter to argument, empty for a flag; and the other arguments."""

    given: Mapping[str, str]
    arguments: list[str]

    def __contains__(self, letter: object) -> bool:
        """Tell whether the option is there."""
        return letter in self.given

    def limit(self) -> int | None:
        """Return the number given with -m; None when there is none.

        Raises:
            CommandError: it is not a number.
        """
        text = self.given.get("m")
        if text is None:
            return None
        if not text.isascii() or not text.isdigit():
            raise CommandError(NEEDS_ARGUMENT, option="m")
        return int(text)


class Usage(NamedTuple):
    """What a command takes: option letters as getopt has them, those it refuses, how many arguments, a usage text."""

    text: str
    letters: str = ""
    refused: str = ""
    least: int = 0
    most: int | None = 0

    def read(self, arguments: list[str]) -> Options:
        """Return the options in the arguments.

        Raises:
            CommandError: an option or the number of arguments is wrong, or the sandbox does not do
            it.
        """
        try:
            pairs, rest = getopt.getopt(arguments, self.letters + self.refused)
        except getopt.GetoptError as error:
            known = error.opt in self.letters
            kind = NEEDS_ARGUMENT if known else INVALID_OPTION
            raise self._wrong(CommandError(kind, option=error.opt)) from None
        given = {option[1:]: value for option, value in pairs}
        for letter in given:
            if letter in self.refused:
                command = self.text.split(" ", 1)[0]
                raise CommandError(NOT_IN_SANDBOX, what=f"{command} -{letter}")
        self._check_count(rest)
        return Options(given, rest)

    def _check_count(self, rest: list[str]) -> None:
        if len(rest) < self.least:
            raise self._wrong(CommandError(WRONG_ARGUMENTS))
        if self.most is not None and len(rest) > self.most:
            raise self._wrong(CommandError(EXTRA_ARGUMENT))

    def _wrong(self, error: CommandError) -> CommandError:
        return error.under(USAGE, text=self.text)
