"""Limit the work for proposals in a refusal, so that it never takes longer than the verdict."""

from __future__ import annotations


class EffortSpentError(Exception):
    """Error: the budget of work for a proposal is used up; the refusal goes without it."""


class Effort:
    """Budget of work for a refusal's proposals, in steps of a few microseconds each.

    A step is about the comparison of one name.

    Steps are counted, not timed, so that the same event gets the same proposal on every machine.
    """

    def __init__(self, steps: int) -> None:
        self._left = steps

    def spend(self, steps: int) -> None:
        """Deduct steps from the budget of work, before the work is done.

        Raises:
            EffortSpentError: too few steps remain.
        """
        self._left -= steps
        if self._left < 0:
            raise EffortSpentError


class OutOfTimeError(BaseException):
    """Error: judging a form takes too much processor time; the text follows `the form`.

    A timer signal raises this error at any point of the work, so code that handles `Exception`
    must not handle this one.
    """
