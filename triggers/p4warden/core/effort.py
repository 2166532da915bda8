"""A budget of work for advice, so that advice never takes longer than the verdict."""

from __future__ import annotations


class EffortSpentError(Exception):
    """The budget is used up; the caller does without the result."""


class Effort:
    """Remaining steps of work: one for each name compared, a few microseconds each.

    Steps are counted, not timed, so the same event gets the same advice on every machine.
    """

    def __init__(self, steps: int) -> None:
        """Start with `steps` steps of work that may be spent on advice."""
        self._left = steps

    def spend(self, steps: int) -> None:
        """Deduct steps from the budget before doing their work.

        Raises:
            EffortSpentError: too few steps remain.
        """
        self._left -= steps
        if self._left < 0:
            raise EffortSpentError


class OutOfTimeError(BaseException):
    """A form takes too much processor time; the text follows the words `the form`.

    A timer signal raises this error at any point of the work, so code that handles `Exception`
    must not handle this one.
    """
