"""Pytest fixtures and options for all tests: isolation from a user's Perforce settings,
servers.
"""

import collections

import hypothesis
import pytest

from support import examples, isolation, variants
from support.broken_gates import noexec, public_folder
from support.one_file import one_file
from support.servers import connect, sandbox, server
from support.time_limit import (
    pytest_runtest_call,
    pytest_timeout_cancel_timer,
    pytest_timeout_set_timer,
)
from support.triggers import install, script
from support.variants import variant_row
from support.waiting_commands import waiting
from support.warden import warden
from support.workspaces import disk

__all__ = [
    "connect",
    "disk",
    "install",
    "isolation",
    "noexec",
    "one_file",
    "public_folder",
    "pytest_runtest_call",
    "pytest_timeout_cancel_timer",
    "pytest_timeout_set_timer",
    "sandbox",
    "script",
    "server",
    "variant_row",
    "waiting",
    "warden",
]

examples.register_profiles()
hypothesis.settings.load_profile(examples.SOME)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add option `--variants`, of which `all` runs a test under all variants that it touches, and
    `--variant` for a value under which every sandbox of the fixtures runs.
    """
    parser.addoption("--variants", choices=("default", "all"), default="default")
    parser.addoption("--variant", action="append", default=[], metavar="NAME=VALUE")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run each test marked with `touches` under the sandbox settings that the mark selects."""
    variants.parametrize(metafunc)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Deselect tests that need a variant of the sandbox, if they would run on a real p4d."""
    items[:] = filter(variants.is_possible, items)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print each reason for skipped tests once after the test run, with the number of tests."""
    reasons = collections.Counter(
        report.longrepr[2].removeprefix("Skipped: ")
        for report in terminalreporter.stats.get("skipped", [])
        if isinstance(report.longrepr, tuple)
    )
    for reason, number in sorted(reasons.items()):
        terminalreporter.write_line(f"{number} tests skipped: {reason}")
