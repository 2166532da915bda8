"""Tests of the rows of sandbox variants: every two compatible values occur together in a row."""

from p4warden_sandbox.known_variants import VARIANTS
from p4warden_sandbox.variants import checked
from support.make_pairs import compatible, held
from support.variants import pairs, rows_for

REMEDY = "run .venv/bin/python tests/support/make_pairs.py"


def test_every_pair_of_values_that_go_together_is_in_a_row() -> None:
    rows = [dict(row.settings.variants) for row in pairs()]
    missing = compatible().difference(*map(held, rows))
    assert not missing, REMEDY


def test_every_row_is_sound_and_names_every_variant() -> None:
    for row in pairs():
        values = row.settings.variants
        assert checked(values) == values
        assert set(values) == {variant.name for variant in VARIANTS}, REMEDY


def test_a_test_runs_once_under_rows_that_are_the_same_for_it() -> None:
    assert [row.name for row in rows_for(["table"], whole=False)] == ["default", "2019.1"]
    whole = [dict(row.settings.variants) for row in rows_for(["killed"], whole=True)]
    assert {"killed": "failure"} in whole
    assert len(whole) == 2


def test_a_release_counts_for_tests_that_touch_the_version() -> None:
    versions = {str(row.settings.server_version) for row in rows_for(["version"], whole=False)}
    assert versions == {"2019.1", "2024.2", "2026.1"}
