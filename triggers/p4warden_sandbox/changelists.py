from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden_sandbox import dates
from p4warden_sandbox.file_messages import (
    BAD_CHANGE,
    NO_SUCH_CHANGE,
)
from p4warden_sandbox.message_stack import CommandError
from p4warden_sandbox.specdefs import CHANGE

if TYPE_CHECKING:
    from collections.abc import Iterable

    from p4warden_sandbox.specs import Spec
    from p4warden_sandbox.store import Store

PENDING, SUBMITTED, NEW = "pending", "submitted", "new"
# The highest changelist number (`p4 help counters`).
COUNTER = "change"


def find(store: Store, number: str) -> Spec:
    """Return a changelist's spec; raise CommandError if there is none or the text is no number."""
    if not number.isascii() or not number.isdigit():
        raise CommandError(BAD_CHANGE, change=number)
    spec = store.find(CHANGE.name, number)
    if spec is None:
        raise CommandError(NO_SUCH_CHANGE, change=f"Change {number}")
    return spec


def newest_first(store: Store) -> list[Spec]:
    """Return the specs of all changelists on the sandbox server, highest number first."""
    return sorted(store.all(CHANGE.name), key=lambda spec: int(spec.name), reverse=True)


def submit(store: Store, pending: Spec) -> Spec:
    """Store and return the submitted spec, renumbered unless it is the last (`p4 help change`)."""
    is_last = store.counters.get(COUNTER) == pending.name
    number = pending.name if is_last else store.next_number(COUNTER)
    submitted = pending.having(Change=number, Status=SUBMITTED, Date=dates.now())
    store.save(submitted)
    if not is_last:
        store.delete(CHANGE.name, pending.name)
    return submitted


def common_path(files: Iterable[str]) -> str:
    """Return the common depot path of files, such as `//depot/main/*` or `//depot/...`.

    The format is that of the `root` field of `db.change` records in checkpoints of 2015.1.
    """
    folders = [file.split("/")[:-1] for file in files]
    common = min(folders, default=["", ""])
    for folder in folders:
        while folder[: len(common)] != common:
            common = common[:-1]
    in_one_folder = all(folder == common for folder in folders)
    return "/".join([*common, "*" if in_one_folder else "..."])
