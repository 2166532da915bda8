from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden.core.printable import cut
from p4warden.home.allowances import subject_words
from p4warden.reports.rows import Table, moment

if TYPE_CHECKING:
    from collections.abc import Iterable

    from p4warden.history.change import Change
    from p4warden.home.allowances import Allowance


def changes_table(changes: Iterable[Change]) -> Table:
    """Return the table of the installation's changes, the newest first."""
    return Table(
        "changes",
        "Changes",
        "Policies, trigger lines, the switch and facts; p4warden history has more of each.",
        ("N", "When", "Change", "By", "Policy", "Message"),
        [
            (
                str(change.number),
                moment(change.time_s),
                change.action,
                cut(change.person.names()),
                (change.policy or "none")[:12],
                cut("; ".join(change.remarks())),
            )
            for change in sorted(changes, key=lambda change: -change.number)
        ],
        frozenset({0}),
    )


def allowances_table(allowances: Iterable[Allowance]) -> Table:
    """Return the table of present allowances, the first to end first."""
    return Table(
        "allowances",
        "Allowances",
        "What users may do in spite of a rule until they end (p4warden allow).",
        ("ID", "User", "Address", "What", "Rule", "Until", "Reason", "By"),
        [
            (
                one.id,
                cut(one.user),
                cut(one.ip or "any"),
                cut(subject_words(one.subject)),
                cut(one.rule),
                moment(one.until_s),
                cut(one.reason),
                cut(one.by),
            )
            for one in sorted(allowances, key=lambda one: one.until_s)
        ],
        frozenset(),
    )
