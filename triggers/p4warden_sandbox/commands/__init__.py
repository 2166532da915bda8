"""Table of the p4 commands of the sandbox, and names of other commands that a real server has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden_sandbox.commands import lists
from p4warden_sandbox.commands.add import add
from p4warden_sandbox.commands.branch import BranchCommand
from p4warden_sandbox.commands.change import ChangeCommand
from p4warden_sandbox.commands.changes import changes, describe
from p4warden_sandbox.commands.client import client
from p4warden_sandbox.commands.configure import configure
from p4warden_sandbox.commands.depot import DepotCommand
from p4warden_sandbox.commands.edit import delete, edit
from p4warden_sandbox.commands.filelog import filelog
from p4warden_sandbox.commands.files import dirs, files
from p4warden_sandbox.commands.fixes import fixes
from p4warden_sandbox.commands.fstat import fstat
from p4warden_sandbox.commands.group import GroupCommand, groups
from p4warden_sandbox.commands.have import have, where
from p4warden_sandbox.commands.help import show_help
from p4warden_sandbox.commands.info import discover, info
from p4warden_sandbox.commands.integrate import integrate
from p4warden_sandbox.commands.job import job
from p4warden_sandbox.commands.key import key
from p4warden_sandbox.commands.label import LabelCommand
from p4warden_sandbox.commands.monitor import monitor
from p4warden_sandbox.commands.move import move
from p4warden_sandbox.commands.obliterate import obliterate
from p4warden_sandbox.commands.opened import opened, revert
from p4warden_sandbox.commands.passwd import passwd
from p4warden_sandbox.commands.populate import populate
from p4warden_sandbox.commands.print import print_files
from p4warden_sandbox.commands.property import property_command
from p4warden_sandbox.commands.protect import ProtectCommand
from p4warden_sandbox.commands.protects import protects
from p4warden_sandbox.commands.server import ServerCommand, serverid, servers
from p4warden_sandbox.commands.shelve import shelve
from p4warden_sandbox.commands.spec import DisplayOnlyForm, JobspecCommand, SpecCommand
from p4warden_sandbox.commands.stream import stream
from p4warden_sandbox.commands.submit import submit
from p4warden_sandbox.commands.switch import switch
from p4warden_sandbox.commands.sync import sync
from p4warden_sandbox.commands.triggers import TriggersCommand
from p4warden_sandbox.commands.unload import reload, unload
from p4warden_sandbox.commands.user import UserCommand
from p4warden_sandbox.display_only_specdefs import LDAP, REMOTE, REPO, TYPEMAP
from p4warden_sandbox.login import login, logout
from p4warden_sandbox.specdefs import SPEC

if TYPE_CHECKING:
    from collections.abc import Callable

    from p4warden_sandbox.call import Call

COMMANDS: dict[str, Callable[[Call], None]] = {
    "add": add,
    "branch": BranchCommand(),
    "branches": lists.BRANCHES,
    "change": ChangeCommand(),
    "changelist": ChangeCommand(),
    "changelists": changes,
    "changes": changes,
    "client": client,
    "clients": lists.CLIENTS,
    "configure": configure,
    "delete": delete,
    "depot": DepotCommand(),
    "depots": lists.DEPOTS,
    "describe": describe,
    "dirs": dirs,
    "discover": discover,
    "edit": edit,
    "filelog": filelog,
    "files": files,
    "fixes": fixes,
    "fstat": fstat,
    "group": GroupCommand(),
    "groups": groups,
    "have": have,
    "help": show_help,
    "info": info,
    "integ": integrate,
    "integrate": integrate,
    "job": job,
    "key": key,
    "jobspec": JobspecCommand(),
    "label": LabelCommand(),
    "labels": lists.LABELS,
    "ldap": DisplayOnlyForm(LDAP),
    "login": login,
    "logout": logout,
    "monitor": monitor,
    "move": move,
    "obliterate": obliterate,
    "opened": opened,
    "passwd": passwd,
    "password": passwd,
    "populate": populate,
    "print": print_files,
    "protect": ProtectCommand(),
    "property": property_command,
    "protects": protects,
    "reload": reload,
    "remote": DisplayOnlyForm(REMOTE),
    "repo": DisplayOnlyForm(REPO),
    "revert": revert,
    "server": ServerCommand(),
    "serverid": serverid,
    "servers": servers,
    "shelve": shelve,
    "spec": SpecCommand(SPEC),
    "stream": stream,
    "streams": lists.STREAMS,
    "submit": submit,
    "switch": switch,
    "sync": sync,
    "triggers": TriggersCommand(),
    "typemap": DisplayOnlyForm(TYPEMAP),
    "unload": unload,
    "user": UserCommand(),
    "users": lists.USERS,
    "where": where,
    "workspace": client,
    "workspaces": lists.CLIENTS,
}
# p4 commands of a real server that the sandbox lacks (`p4 help commands` and `p4 help
# administration`, server release 2024.2).
UNSUPPORTED_COMMANDS = frozenset(
    """
    admin annotate archive attribute bgtask cachepurge check clean copy counter counters cstat
    dbschema dbstat dbverify diff diff2 diskspace export extension failback failover fetch fix
    flush grep heartbeat integrated interchanges istat jobs journalcopy journaldbchecksums
    journals keys labelsync ldaps ldapsync license list lock lockstat logappend login2 logparse
    logrotate logschema logstat logtail merge ping proxy prune pubkey pubkeys pull push rec
    reconcile remotes rename renameclient renameuser reopen replicate repos reshelve resolve
    resolved restore resubmit review reviews sizes status storage streamlog streamspec tag
    topology trait traits undo unlock unshelve unsubmit unzip update upgrades verify zip
    """.split()
)
# A server may report either name to triggers (`p4 help commands`).
_MAIN_NAMES = {
    "changelist": "change",
    "changelists": "changes",
    "flush": "sync",
    "integ": "integrate",
    "rec": "reconcile",
    "rename": "move",
    "update": "sync",
    "workspace": "client",
    "workspaces": "clients",
}


def main_name(command: str) -> str:
    """Return the main name of a p4 command, such as `change` for `changelist`."""
    return _MAIN_NAMES.get(command, command)
