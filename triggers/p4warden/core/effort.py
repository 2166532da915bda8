"""Limits of the work for judging a form, and of that for the proposals in a refusal."""

from __future__ import annotations


class EffortSpentError(Exception):
    """Error: the budget of work for proposals is used up; no further lines are proposed."""


class Effort:
    """Budget of work for a refusal's proposals, in steps of a few microseconds each.

    Steps are counted, not timed, so that the budget does not depend on the machine's speed.
    """

    def __init__(self, steps: int) -> None:
        self._steps_left = steps

    def spend(self, steps: int) -> None:
        """Deduct steps from the budget of work, before the work is done.

        Raises:
            EffortSpentError: too few steps remain.
        """
        self._steps_left -= steps
        if self._steps_left < 0:
            raise EffortSpentError


class OutOfTimeError(BaseException):
    """Error: a form cannot be judged in the time allowed; the text follows `the form`.

    A timer signal can raise this error at any point of the work. It is no `Exception`, so that
    code for other errors does not catch it.
    """
