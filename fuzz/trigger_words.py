"""Fuzz values in a trigger line: p4warden must read them as sent, or report tampering.

As in p4d, code of the sandbox server expands the line and splits it into words; it shares no code
with p4warden. `unit.test_split_trigger_lines` names the two cases that no check can detect:
quotation marks in pairs, and a NUL behind a forged end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from campaign import Campaign, CampaignResult, endless, finding

from unit.test_split_trigger_lines import LINES, PIECES, VARIABLES, arrives, is_exact, is_whole

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator

STEP = 1_000
NAMES = (*VARIABLES.values(), "args")


def runs(random: random.Random) -> Iterator[CampaignResult]:
    """Parse random trigger lines with mostly hostile values; yield results without end."""
    return endless(random, STEP, _try)


def _try(random: random.Random) -> Iterator[dict[str, Any]]:
    line, values = random.choice(sorted(LINES)), {name: _hostile(random) for name in NAMES}
    read_arguments = arrives(line, values)
    if not read_arguments.has_known_form:
        yield finding("another form", line=line, values=values)
    elif not (
        read_arguments.is_tampered
        or (is_exact(read_arguments, values) and is_whole(read_arguments, values, line))
    ):
        yield finding("forged", line=line, values=values, given=read_arguments.options)


def _hostile(random: random.Random) -> str:
    """Return a random user-chosen value: empty, plain, or able to break a trigger line apart."""
    kind = random.random()
    if kind < 0.4:
        return random.choice(("", "ann", "P4V/NTX64/2024.1/123 (v86)", "a b", "jörg"))
    pieces = random.choices((*PIECES, *"\"'= -%\\é\x01\x7f"), k=random.randint(1, 7))
    return "".join(pieces)


CAMPAIGN = Campaign("trigger-words", "argument vectors", runs, 1_000_000)
