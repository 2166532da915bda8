"""Fuzz values in a trigger line: p4warden must read them as sent, or report tampering.

As in p4d, code of the sandbox server expands the line and splits it into words; it shares no code
with p4warden. Two cases that no check can detect are left out: quotation marks in pairs, and a NUL
behind a forged end.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any, NamedTuple

from campaign import Campaign, CampaignResult, finding

from support import hostile_names
from support.form_oracle import Core
from support.hostile_names import VARIABLES, words_of_line

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator

STEP = 1_000
PIECES = (*hostile_names.PIECES, *"\"'= -%\\é\x01\x7f")
LINES = [*hostile_names.LINES.values()]


class Event(NamedTuple):
    line: str
    values: dict[str, str]  # by variable


def runs(random: random.Random) -> Iterator[CampaignResult]:
    """Parse random trigger lines with mostly hostile values; yield results without end."""
    with contextlib.closing(Core()) as core:
        while True:
            events = [_event(random) for _ in range(STEP)]
            asked = [{"ask": "arguments", "words": words_of_line(*event)} for event in events]
            problems = (
                finding(problem, line=event.line, values=event.values, given=answer)
                for event, answer in zip(events, core.ask_all(asked), strict=True)
                if (problem := _problem(event, answer))
            )
            yield CampaignResult(STEP, tuple(problems))


def _problem(event: Event, answer: list[Any]) -> str | None:
    has_known_form, is_tampered, options = answer[0], answer[1], dict(answer[2])
    if not has_known_form:
        return "another form"
    is_exact = hostile_names.is_exact(options, event.values)
    arrived = is_exact and hostile_names.is_whole(options, event.values, event.line)
    return None if is_tampered or arrived else "forged"


def _event(random: random.Random) -> Event:
    names = (*VARIABLES.values(), "args")
    return Event(random.choice(LINES), {name: _hostile(random) for name in names})


def _hostile(random: random.Random) -> str:
    """Return a random user-chosen value: empty, plain, or able to break a trigger line apart."""
    if random.random() < 0.4:
        return random.choice(("", "ann", "P4V/NTX64/2024.1/123 (v86)", "a b", "jörg"))
    return "".join(random.choices(PIECES, k=random.randint(1, 7)))


CAMPAIGN = Campaign("trigger-words", "argument vectors", runs, 1_000_000)
