"""What the rules of a policy need of trigger lines, from `p4warden-gate lines`."""

from __future__ import annotations

import functools
import itertools
from typing import TYPE_CHECKING, Any, NamedTuple

from p4warden.asking.gate_program import answer

if TYPE_CHECKING:
    from collections.abc import Sequence


class RuleLines(NamedTuple):
    """The needs of one rule; none if it is off.

    Attributes:
        kind: `rule:` of the policy.
        events: the judged events, each with the type of its form or the name of its command; None
            for a submit.
        noted_forms: types of saved forms that triggers record for the rule and do not judge.
        options: options that a line for commands needs with a value, of those that not every
            policy needs.
        least_burst: the smallest burst of a rate's limits; None for a rule of another kind.
    """

    name: str
    kind: str
    events: tuple[tuple[str, str | None], ...]
    noted_forms: tuple[str, ...]
    options: frozenset[str]
    least_burst: int | None


@functools.lru_cache(maxsize=64)
def of_rules(policy: str) -> tuple[RuleLines, ...]:
    """Return the needs of each rule, in order, of a policy given as the text of `policy.json`.

    Raises:
        GateError: the gate cannot read the policy.
    """
    rules = answer("lines", text=policy.encode())
    return tuple(
        RuleLines(
            rule["name"],
            rule["kind"],
            tuple((event, subject) for event, subject in rule["events"]),
            tuple(rule["noted"]),
            frozenset(rule["options"]),
            rule["least_burst"],
        )
        for rule in rules
    )


def short(lines: RuleLines) -> list[Any]:
    """Return the needs of a rule as a short JSON list, without its name and kind.

    The gate reads over it for each event.
    """
    events = [
        [event, [subject for _, subject in pairs]]
        for event, pairs in itertools.groupby(lines.events, key=lambda pair: pair[0])
    ]
    return [events, lines.noted_forms, sorted(lines.options), lines.least_burst]


def of_short(name: str, kind: str, document: Sequence[Any]) -> RuleLines:
    """Return what `short` made a list of."""
    events, noted, options, least_burst = document
    pairs = tuple((event, subject) for event, subjects in events for subject in subjects)
    return RuleLines(name, kind, pairs, tuple(noted), frozenset(options), least_burst)
