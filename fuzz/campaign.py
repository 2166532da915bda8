"""A fuzz campaign: one kind of random input, judged by the code and by an independent oracle."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterator


class Tried(NamedTuple):
    """The result of trying some inputs.

    Attributes:
        count: the number of inputs.
        unexplained: the inputs on which code and oracle differ, each as a JSON object.
    """

    count: int
    unexplained: tuple[dict[str, Any], ...] = ()


class Campaign(NamedTuple):
    """A kind of random input.

    Attributes:
        name: its name on the command line.
        unit: the noun for the inputs, in the plural.
        runs: yields without end; every step tries some inputs from this random source.
        goal: the number of inputs of a full run.
    """

    name: str
    unit: str
    runs: Callable[[random.Random], Iterator[Tried]]
    goal: int


def finding(problem: str, **details: object) -> dict[str, Any]:
    """Return a problem that an input caused, and its data, as an object for JSON."""
    return {"problem": problem, **json.loads(json.dumps(details, default=repr))}
