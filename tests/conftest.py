"""What all tests share: no settings of the person who runs them, and servers to talk to."""

import collections

import hypothesis
import pytest

from support import isolation, variants
from support.servers import connect, sandbox, server
from support.time_limit import (
    pytest_runtest_call,
    pytest_timeout_cancel_timer,
    pytest_timeout_set_timer,
)
from support.triggers import install, script
from support.variants import variant_row
from support.warden import warden
from support.workspaces import disk

__all__ = [
    "connect",
    "disk",
    "install",
    "isolation",
    "pytest_runtest_call",
    "pytest_timeout_cancel_timer",
    "pytest_timeout_set_timer",
    "sandbox",
    "script",
    "server",
    "variant_row",
    "warden",
]

# How long an example takes is no test's to say: machines are busy.
hypothesis.settings.register_profile(
    "unhurried", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("unhurried")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let `--variants=all` choose every row, not the sets of the releases alone."""
    parser.addoption("--variants", choices=("sets", "all"), default="sets")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test under the variants that it touches."""
    variants.parametrize(metafunc)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave a real server out where a row asks for variants of the sandbox."""
    items[:] = filter(variants.is_possible, items)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say once why tests were skipped, and how many."""
    reasons = collections.Counter(
        report.longrepr[2].removeprefix("Skipped: ")
        for report in terminalreporter.stats.get("skipped", [])
        if isinstance(report.longrepr, tuple)
    )
    for reason, number in sorted(reasons.items()):
        terminalreporter.write_line(f"{number} tests skipped: {reason}")
