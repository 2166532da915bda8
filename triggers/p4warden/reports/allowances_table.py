from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden.core.printable import cut
from p4warden.home.allowances import subject_words
from p4warden.reports.rows import Table, moment

if TYPE_CHECKING:
    from collections.abc import Iterable

    from p4warden.home.allowances import Allowance


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
