from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import P4

from p4warden.server.reply import Reply

if TYPE_CHECKING:
    from collections.abc import Iterator

    from p4warden.server.reply import Row
    from p4warden.workbench.benchmarks.timings import Timings

_REFUSED_BY_TRIGGER = "p4warden: rule="


def timed(p4: P4.P4, timings: Timings, name: str, *command: str) -> list[Row]:
    """Return the rows of a command, whose duration is recorded; none if p4warden refused it."""
    found: list[Row] = []
    with measured(timings, name):
        found = rows(p4, *command)
    return found  # noqa: RET504 - a refusal ends the block before


@contextlib.contextmanager
def measured(timings: Timings, name: str, files: int = 0) -> Iterator[None]:
    """Record the duration of a block; a refusal by a rule of p4warden is counted and ends it."""
    try:
        with timings.timed(name, files):
            yield
    except P4.P4Exception as error:
        if _REFUSED_BY_TRIGGER not in str(error):
            raise
        timings.refuse(name)


def rows(p4: P4.P4, *command: str) -> list[Row]:
    """Return the rows of a command whose empty answer is not an error."""
    found: list[Row] = []
    with p4.at_exception_level(P4.P4.RAISE_ERRORS):
        Reply(found.append).receive(p4, *command)
    return found
