"""Types for fuzz campaigns, which try random inputs on p4warden, and for their results."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterator


class CampaignResult(NamedTuple):
    """The result of trying some random inputs in a fuzz campaign.

    Attributes:
        count: the number of inputs tried.
        problems: the problems found, such as a difference between p4warden and the oracle, each
            with its input as a JSON object.
    """

    count: int
    problems: tuple[dict[str, Any], ...] = ()


class Campaign(NamedTuple):
    """A fuzz campaign: one kind of random input, and the function that tries such inputs.

    Attributes:
        name: the campaign's name on the command line of `fuzz/run.py`.
        unit: the plural noun for the inputs, such as `forms`.
        runs: takes a random source, and yields results of more inputs without end; none if the
            gate is needed and not installed.
        goal: the number of inputs of a full campaign.
    """

    name: str
    unit: str
    runs: Callable[[random.Random], Iterator[CampaignResult]]
    goal: int


def finding(problem: str, **details: object) -> dict[str, Any]:
    """Return a problem found by fuzzing, with the input that caused it, as an object for JSON."""
    return {"problem": problem, **json.loads(json.dumps(details, default=repr))}
