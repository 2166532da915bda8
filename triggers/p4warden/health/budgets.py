"""Notes of `check` and `report` on budgets of records: unknown shares, clients above the burst."""

from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden.core.errors import P4WardenError
from p4warden.core.plural import amount
from p4warden.core.printable import cut
from p4warden.home import calibration, trusted_files
from p4warden.index import contents
from p4warden.policy.compiled import rule_lines

if TYPE_CHECKING:
    from collections.abc import Iterator

    from p4warden.home.calibration import Calibration
    from p4warden.policy.compiled import Policy, PolicyRule

_MOST_NAMED = 3
_CALIBRATE = "p4warden replay --index FILE --calibrate LOG..."


def notes(policy: Policy, home: str) -> Iterator[tuple[int, str]]:
    """Yield the index of each rule with a budget, and a note on it; none without such a rule."""
    rules = [
        (place, rule)
        for place, rule in enumerate(policy.rules)
        if rule.mode != "off" and rule.settings.get("weight")
    ]
    if not rules:
        return
    try:
        measured, sizes = calibration.load(home), _client_sizes(home)
    except P4WardenError as error:
        yield from ((place, str(error)) for place, _ in rules)
        return
    bursts = [lines.least_burst for lines in rule_lines(policy)]
    for place, rule in rules:
        yield place, _unknown_share(rule, measured)
        yield from ((place, note) for note in _larger_clients(bursts[place] or 0, sizes))


def _unknown_share(rule: PolicyRule, measured: Calibration | None) -> str:
    total, unknown, _ = measured.counts(rule) if measured else (0, 0, 0)
    use = f"{rule.settings['unknown_as']:,} {rule.settings['weight']}"
    if not total:
        return f"how many commands count as {use} was never measured; run {_CALIBRATE}"
    share = f"{unknown:,} of {total:,} commands ({unknown / total:.0%}) of the compared log"
    return f"{share} have no estimate and count as {use}"


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
