from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden_sandbox import dates
from p4warden_sandbox.accounts import TICKET_LIFE_S
from p4warden_sandbox.changelists import COUNTER, SUBMITTED
from p4warden_sandbox.revisions import Revision
from p4warden_sandbox.specdefs import CHANGE, DEPOT, GROUP, PROTECT, STREAM, USER
from p4warden_sandbox.specs import Spec

if TYPE_CHECKING:
    from p4warden_sandbox.depot_files import DepotFiles
    from p4warden_sandbox.settings import Settings, StreamSeed
    from p4warden_sandbox.store import Store


def fill(store: Store, files: DepotFiles, settings: Settings) -> None:
    """Fill a new sandbox; its initial files are empty and belong to one submitted changelist."""
    if settings.super_user:
        add_user(store, new_user(settings.super_user, "localhost"))
        if settings.behaves("protections", "filled"):
            store.save(new_protections(settings.super_user))
    for user in settings.users:
        add_user(store, new_user(user.name, "localhost"))
    for group in settings.groups:
        members = {"Owners": [settings.super_user], "Users": list(group.users)}
        store.save(new_group(group.name).having(**members))
    for name, kind, depth in settings.depots:
        depot = new_depot(name, kind, settings.super_user, depth)
        store.save(depot.having(Date=dates.now()))
    for stream in settings.streams:
        store.save(_stream(stream, settings.super_user))
    if settings.files:
        store.save(_change(store.next_number(COUNTER), settings.super_user))
        files.add(Revision(file, 1, 1, "add", "text", 0, b"") for file in settings.files)


def add_user(store: Store, user: Spec) -> None:
    """Store a user (help text of dm.user.autoprotections in the P4API 2026.1)."""
    is_first = not store.all(USER.name)
    store.save(user)
    if is_first and store.configurables["dm.user.autoprotections"]:
        store.save(new_protections(user.name))


def new_user(name: str, host: str) -> Spec:
    """Return the spec of a new sandbox user, with the values of an automatically created one."""
    now = dates.now()
    return Spec(USER).having(
        User=name,
        Type="standard",
        Email=f"{name}@{host}",
        Update=now,
        Access=now,
        FullName=name,
    )


def new_protections(super_user: str) -> Spec:
    """Return a new protections table: super access for one user, write access for all others."""
    lines = ["write user * * //...", f"super user {super_user} * //..."]
    return Spec(PROTECT).having(Protections=lines)


def new_group(name: str) -> Spec:
    """Return the spec of a new sandbox group without members; only its ticket timeout is set."""
    return Spec(GROUP).having(
        Group=name,
        MaxResults="unset",
        MaxScanRows="unset",
        MaxLockTime="unset",
        MaxOpenFiles="unset",
        MaxMemory="unset",
        Timeout=str(TICKET_LIFE_S),
        PasswordTimeout="unset",
    )


def new_depot(name: str, kind: str, owner: str, stream_depth: int = 1) -> Spec:
    """Return the spec of a new depot of a type (`kind`), such as `local` or `stream`."""
    depth = f"//{name}" + "".join(f"/{level}" for level in range(1, stream_depth + 1))
    own_fields: dict[str, dict[str, str | list[str]]] = {
        "stream": {"StreamDepth": depth},
        "spec": {"Suffix": ".p4s", "SpecMap": [f"//{name}/..."]},
    }
    return Spec(DEPOT).having(
        Depot=name,
        Owner=owner,
        Description=f"Created by {owner}.\n",
        Type=kind,
        Map=f"{name}/...",
        **own_fields.get(kind, {}),
    )


def _stream(seed: StreamSeed, owner: str) -> Spec:
    now = dates.now()
    return Spec(STREAM).having(
        Stream=seed.path,
        Update=now,
        Access=now,
        Owner=owner,
        Name=seed.path.rpartition("/")[2],
        Parent=seed.parent,
        Type=seed.type,
        Description=f"Created by {owner}.\n",
        Options="allsubmit unlocked toparent fromparent mergedown",
        ParentView="inherit",
        Paths=["share ..."],
    )


def _change(number: str, owner: str) -> Spec:
    return Spec(CHANGE).having(
        Change=number,
        Date=dates.now(),
        Client="seed",
        User=owner,
        Status=SUBMITTED,
        Type="public",
        Description="The files that were there from the start.\n",
    )
