"""Choose the variants of the sandbox that a test runs under.

A test that names the behaviours it touches, `@pytest.mark.touches("table", "killed")`, runs under
the default and under the sets of three releases, as far as these set a named behaviour. With
`--variants=all` it runs under each of the values alone as well, and a test with `*`, which touches
everything, under the rows that contain every two values together. Rows that are equal for a test
are merged. `version` stands for the server's release. Slow tests set `fast=False` and run under
the sets only with `--variants=all`.
"""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from p4warden_sandbox import Settings, like
from p4warden_sandbox.known_variants import VARIANTS

RELEASES = ("2019.1", "2024.2", "2026.1")
PAIRS = Path(__file__).parents[1] / "cases" / "variants" / "pairs.json"
ALL = "*"
VERSION = "version"
NAMES = tuple(variant.name for variant in VARIANTS)


class Row(NamedTuple):
    """Settings for a run of a test, and the name that identifies them."""

    name: str
    settings: Settings

    def about(self, names: Iterable[str]) -> "Row":
        """Return the row of settings restricted to the values of these variants."""
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
        """A key that is the same for equal rows: the release, and all values but defaults."""
        choice = {(n, v) for n, v in self.settings.variants.items() if v != _DEFAULTS[n]}
        return (self.settings.server_version, *sorted(choice))


DEFAULT = Settings()
_DEFAULTS = {variant.name: variant.default for variant in VARIANTS}


def sets() -> Iterator[Row]:
    """Yield the sets of the releases that every test run covers."""
    for release in RELEASES:
        yield Row(release, like(release))


def alone() -> Iterator[Row]:
    """Yield a row for each value of each variant, except defaults."""
    for variant in VARIANTS:
        for value in variant.values[1:]:
            name = f"{variant.name}={value}"
            yield Row(name, Settings(variants={variant.name: value}))


def pairs() -> Iterator[Row]:
    """Yield rows in which each value of a variant occurs with each value of every other.

    Pairs of values that exclude each other are left out.
    """
    for number, values in enumerate(json.loads(PAIRS.read_text("utf-8")), start=1):
        yield Row(f"pairs-{number}", Settings(variants=values))


def rows_for(touched: Iterable[str], *, whole: bool, fast: bool = True) -> list[Row]:
    """Return the rows for a test that touches these behaviours.

    Args:
        touched: names of variants, `version` or `*`.
        whole: whether to use all rows, not only the sets.
        fast: whether the test runs under the sets if only these are used.
    """
    names = set(touched)
    rows = [*sets()] if fast or whole else []
    rows += [*alone()] if whole else []
    if ALL in names:
        rows += [*pairs()] if whole else []
        names = {*NAMES, VERSION}
    if unknown := names - {*NAMES, VERSION}:
        raise pytest.UsageError(f"touches names no variant of the sandbox: {sorted(unknown)}")
    results = {Row("default", DEFAULT).key: Row("default", DEFAULT)}
    for row in rows:
        results.setdefault(row.about(names).key, row.about(names))
    return list(results.values())


@pytest.fixture
def variant_row(request: pytest.FixtureRequest) -> Row:
    """Fixture: the settings (variants, users, release) of a test's sandbox servers."""
    row: Row = getattr(request, "param", Row("default", DEFAULT))
    return row


def parametrize(metafunc: pytest.Metafunc) -> None:
    """Run a test that touches behaviours under each of its rows."""
    marked = list(metafunc.definition.iter_markers("touches"))
    if not marked or "variant_row" not in metafunc.fixturenames:
        return
    touched = [name for marker in marked for name in marker.args]
    fast = all(marker.kwargs.get("fast", True) for marker in marked)
    whole = metafunc.config.getoption("--variants") == "all"
    rows = rows_for(touched, whole=whole, fast=fast)
    metafunc.parametrize("variant_row", rows, ids=[row.name for row in rows], indirect=True)


def is_possible(item: pytest.Item) -> bool:
    """Tell whether a test's server can follow its row; only the sandbox can."""
    parameters: dict[str, Any] = getattr(getattr(item, "callspec", None), "params", {})
    row = parameters.get("variant_row")
    return row is None or row.name == "default" or parameters.get("server") != "p4d"
