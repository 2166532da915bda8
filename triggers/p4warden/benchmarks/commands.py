from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

import P4

from p4warden.benchmarks.bench_server import is_refusal, rows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from p4warden.benchmarks.timings import Timings


def timed(p4: P4.P4, timings: Timings, name: str, *command: str) -> list[Any]:
    """Return the rows of a command, whose duration is recorded; none if p4warden refused it."""
    found = list[Any]()
    with tried(timings, name), timings.timed(name):
        found = rows(p4, *command)
    return found  # noqa: RET504 - a refusal ends the block before


@contextlib.contextmanager
def tried(timings: Timings, name: str) -> Iterator[None]:
    """Count a refusal by a rule of p4warden in the block, and end the block there."""
    try:
        yield
    except P4.P4Exception as error:
        if not is_refusal(error):
            raise
        timings.refuse(name)
