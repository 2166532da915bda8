"""Tests of the sandbox's variants: choices, error messages, and the rows that tests run under.

Every two compatible values of variants occur together in a row.
"""

import contextlib
import io

import pytest

from p4warden import cli
from p4warden.core.errors import P4WardenError
from p4warden_sandbox import Sandbox, ServerVersion, Settings, choice_from_words, like, listing
from p4warden_sandbox.variant_definitions import EXCLUSIONS, VARIANTS
from p4warden_sandbox.variants import checked
from support.make_pairs import compatible, pairs_of
from support.variants import pairs, rows_for

REMEDY = "run .venv/bin/python tests/support/make_pairs.py"


def refused(**variants: str) -> str:
    with pytest.raises(P4WardenError) as error:
        Settings(variants={name.replace("_", "-"): v for name, v in variants.items()}).settled()
    return str(error.value)


def test_an_unset_variant_has_its_first_value() -> None:
    settings = Settings(variants={"table": "connection"}).settled()
    assert settings.behaves("table", "connection")
    assert settings.behaves("killed", "success")


def test_an_unknown_variant_name_is_refused_with_a_similar_name() -> None:
    assert refused(tabel="connection") == "no variant 'tabel': did you mean table?"


def test_an_unknown_variant_value_is_refused_with_a_similar_value_or_all_values() -> None:
    assert (
        refused(table="conection") == "variant table is not 'conection': did you mean connection?"
    )
    assert refused(table="x") == "variant table is not 'x': choose one of command, connection"


def test_variant_values_that_exclude_each_other_are_refused_with_the_reason() -> None:
    assert refused(killed="failure", triggers_io="1") == (
        "variants killed=failure and triggers-io=1 exclude each other: with triggers.io=1 the "
        "answer counts and the exit status does not"
    )


def test_a_sandbox_with_an_unknown_variant_is_refused() -> None:
    with pytest.raises(P4WardenError, match="no variant 'x'"):
        Sandbox(Settings(variants={"x": "y"}))


def test_variants_are_read_from_name_value_arguments() -> None:
    assert choice_from_words(["table=connection", "killed=failure"]) == {
        "table": "connection",
        "killed": "failure",
    }
    with pytest.raises(P4WardenError) as error:
        choice_from_words(["groups"])
    assert str(error.value) == (
        "variant 'groups' has no value: write NAME=VALUE as in groups=direct"
    )


def test_querying_an_undeclared_variant_value_raises_a_key_error() -> None:
    with pytest.raises(KeyError, match="killed=succes"):
        Settings().behaves("killed", "succes")


def test_variants_case_unicode_and_triggers_io_change_their_settings() -> None:
    choice = {"case": "insensitive", "unicode": "on", "triggers-io": "1"}
    settings = Settings(variants=choice).settled()
    assert (settings.case_sensitive, settings.unicode, settings.triggers_io) == (False, True, True)
    assert Settings(unicode=True).settled().unicode


@pytest.mark.parametrize("release", ["2019.1", "2019.2", "2020.1", "2024.2", "2026.1"])
def test_settings_like_a_release_have_its_version_and_valid_variants(release: str) -> None:
    settings = like(release).settled()
    assert str(settings.server_version) == release
    assert settings.behaves("table", "connection")


def test_server_levels_increase_with_the_release() -> None:
    levels = [ServerVersion(2019, 1), ServerVersion(2020, 1), ServerVersion(2024, 2)]
    assert [version.level for version in levels] == [48, 50, 59]


def test_settings_like_a_release_before_2019_are_refused() -> None:
    with pytest.raises(P4WardenError, match=r"write a release from 2019\.1 on"):
        like("2018.2")


def test_the_variant_list_has_the_values_and_source_of_every_variant() -> None:
    text = listing()
    for variant in VARIANTS:
        assert f"{variant.name}={'|'.join(variant.values)}\n" in text
        assert variant.source in text


def test_every_exclusion_refers_to_declared_variant_values() -> None:
    pairs = {(v.name, value) for v in VARIANTS for value in v.values}
    assert {pair for e in EXCLUSIONS for pair in (e.first_value, e.second_value)} <= pairs


def ran(*arguments: str) -> tuple[int, str]:
    output = io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
        code = cli.run(["sandbox", *arguments])
    return code, output.getvalue()


def test_option_list_variants_lists_the_variants() -> None:
    code, text = ran("--list-variants")
    assert code == 0
    assert "table=command|connection\n    The triggers table is read for each command" in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--variant", "tabel=x"], "no variant 'tabel': did you mean table?"),
        (["--variant", "table"], "variant 'table' has no value: write NAME=VALUE as in "),
        (["--like", "2018.2"], "server version '2018.2': write a release from 2019.1 on"),
        (["--like", "2026.1", "--variant", "triggers-io=1"], "killed=failure and triggers-io=1"),
    ],
)
def test_invalid_variant_options_are_reported_in_one_line(
    arguments: list[str], message: str
) -> None:
    code, text = ran(*arguments)
    assert code == 1
    assert text.startswith("p4warden: ")
    assert message in text
    assert text.count("\n") == 1


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
    assert [row.name for row in rows_for(["table"], all_values=False)] == ["default"]
    assert "2019.1" in [row.name for row in rows_for(["table"], all_values=True)]
    all_rows = [dict(row.settings.variants) for row in rows_for(["killed"], all_values=True)]
    assert {"killed": "failure"} in all_rows
    assert len(all_rows) == 2


def test_tests_that_touch_the_version_run_under_three_releases() -> None:
    # The default is one of them.
    versions = {str(row.settings.server_version) for row in rows_for(["version"], all_values=True)}
    assert versions == {"2019.1", "2024.2", "2026.1"}
