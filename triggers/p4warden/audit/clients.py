"""Clients that cost most, and clients that nobody uses any more."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, NamedTuple

from p4warden.audit.small_tables import CLIENT

if TYPE_CHECKING:
    from collections.abc import Iterable

    from p4warden.audit.small_tables import Domain
    from p4warden.index.contents import Counts

_MONTH_S = 30 * 86400
# Readonly and partitioned clients, whose list of files is in no checkpoint.
_HAS_OWN_HAVE = 0x10000


class AuditedClient(NamedTuple):
    """A client with its counts.

    Attributes:
        files: how many its view spans.
        have: how many files it has; None where the checkpoint does not tell.
    """

    domain: Domain
    files: int
    have: int | None


def counted(domains: Iterable[Domain], of: Iterable[tuple[str, Counts]]) -> list[AuditedClient]:
    """Return the clients with their counts, those that span most first."""
    counts = dict(of)
    clients = (
        AuditedClient(domain, counts[domain.name].files, counts[domain.name].have)
        for domain in domains
        if domain.kind == CLIENT and domain.name in counts
    )
    return sorted(clients, key=lambda one: (-one.files, one.domain.name))


def unused(clients: Iterable[AuditedClient], now_s: int, months: int) -> list[AuditedClient]:
    """Return the clients that were not used for some months of 30 days, most files first."""
    before_s = now_s - months * _MONTH_S
    found = [client for client in clients if 0 < client.domain.accessed_s < before_s]
    return sorted(found, key=lambda one: (-(one.have or 0), one.domain.name))


def clean_up(client: AuditedClient) -> tuple[str, ...]:
    """Return the commands that take an unused client out of the way, for a shell, as comments.

    None for a client whose list of files the checkpoint does not have, since what is lost cannot
    be told, and none for a name that no shell line can hold safely.
    """
    domain = client.domain
    is_unknown = client.have is None or domain.options & _HAS_OWN_HAVE or domain.server_id
    if is_unknown or not domain.name.isprintable():
        return ()
    name = shlex.quote(domain.name)
    return f"# p4 unload -f -c {name}", f"# p4 client -d -f {name}"
