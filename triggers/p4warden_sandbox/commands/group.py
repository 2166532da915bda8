# The limits in a group are stored, but have no effect.

from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden_sandbox.commands.forms import FormCommand
from p4warden_sandbox.messages import (
    GROUP_CREATED,
    GROUP_DELETED,
    GROUP_NOT_UPDATED,
    GROUP_UPDATED,
    NO_SUCH_GROUP,
)
from p4warden_sandbox.names import check_name
from p4warden_sandbox.seed import new_group
from p4warden_sandbox.specdefs import GROUP
from p4warden_sandbox.specs import Spec
from p4warden_sandbox.usage import Usage

if TYPE_CHECKING:
    from p4warden_sandbox.call import Call
    from p4warden_sandbox.commands.forms import FormRequest
    from p4warden_sandbox.message_stack import StackEntry
    from p4warden_sandbox.store import Store
    from p4warden_sandbox.usage import Options


_MEMBERS = ("Subgroups", "Owners", "Users")
_LIMITS = {
    "MaxResults": "maxResults",
    "MaxScanRows": "maxScanRows",
    "MaxLockTime": "maxLockTime",
    "MaxOpenFiles": "maxOpenFiles",
    "MaxMemory": "maxMemory",
    "Timeout": "timeout",
    "PasswordTimeout": "passTimeout",
}
_FIELDS = {"g": "Subgroups", "o": "Owners", "u": "Users"}
_GROUPS = Usage(
    "groups [ -m max ] [ -i -v ] [ [ -g | -u | -o ] name ]", "m:ivguo", max_arguments=1
)


class GroupCommand(FormCommand):
    form = GROUP
    usage = Usage("group [ -d -i -o ] name", "dio", refused_options="aAF", max_arguments=1)
    saved_message = GROUP_UPDATED
    unchanged_message = GROUP_NOT_UPDATED
    deleted_message = GROUP_DELETED
    missing_message = NO_SUCH_GROUP
    name_argument = "group"
    only_super_writes = True

    def propose(self, request: FormRequest) -> Spec:
        check_name(request.name)
        return new_group(request.name)

    def check(self, request: FormRequest, new: Spec) -> Spec:
        check_name(request.name)
        return Spec(GROUP, {**new_group(new.name).values, **new.values})

    def store(self, request: FormRequest, new: Spec) -> StackEntry:
        """Delete a group without user, subgroup or owner (`p4 help group`)."""
        store = request.call.store
        if any(new.lines(field) for field in _MEMBERS):
            store.save(new)
            return self.entry(GROUP_UPDATED if request.old_spec else GROUP_CREATED, new.name)
        store.delete(GROUP.name, new.name)
        return self.entry(GROUP_DELETED, new.name)


def groups(call: Call) -> None:
    """Handle `p4 groups`; without a flag the name may be a user's or a group's.

    -i includes indirect membership; the limits are shown without -v, too.
    """
    options = _GROUPS.read(call.request.arguments)
    name = next(iter(options.arguments), None)
    groups = {group.name: group for group in call.store.all(GROUP.name)}
    names = [*groups]
    if name is not None:
        names = _containing(call.store, name, options)
    for group_name in names[: options.limit()]:
        _send(call, groups[group_name], name)


def _containing(store: Store, name: str, options: Options) -> list[str]:
    fields = [field for letter, field in _FIELDS.items() if letter in options]
    direct = store.groups_listing({name}, *(fields or ("Users", "Subgroups")))
    return sorted(store.with_outer_groups(direct) if "i" in options else direct)


def _send(call: Call, group: Spec, member: str | None) -> None:
    """Without one given member, the members include owners and subgroups."""
    users, owners, inner = (group.lines(field) for field in ("Users", "Owners", "Subgroups"))
    members = [member] if member is not None else [*dict.fromkeys(users + owners), *inner]
    for name in members:
        call.reply.row(
            [
                ("user", name),
                ("group", group.name),
                ("isSubGroup", str(int(name in inner and name not in users + owners))),
                ("isOwner", str(int(name in owners))),
                ("isUser", str(int(name in users))),
                *((name, _number(group.get(limit))) for limit, name in _LIMITS.items()),
            ]
        )


def _number(limit: str) -> str:
    """As `p4 groups` shows it: 0 for unset, -1 for unlimited."""
    return {"unset": "0", "unlimited": "-1"}.get(limit, limit)
