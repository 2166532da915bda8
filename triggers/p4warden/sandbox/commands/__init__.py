"""The commands the sandbox does, and the names of those only a real server does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden.sandbox.commands import lists
from p4warden.sandbox.commands.branch import BranchCommand
from p4warden.sandbox.commands.client import ClientCommand
from p4warden.sandbox.commands.depot import DepotCommand
from p4warden.sandbox.commands.group import GroupCommand, groups
from p4warden.sandbox.commands.info import discover, info
from p4warden.sandbox.commands.label import LabelCommand
from p4warden.sandbox.commands.stream import StreamCommand
from p4warden.sandbox.commands.triggers import TriggersCommand
from p4warden.sandbox.commands.user import UserCommand
from p4warden.sandbox.login import login, logout

if TYPE_CHECKING:
    from collections.abc import Callable

    from p4warden.sandbox.call import Call

COMMANDS: dict[str, Callable[[Call], None]] = {
    "branch": BranchCommand(),
    "branches": lists.BRANCHES,
    "client": ClientCommand(),
    "clients": lists.CLIENTS,
    "depot": DepotCommand(),
    "depots": lists.DEPOTS,
    "discover": discover,
    "group": GroupCommand(),
    "groups": groups,
    "info": info,
    "label": LabelCommand(),
    "labels": lists.LABELS,
    "login": login,
    "logout": logout,
    "stream": StreamCommand(),
    "streams": lists.STREAMS,
    "triggers": TriggersCommand(),
    "user": UserCommand(),
    "users": lists.USERS,
    "workspace": ClientCommand(),
    "workspaces": lists.CLIENTS,
}
# `p4 help commands`, server release 2024.2.
KNOWN_ELSEWHERE = frozenset({"sync"})
