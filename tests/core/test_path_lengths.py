"""Tests of the length that nearly all paths of a site keep."""

import pytest

from p4warden.core.path_lengths import percent_over, rounded_up, usual_most

LENGTHS = [(50, 98), (130, 1), (200, 1)]


def test_the_usual_length_is_that_which_99_percent_of_the_paths_do_not_exceed() -> None:
    assert usual_most(LENGTHS) == 130
    assert usual_most([(70, 100)]) == 70
    assert usual_most([(10, 50), (20, 48), (30, 2)]) == 30


def test_too_few_paths_tell_no_usual_length() -> None:
    assert usual_most([]) is None
    assert usual_most([(70, 99)]) is None


@pytest.mark.parametrize(("limit_bytes", "percent"), [(49, 100), (50, 2), (130, 1), (200, 0)])
def test_paths_over_a_limit_are_a_percentage(limit_bytes: int, percent: float) -> None:
    assert percent_over(LENGTHS, limit_bytes) == pytest.approx(percent)


def test_without_paths_none_is_over_a_limit() -> None:
    assert percent_over([], 1) == 0


@pytest.mark.parametrize(("length_bytes", "limit_bytes"), [(121, 140), (140, 140), (141, 160)])
def test_a_limit_is_rounded_up_to_20_bytes(length_bytes: int, limit_bytes: int) -> None:
    assert rounded_up(length_bytes) == limit_bytes
