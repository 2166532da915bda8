from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterable, Iterator


class CampaignResult(NamedTuple):
    count: int  # of inputs tried
    problems: tuple[dict[str, Any], ...] = ()  # each with its input as a JSON object


class Campaign(NamedTuple):
    name: str
    unit: str  # plural noun for the inputs, such as `forms`
    runs: Callable[[random.Random], Iterator[CampaignResult]]  # without end; none without a gate
    goal: int  # inputs of a full campaign


def finding(problem: str, **details: object) -> dict[str, Any]:
    """Return a problem with the input that caused it, as an object for JSON."""
    return {"problem": problem, **json.loads(json.dumps(details, default=repr))}


def endless(
    random: random.Random, step: int, attempt: Callable[[random.Random], Iterable[dict[str, Any]]]
) -> Iterator[CampaignResult]:
    """Try inputs without end; yield the results of each `step` of them."""
    while True:
        results = [problem for _ in range(step) for problem in attempt(random)]
        yield CampaignResult(step, tuple(results))
