"""The numbers of examples of tests with random input.

`make test` tries a fifth of them; `make test-long` tries all, with hypothesis' profile `all`.
"""

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
