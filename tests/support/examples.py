"""The numbers of examples of tests with random input, and the parts of long matrices.

`make test` tries a fifth of the examples and a part of a matrix; `make test-long` tries all, with
hypothesis' profile `all`.
"""

from collections.abc import Iterable

import pytest
from _pytest.mark import ParameterSet
from hypothesis import HealthCheck, settings

ALL, SOME = "all", "some"
_SHARE = 5


def register_profiles() -> None:
    """Register the profiles; hypothesis may take any time for one example on a busy machine."""
    default = settings.default
    assert default is not None
    for name, number in ((ALL, default.max_examples), (SOME, default.max_examples // _SHARE)):
        settings.register_profile(
            name,
            deadline=None,
            suppress_health_check=[HealthCheck.too_slow],
            max_examples=number,
        )


def examples(number: int) -> int:
    """Return the number itself, or the share of it that `make test` tries."""
    return number if settings.get_current_profile_name() == ALL else number // _SHARE


def every(number: int) -> int:
    """Return 1, or the distance of the steps that `make test` tries."""
    return 1 if settings.get_current_profile_name() == ALL else number


def long_but(part: Iterable[object], values: Iterable[object]) -> list[ParameterSet]:
    """Return the values of a parameter; those that are not in the part are marked `long`."""
    kept = [*part]
    return [pytest.param(v, marks=() if v in kept else pytest.mark.long) for v in values]
