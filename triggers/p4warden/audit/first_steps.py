"""The first things to do after an audit: least work for most effect first.

Unused clients go before letters to owners, or one writes to owners of dead clients. A limit in a
group is one line that bounds everybody.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden.audit import groups
from p4warden.core.plural import amount

if TYPE_CHECKING:
    from collections.abc import Iterator

    from p4warden.audit.findings import Findings

_HALF = 2


def first_steps(findings: Findings) -> Iterator[str]:
    """Yield sentences, each with the figure that it rests on."""
    yield from _unused(findings)
    yield from _limits(findings)
    yield from _narrow(findings)
    yield from _protections(findings)


def _narrow(findings: Findings) -> Iterator[str]:
    wide = [one for one in findings.clients if one.files * _HALF > findings.files]
    savings = [
        saved
        for answer in findings.enough
        if answer.proposal and (saved := (answer.files or 0) - answer.proposal.files) > 0
    ]
    if wide:
        yield (
            f"{_clients_span(len(wide))} over half of all {findings.files:,} files. Rehearse "
            "limit_view_scope in mode observe, which names such views when they are saved."
        )
    if savings:
        yield (
            f"Of the {len(findings.enough)} widest clients {_could(len(savings))} map less and "
            f"keep all files in place, {sum(savings):,} files less in all: send their owners the "
            "views below (p4warden notify-owners; p4warden rightsize --wide finds them for all "
            "clients)."
        )


def _could(number: int) -> str:
    return "1 could" if number == 1 else f"{number} could"


def _clients_span(number: int) -> str:
    return f"{number} clients span" if number != 1 else "1 client spans"


def _limits(findings: Findings) -> Iterator[str]:
    if not findings.groups:
        yield (
            "The server has no groups, so that no command is cut off: set MaxScanRows and "
            "MaxLockTime in a group that everybody is in (p4 help group)."
        )
        return
    for field, number in findings.unheld.items():
        if number:
            yield (
                f"No group sets {field} for {amount(number, 'user')}: one command of theirs may "
                f"read or lock a whole table. Set it in {_widest_group(findings)}."
            )
    if findings.unlimited:
        yield (
            f"Another group lifts a limit for {amount(len(findings.unlimited), 'user')}; check "
            "that each needs it."
        )


def _widest_group(findings: Findings) -> str:
    name, users = max(groups.sizes(findings.groups).items(), key=lambda one: (one[1], one[0]))
    return f"a group that everybody is in; {name} has {amount(users, 'user')}, by subgroups too"


def _unused(findings: Findings) -> Iterator[str]:
    have = sum(client.have or 0 for client in findings.unused)
    if have:
        clients = amount(len(findings.unused), "client")
        yield (
            f"Unload {clients} that nobody used for {findings.months} months: {have:,} records of "
            "db.have go with them."
        )


def _protections(findings: Findings) -> Iterator[str]:
    if findings.dead:
        yield (
            f"Remove {amount(len(findings.dead), 'line')} of the protections table that change "
            f"no answer, of {len(findings.protections)}."
        )
