"""Tests that hang, and one that passes; test_time_limit.py runs them, pytest collects none."""

import subprocess
import time
from pathlib import Path

import pytest

from p4warden_sandbox import Sandbox
from support.servers import Connect
from support.triggers import Install, Script

# Shell command that starts a child process and hangs; both process ids go to the file `pids`.
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
