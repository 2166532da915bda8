"""Tests of the test suite's time limit: a hanging test fails, and the next test runs.

If the hanging test cannot be interrupted, the whole run ends.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from support.processes import wait_until_gone

ROOT = Path(__file__).parents[2]
HANGING = Path(__file__).with_name("hanging.py")


def run(folder: Path, test: str, *options: str) -> subprocess.CompletedProcess[str]:
    """Run a hanging test, and the test after it, with this project's pytest settings."""
    settings = ("-c", str(ROOT / "setup.cfg"), "-p", "no:cacheprovider", "-o", "timeout=1")
    plugins = [f"-psupport.{name}" for name in ("isolation", "servers", "triggers", "time_limit")]
    tests = (f"{HANGING}::{test}", f"{HANGING}::test_next")
    words = [sys.executable, "-m", "pytest", *settings, *plugins, *options, *tests]
    return subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("test", ["test_run", "test_leave", "test_fixture", "test_trigger"])
def test_a_hanging_test_ends_with_its_processes(test: str, tmp_path: Path) -> None:
    done = run(tmp_path, test)
    assert done.returncode == 1, done.stdout
    assert "Failed: Timeout" in done.stdout
    assert "1 passed" in done.stdout
    pids = (tmp_path / "pids").read_text().split()
    assert len(pids) == 2
    assert all(wait_until_gone(int(pid)) for pid in pids)


def test_a_test_that_outlives_its_limit_ends_the_run(tmp_path: Path) -> None:
    done = run(tmp_path, "test_sleep", "-o", "timeout=0", "-o", "faulthandler_timeout=2")
    assert done.returncode == 1
    assert "Timeout (0:00:02)!" in done.stderr
    assert "passed" not in done.stdout
