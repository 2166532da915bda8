"""A count of work that may still be done, so that advice never takes longer than the verdict."""

from __future__ import annotations


class EffortSpentError(Exception):
    """No work is left to be done; the caller goes without the result."""


class Effort:
    """Work that is left, in steps: about one for each name looked at, some microseconds each.

    Steps are counted, not timed, so the same event gets the same advice on every machine.
    """

    def __init__(self, steps: int) -> None:
        """Allow `steps` steps."""
        self._left = steps

    def spend(self, steps: int) -> None:
        """Take steps before the work is done.

        Raises:
            EffortSpentError: fewer are left.
        """
        self._left -= steps
        if self._left < 0:
            raise EffortSpentError


class OutOfTimeError(BaseException):
    """A form takes too much processor time; the text follows `the form`.

    It is raised from outside, wherever the work stands, so nothing that handles an `Exception` may
    take it for one of its own.
    """
