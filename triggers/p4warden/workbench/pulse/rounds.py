from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden.workbench.pulse.measurements import Measurement

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

COMMANDS = ("info", "print", "fstat", "dirs", "sync -f")
"""Of each round, in this order; those of RIM's "Improving Perforce Performance by over 10x"."""

TOTAL = "total"


def totals(beats: Iterable[Measurement]) -> Iterator[Measurement]:
    """Yield the total of each complete round, and a failure for each round with one.

    The measurements are of one server, in their order. A round that was interrupted before any
    failure is left out.
    """
    return (total for of_round in _rounds(beats) if (total := _total(of_round)))


def _rounds(beats: Iterable[Measurement]) -> Iterator[list[Measurement]]:
    """The first round may be empty; one is short if interrupted or without connection."""
    one_round: list[Measurement] = []
    last = len(COMMANDS)
    for beat in beats:
        place = COMMANDS.index(beat.command) if beat.command in COMMANDS else len(COMMANDS)
        if place <= last or last >= len(COMMANDS) - 1:
            yield one_round
            one_round = []
        one_round.append(beat)
        last = place
    yield one_round


def _total(of_round: list[Measurement]) -> Measurement | None:
    if not of_round:
        return None
    first = of_round[0]
    error = next((beat.error for beat in of_round if beat.error), None)
    if error:
        return Measurement(first.time_s, first.server, TOTAL, None, error)
    lapses = {beat.command: beat.lapse_ns or 0 for beat in of_round}
    if not lapses.keys() >= set(COMMANDS):
        return None
    return Measurement(first.time_s, first.server, TOTAL, sum(lapses[name] for name in COMMANDS))


def next_ns(start_ns: int, every_ns: int, now_ns: int) -> int:
    """Return the next time after `now_ns` in the series `start_ns`, `start_ns + every_ns`, ...

    Missed rounds are skipped: running them immediately would burden a slow server further.
    """
    return start_ns + ((now_ns - start_ns) // every_ns + 1) * every_ns
