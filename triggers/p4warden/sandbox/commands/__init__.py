"""The commands the sandbox does, and the names of those only a real server does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden.sandbox.commands import lists
from p4warden.sandbox.commands.branch import BranchCommand
from p4warden.sandbox.commands.client import ClientCommand
from p4warden.sandbox.commands.configure import configure
from p4warden.sandbox.commands.counters import counter, counters
from p4warden.sandbox.commands.depot import DepotCommand
from p4warden.sandbox.commands.files import dirs, files, fstat
from p4warden.sandbox.commands.group import GroupCommand, groups
from p4warden.sandbox.commands.info import discover, info
from p4warden.sandbox.commands.label import LabelCommand
from p4warden.sandbox.commands.protects import protects
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
    "configure": configure,
    "counter": counter,
    "counters": counters,
    "depot": DepotCommand(),
    "depots": lists.DEPOTS,
    "dirs": dirs,
    "discover": discover,
    "files": files,
    "fstat": fstat,
    "group": GroupCommand(),
    "groups": groups,
    "info": info,
    "label": LabelCommand(),
    "labels": lists.LABELS,
    "login": login,
    "logout": logout,
    "protects": protects,
    "stream": StreamCommand(),
    "streams": lists.STREAMS,
    "triggers": TriggersCommand(),
    "user": UserCommand(),
    "users": lists.USERS,
    "workspace": ClientCommand(),
    "workspaces": lists.CLIENTS,
}
# `p4 help commands` and `p4 help administration`, server release 2024.2.
KNOWN_ELSEWHERE = frozenset(
    """
    add admin annotate archive attribute bgtask cachepurge change changelist changelists changes
    check clean copy cstat dbschema dbstat dbverify delete describe diff diff2 diskspace edit
    export extension failback failover fetch filelog fix fixes flush grep have heartbeat help
    integ integrate integrated interchanges istat job jobs jobspec journalcopy
    journaldbchecksums journals key keys labelsync ldap ldaps ldapsync license list lock lockstat
    logappend login2 logparse logrotate logschema logstat logtail merge monitor move obliterate
    opened passwd ping populate print property protect proxy prune pubkey pubkeys pull push rec
    reconcile reload remote remotes rename renameclient renameuser reopen replicate repo repos
    reshelve resolve resolved restore resubmit revert review reviews server serverid servers
    shelve sizes spec status storage streamlog streamspec submit switch sync tag topology trait
    traits typemap undo unload unlock unshelve unsubmit unzip update upgrades verify where zip
    """.split()
)
