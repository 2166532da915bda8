"""Clients with their counts, and commands that unload those that nobody uses (p4 help unload)."""

from __future__ import annotations

import shlex
import time
from typing import TYPE_CHECKING, NamedTuple

from p4warden.core.printable import decoded
from p4warden.core.time_spans import LATEST_S

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from p4warden.index.contents import Counts
    from p4warden.workbench.audit.small_tables import Domain

# Bits in db.domain: readonly and partitioned clients, whose have lists are not in db.have, and
# clients with the option `locked`.
_HAS_OWN_HAVE = 0x10000
_LOCKED = 0x08
_DAY_S = 86400
_MONTH_S = 30 * _DAY_S
_ANY_ZONE_S = 14 * 3600
"""Largest offset of a time zone: the server's is unknown here."""


class AuditedClient(NamedTuple):
    domain: Domain
    files: int  # that the view spans
    have: int | None  # None if the checkpoint lacks its have list


def audited_clients(
    domains: Iterable[Domain], of: Iterable[tuple[str, Counts]]
) -> list[AuditedClient]:
    """Join clients with their file counts, the widest first; those without are left out."""
    counts = dict(of)
    clients = (
        AuditedClient(domain, counts[name].files, counts[name].have)
        for domain, name in ((domain, decoded(domain.name)) for domain in domains)
        if domain.type == "client" and name in counts
    )
    return sorted(clients, key=lambda one: (-one.files, one.domain.name))


def unused_clients(
    clients: Iterable[AuditedClient], now_s: int, months: int
) -> list[AuditedClient]:
    """Return clients last used over `months` of 30 days ago, the longest have list first."""
    before_s = now_s - months * _MONTH_S
    unused_clients = [client for client in clients if 0 < client.domain.accessed_s < before_s]
    return sorted(unused_clients, key=lambda one: (-(one.have or 0), one.domain.name))


class Unloading(NamedTuple):
    has_depot: bool
    open_in: Collection[str]  # clients with open files; their names as `folded` returns them
    shelves: Mapping[str, Sequence[int]]  # changelists, by client, as in `open_in`
    folded: Callable[[str], str]

    def objection(self, client: AuditedClient) -> str:
        """Say why a client is not to be unloaded; empty if it may be."""
        domain = client.domain
        if client.have is None or domain.options & _HAS_OWN_HAVE or domain.server_id:
            return "its list of files is not in this checkpoint: ask its owner"
        if self.folded(domain.name) in self.open_in:
            return "it has open files: ask its owner"
        if changes := self.shelves_of(domain.name):
            return f"it has shelved files in {_listed(changes)}: ask its owner"
        if domain.name.startswith("-"):
            return "its name begins with a hyphen: ask its owner"
        return "" if domain.name.isprintable() else "its name has unprintable characters"

    def shelves_of(self, name: str) -> Sequence[int]:
        """Of a client, which p4d does not delete then (msgs/msgdm.cc 524 of the C++ API)."""
        return self.shelves.get(self.folded(name), ())

    def commands(self, client: AuditedClient, *, is_unloaded: bool = False) -> tuple[str, ...]:
        """Return commented p4 commands that unload or delete a client; none with an objection.

        The loss by a deletion is known only for a client whose have list is in the checkpoint.
        `is_unloaded`: one command for all clients unloads it.
        """
        if self.objection(client):
            return ()
        name = shlex.quote(client.domain.name)
        unload = [f"# p4 unload -f{_lock(client)} -c {name}"]
        return (
            *(unload if self.has_depot and not is_unloaded else ()),
            f"# p4 client -d -f {name}",
        )


def _listed(changes: Sequence[int]) -> str:
    first, *others = sorted(changes)
    return f"change {first}" + (f" and {len(others):,} more" if others else "")


def unload_all(clients: Sequence[AuditedClient], domains: Iterable[Domain]) -> str | None:
    """Return one command that unloads exactly these clients; None if no date selects them.

    `-d` takes clients "whose access date is older than that date" (p4 help unload); in which time
    zone is not documented: in each, the command selects the same clients.
    """
    unloaded = {client.domain.name for client in clients}
    if not unloaded:
        return None
    loaded = [domain for domain in domains if domain.type == "client"]
    latest_s = max(client.domain.accessed_s for client in clients)
    day_s = (latest_s + _ANY_ZONE_S + _DAY_S - 1) // _DAY_S * _DAY_S
    others = [domain.accessed_s for domain in loaded if domain.name not in unloaded]
    if min([LATEST_S, *others]) < day_s + _ANY_ZONE_S:
        return None
    day = time.strftime("%Y/%m/%d", time.gmtime(day_s))
    return f"p4 unload -f{max(map(_lock, clients))} -ac -d {day}"


def _lock(client: AuditedClient) -> str:
    return " -L" if client.domain.options & _LOCKED else ""
