from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from p4warden.audit.small_tables import CLIENT
from p4warden.core.printable import decoded

if TYPE_CHECKING:
    from collections.abc import Iterable

    from p4warden.audit.small_tables import Domain
    from p4warden.index.contents import Counts

_MONTH_S = 30 * 86400


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
