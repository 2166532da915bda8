"""What the rules of a policy need of trigger lines, from `p4warden-gate lines`."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, NamedTuple

from p4warden.asking.gate_program import answer

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


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
    return read(answer("lines", text=policy.encode()))


def read(rules: Iterable[Mapping[str, Any]]) -> tuple[RuleLines, ...]:
    """Read the needs of rules from documents as the gate and `document` write them."""
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


def document(lines: RuleLines) -> dict[str, Any]:
    """Return the needs of a rule as `read` reads them."""
    fields = lines._asdict()
    return {**fields, "noted": fields.pop("noted_forms"), "options": sorted(lines.options)}
