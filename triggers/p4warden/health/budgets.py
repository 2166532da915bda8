"""Notes of `check` and `report` on budgets of records: clients above the burst."""

from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden.core.errors import P4WardenError
from p4warden.core.plural import amount
from p4warden.core.printable import cut
from p4warden.home import trusted_files
from p4warden.index import contents
from p4warden.policy.compiled import rule_lines

if TYPE_CHECKING:
    from collections.abc import Iterator

    from p4warden.policy.compiled import Policy

_MOST_NAMED = 3


def notes(policy: Policy, home: str) -> Iterator[tuple[int, str]]:
    """Yield the index of a rule with a budget, and a note on it; none without such a rule."""
    rules = [
        place
        for place, rule in enumerate(policy.rules)
        if rule.mode != "off" and rule.settings.get("weight")
    ]
    if not rules:
        return
    try:
        sizes = _client_sizes(home)
    except P4WardenError as error:
        yield from ((place, str(error)) for place in rules)
        return
    bursts = [lines.least_burst for lines in rule_lines(policy)]
    for place in rules:
        yield from ((place, note) for note in _larger_clients(bursts[place] or 0, sizes))


def _client_sizes(home: str) -> list[tuple[str, contents.Counts]]:
    index = trusted_files.index_path(home)
    return [*contents.clients(index)] if index else []


def _larger_clients(burst: int, sizes: list[tuple[str, contents.Counts]]) -> Iterator[str]:
    larger = sorted((-counts.files, name) for name, counts in sizes if counts.files > burst)
    if larger:
        names = ", ".join(f"{cut(name)} {-files:,}" for files, name in larger[:_MOST_NAMED])
        yield (
            f"{amount(len(larger), 'client')} with more files than the burst of {burst:,} "
            f"({names}): a sync of all files needs an unused budget and leaves a debt"
        )
