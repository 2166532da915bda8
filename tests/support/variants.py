"""Choose the sandbox variants under which each test runs.

A variant is a behaviour of p4d for which the sandbox offers several values. A test that names the
behaviours it touches, `@pytest.mark.touches("table", "killed")`, runs with the default values, and
with `--variants=all` also with the values known for three server releases, as far as these change
a named behaviour, and with each single value of the named variants. A test marked `*`, which
touches every behaviour, then runs with the pairwise rows of `pairs.json` too. Rows that are equal
for a test are merged. The name `version` stands for the server's release.
"""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from p4warden_sandbox import Settings, like
from p4warden_sandbox.variant_definitions import VARIANTS
from p4warden_sandbox.variants import choice_from_words

RELEASES = ("2019.1", "2024.2", "2026.1")
PAIRS = Path(__file__).parents[1] / "cases" / "variants" / "pairs.json"
ALL = "*"
VERSION = "version"
NAMES = tuple(variant.name for variant in VARIANTS)


class Row(NamedTuple):
    """Sandbox settings (variants and release) for one run of a test, named for its test id."""

    name: str
    settings: Settings

    def about(self, names: Iterable[str]) -> "Row":
        """Return these sandbox settings with the named variants' values only, else defaults."""
        expected = set(names)
        variants = {name: v for name, v in self.settings.variants.items() if name in expected}
        release = self.settings.server_version if VERSION in expected else DEFAULT.server_version
        settings = DEFAULT._replace(variants=variants, server_version=release)
        if not settings.behaves("security", "0"):
            users = tuple(user._replace(has_password=True) for user in settings.users)
            settings = settings._replace(users=users)
        return self._replace(settings=settings)

    @property
    def key(self) -> tuple[object, ...]:
        """Key equal for rows of settings with the same effect: release and non-default values."""
        choice = {(n, v) for n, v in self.settings.variants.items() if v != _DEFAULTS[n]}
        return (self.settings.server_version, *sorted(choice))


DEFAULT = Settings()
_DEFAULTS = {variant.name: variant.default for variant in VARIANTS}


def sets() -> Iterator[Row]:
    """Yield one row of sandbox settings for each server release."""
    for release in RELEASES:
        yield Row(release, like(release))


def alone() -> Iterator[Row]:
    """Yield the sandbox settings of a test run with one variant at a value not the default."""
    for variant in VARIANTS:
        for value in variant.values[1:]:
            name = f"{variant.name}={value}"
            yield Row(name, Settings(variants={variant.name: value}))


def pairs() -> Iterator[Row]:
    """Yield the rows of `pairs.json`, in which every two values of two variants occur together.

    Pairs of values that exclude each other do not occur.
    """
    for number, values in enumerate(json.loads(PAIRS.read_text("utf-8")), start=1):
        yield Row(f"pairs-{number}", Settings(variants=values))


def rows_for(variant_names: Iterable[str], *, all_values: bool) -> list[Row]:
    """Return the rows of sandbox settings for a test that touches the named behaviours.

    Args:
        variant_names: names of variants; `version` for the server's release; `*` for everything.
        all_values: whether to add rows of releases and of single values, and for `*` also rows of
            pairs, as with `--variants=all`.

    Raises:
        UsageError: a name is not a variant of the sandbox.
    """
    names = set(variant_names)
    rows = [*sets(), *alone()] if all_values else []
    if ALL in names:
        rows += [*pairs()] if all_values else []
        names = {*NAMES, VERSION}
    if unknown := names - {*NAMES, VERSION}:
        raise pytest.UsageError(f"touches names no variant of the sandbox: {sorted(unknown)}")
    results = {Row("default", DEFAULT).key: Row("default", DEFAULT)}
    for row in rows:
        results.setdefault(row.about(names).key, row.about(names))
    return list(results.values())


@pytest.fixture
def variant_row(request: pytest.FixtureRequest) -> Row:
    """Fixture: the row of settings (variants, release) for the servers of a test.

    `@pytest.mark.state(server_id="set")` asks for a server that is not as bare as a new one; an
    underscore stands for the hyphen in a variant's name. `--variant=NAME=VALUE` is for all others.
    """
    row: Row = getattr(request, "param", Row("default", DEFAULT))
    asked = {
        name.replace("_", "-"): value
        for marker in request.node.iter_markers("state")
        for name, value in marker.kwargs.items()
    }
    everywhere = choice_from_words(request.config.getoption("--variant"))
    variants = {**row.settings.variants, **everywhere, **asked}
    return row._replace(settings=row.settings._replace(variants=variants))


def parametrize(metafunc: pytest.Metafunc) -> None:
    """Parametrize a test marked with `touches` so that it runs with each of its setting rows."""
    markers = list(metafunc.definition.iter_markers("touches"))
    if not markers or "variant_row" not in metafunc.fixturenames:
        return
    variant_names = [name for marker in markers for name in marker.args]
    all_values = metafunc.config.getoption("--variants") == "all"
    rows = rows_for(variant_names, all_values=all_values)
    metafunc.parametrize("variant_row", rows, ids=[row.name for row in rows], indirect=True)


def is_possible(item: pytest.Item) -> bool:
    """Tell whether a test's server supports the test's row of sandbox variants.

    The sandbox supports each row, a real p4d only the default one.
    """
    parameters: dict[str, Any] = getattr(getattr(item, "callspec", None), "params", {})
    row = parameters.get("variant_row")
    return row is None or row.name == "default" or parameters.get("server") != "p4d"
