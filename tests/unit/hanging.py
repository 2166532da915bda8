"""Hanging tests, for test_time_limit.py. Pytest does not collect this file itself."""

import subprocess
import time
from pathlib import Path

import pytest

from p4warden_sandbox import Sandbox
from support.servers import Connect
from support.triggers import Install, Script

# A process that starts another one, and writes both process ids to a file.
CHILD = "echo $$ >>pids; sleep 600 & echo $! >>pids; wait"
START = ("sh", "-c", CHILD)


def test_run() -> None:
    subprocess.run(START, check=False)


def test_leave() -> None:
    with subprocess.Popen(START):
        pass


@pytest.fixture
def child() -> None:
    subprocess.run(START, check=False)


@pytest.mark.usefixtures("child")
def test_fixture() -> None:
    pass


def test_trigger(sandbox: Sandbox, install: Install, connect: Connect, script: Script) -> None:
    trigger = script(f"cd {Path.cwd()}; {CHILD}")
    install(sandbox, f't form-out client "{trigger}"')
    connect(sandbox).fetch_client("ws")


def test_sleep() -> None:
    time.sleep(600)


def test_next() -> None:
    pass
