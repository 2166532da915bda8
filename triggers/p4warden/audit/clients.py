"""For `p4warden audit`: the clients that span the most files, and the unused clients."""

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
# Option bit of readonly and partitioned clients, whose have lists are missing in every checkpoint.
_HAS_OWN_HAVE = 0x10000


class AuditedClient(NamedTuple):
    """A client spec with the number of files it spans and has.

    Attributes:
        files: the number of files that its view spans.
        have: the number of files it has; None if the checkpoint does not contain it.
    """

    domain: Domain
    files: int
    have: int | None


def audited(domains: Iterable[Domain], of: Iterable[tuple[str, Counts]]) -> list[AuditedClient]:
    """Return the clients with their counts, those with the widest views first."""
    counts = dict(of)
    clients = (
        AuditedClient(domain, counts[name].files, counts[name].have)
        for domain, name in ((domain, decoded(domain.name)) for domain in domains)
        if domain.kind == CLIENT and name in counts
    )
    return sorted(clients, key=lambda one: (-one.files, one.domain.name))


def unused(clients: Iterable[AuditedClient], now_s: int, months: int) -> list[AuditedClient]:
    """Return the clients unused for a number of months of 30 days, most files first."""
    before_s = now_s - months * _MONTH_S
    unused_clients = [client for client in clients if 0 < client.domain.accessed_s < before_s]
    return sorted(unused_clients, key=lambda one: (-(one.have or 0), one.domain.name))


def clean_up(client: AuditedClient) -> tuple[str, ...]:
    """Return shell commands, as comments, that unload or delete an unused client.

    No commands for a client whose have list is missing in the checkpoint, because the loss would
    be unknown, or whose name cannot be written safely in a shell command.
    """
    domain = client.domain
    is_unknown = client.have is None or domain.options & _HAS_OWN_HAVE or domain.server_id
    if is_unknown or not domain.name.isprintable():
        return ()
    name = shlex.quote(domain.name)
    return f"# p4 unload -f -c {name}", f"# p4 client -d -f {name}"
