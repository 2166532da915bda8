from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, NamedTuple

from p4warden.audit.small_tables import CLIENT
from p4warden.core.printable import decoded

if TYPE_CHECKING:
    from collections.abc import Iterable

    from p4warden.audit.small_tables import Domain
    from p4warden.index.contents import Counts

_MONTH_S = 30 * 86400
# Bit of readonly and partitioned clients in db.domain, whose have lists are not in db.have.
_HAS_OWN_HAVE = 0x10000


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
        if domain.kind == CLIENT and name in counts
    )
    return sorted(clients, key=lambda one: (-one.files, one.domain.name))


def unused_clients(
    clients: Iterable[AuditedClient], now_s: int, months: int
) -> list[AuditedClient]:
    """Return clients last used over `months` of 30 days ago, the longest have list first."""
    before_s = now_s - months * _MONTH_S
    unused_clients = [client for client in clients if 0 < client.domain.accessed_s < before_s]
    return sorted(unused_clients, key=lambda one: (-(one.have or 0), one.domain.name))


def clean_up(client: AuditedClient) -> tuple[str, ...]:
    """Return commented p4 commands that unload or delete an unused client.

    Empty for a client whose have list may be missing in the checkpoint, because the loss would be
    unknown, and for a client name with unprintable characters.
    """
    domain = client.domain
    is_unknown = client.have is None or domain.options & _HAS_OWN_HAVE or domain.server_id
    if is_unknown or not domain.name.isprintable():
        return ()
    name = shlex.quote(domain.name)
    return f"# p4 unload -f -c {name}", f"# p4 client -d -f {name}"
