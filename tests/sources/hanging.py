"""Tests that hang, and one that passes; test_time_limit.py runs them, pytest collects none."""

import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from p4warden_sandbox import Sandbox
from support.servers import ClientFactory
from support.triggers import Install, Script

# Shell command that starts a child process and hangs; both process ids go to the file `pids`.
CHILD = "echo $$ >>pids; sleep 600 & echo $! >>pids; wait"
START = ("sh", "-c", CHILD)


def test_run_of_a_child_process_hangs() -> None:
    subprocess.run(START, check=False)


def test_leaving_popen_hangs() -> None:
    with subprocess.Popen(START):
        pass


@pytest.fixture
def child() -> None:
    subprocess.run(START, check=False)


@pytest.mark.usefixtures("child")
def test_a_fixture_hangs() -> None:
    pass


def test_a_trigger_hangs(
    sandbox: Sandbox, install: Install, connect: ClientFactory, script: Script
) -> None:
    trigger = script(f"cd {Path.cwd()}; {CHILD}")
    install(sandbox, f't form-out client "{trigger}"')
    connect(sandbox).fetch_client("ws")


@pytest.fixture
def no_alarm() -> Iterator[None]:
    """Fixture: fail if a later signal would interrupt what follows the test."""
    yield
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


@pytest.mark.usefixtures("no_alarm")
def test_a_trigger_hangs_before_an_error(
    sandbox: Sandbox, install: Install, connect: ClientFactory, script: Script
) -> None:
    test_a_trigger_hangs(sandbox, install, connect, script)
    raise ValueError


def test_sleep_hangs() -> None:
    time.sleep(600)


def test_the_test_after_a_hanging_test_passes() -> None:
    pass
