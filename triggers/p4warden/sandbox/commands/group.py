"""`p4 group` and `p4 groups`. Only the super user writes groups; limits never apply."""

from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden.sandbox.commands.forms import FormCommand
from p4warden.sandbox.commands.identifiers import check_name
from p4warden.sandbox.messages import (
    GROUP_CREATED,
    GROUP_DELETED,
    GROUP_NOT_CREATED,
    GROUP_NOT_UPDATED,
    GROUP_UPDATED,
    NO_SUCH_GROUP,
)
from p4warden.sandbox.seed import new_group
from p4warden.sandbox.specdefs import GROUP
from p4warden.sandbox.specs import Spec
from p4warden.sandbox.usage import Usage

if TYPE_CHECKING:
    from p4warden.sandbox.call import Call
    from p4warden.sandbox.commands.forms import Wanted
    from p4warden.sandbox.message_stack import Said


_MEMBERS = ("Subgroups", "Owners", "Users")
_LIMITS = ("MaxResults", "MaxScanRows", "MaxLockTime", "MaxOpenFiles", "Timeout")
_GROUPS = Usage("groups [ -m max ] [ [ -u ] user ]", "m:u:", refused="o:g:v", most=1)


class GroupCommand(FormCommand):
    """The form of a group."""

    form = GROUP
    usage = Usage("group [ -d -i -o ] name", "dio", refused="aAF", most=1)
    saved = GROUP_UPDATED
    unchanged = GROUP_NOT_UPDATED
    deleted = GROUP_DELETED
    missing = NO_SUCH_GROUP
    named = "group"
    only_super_writes = True

    def propose(self, wanted: Wanted) -> Spec:
        """Return a new group without members."""
        check_name(wanted.name)
        return new_group(wanted.name)

    def check(self, wanted: Wanted, new: Spec) -> Spec:
        """Return the group; limits left out are unset."""
        check_name(wanted.name)
        return Spec(GROUP, {**new_group(new.name).values, **new.values})

    def store(self, wanted: Wanted, new: Spec) -> Said:
        """Store the group; with nobody in it there is none (`p4 help group`)."""
        store = wanted.call.store
        if any(new.lines(field) for field in _MEMBERS):
            store.save(new)
            return self.said(GROUP_UPDATED if wanted.old else GROUP_CREATED, new.name)
        if wanted.old is None:
            return self.said(GROUP_NOT_CREATED, new.name)
        store.delete(GROUP.name, new.name)
        return self.said(GROUP_DELETED, new.name)


def groups(call: Call) -> None:
    """List the groups, or those a user is in, also by way of a subgroup (`p4 help groups`, -i)."""
    options = _GROUPS.read(call.request.arguments)
    names = [group.name for group in call.store.all(GROUP.name)]
    user = options.given.get("u") or next(iter(options.arguments), None)
    if user is not None:
        names = call.store.groups_of(user)
    for name in names[: options.limit()]:
        if call.reply.tagged:
            _rows(call, name, user)
        else:
            call.reply.line(name)


def _rows(call: Call, name: str, user: str | None) -> None:
    """Send a row for every member, or for the one asked for."""
    group = call.store.find(GROUP.name, name)
    if group is None:
        return
    members = group.lines("Users") + group.lines("Owners")
    for member in [user] if user is not None else dict.fromkeys(members):
        call.reply.row(
            [
                ("user", member),
                ("group", name),
                ("isSubGroup", "0"),
                ("isOwner", str(int(member in group.lines("Owners")))),
                ("isUser", str(int(member in group.lines("Users")))),
                *((_lower(limit), _number(group.get(limit))) for limit in _LIMITS),
            ]
        )


def _lower(name: str) -> str:
    return name[0].lower() + name[1:]


def _number(limit: str) -> str:
    """Return a limit as lists show it: 0 is unset, -1 unlimited."""
    return {"unset": "0", "unlimited": "-1"}.get(limit, limit)
