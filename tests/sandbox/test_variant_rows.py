"""Tests of the rows of sandbox variants: every two compatible values occur together in a row."""

from p4warden_sandbox.variant_definitions import VARIANTS
from p4warden_sandbox.variants import checked
from support.make_pairs import compatible, pairs_of
from support.variants import pairs, rows_for

REMEDY = "run .venv/bin/python tests/support/make_pairs.py"


def test_every_compatible_pair_of_variant_values_is_in_a_row() -> None:
    rows = [dict(row.settings.variants) for row in pairs()]
    missing = compatible().difference(*map(pairs_of, rows))
    assert not missing, REMEDY


def test_every_row_is_valid_and_contains_every_variant() -> None:
    for row in pairs():
        values = row.settings.variants
        assert checked(values) == values
        assert set(values) == {variant.name for variant in VARIANTS}, REMEDY


def test_a_test_runs_only_under_rows_that_differ_in_its_variants() -> None:
    assert [row.name for row in rows_for(["table"], all_values=False)] == ["default", "2019.1"]
    all_rows = [dict(row.settings.variants) for row in rows_for(["killed"], all_values=True)]
    assert {"killed": "failure"} in all_rows
    assert len(all_rows) == 2


def test_tests_that_touch_the_version_run_under_three_releases() -> None:
    versions = {
        str(row.settings.server_version) for row in rows_for(["version"], all_values=False)
    }
    assert versions == {"2019.1", "2024.2", "2026.1"}
