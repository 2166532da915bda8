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
    tests = (f"{HANGING}::{test}", f"{HANGING}::test_the_test_after_a_hanging_test_passes")
    words = [sys.executable, "-m", "pytest", *settings, *plugins, *options, *tests]
    return subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    "test",
    [
        "test_run_of_a_child_process_hangs",
        "test_leaving_popen_hangs",
        "test_a_fixture_hangs",
        "test_a_trigger_hangs",
    ],
)
def test_a_hanging_test_fails_and_its_child_processes_end(test: str, tmp_path: Path) -> None:
    process = run(tmp_path, test)
    assert process.returncode == 1, process.stdout
    assert "Failed: Timeout" in process.stdout
    assert "1 passed" in process.stdout
    pids = (tmp_path / "pids").read_text().split()
    assert len(pids) == 2
    assert all(wait_until_gone(int(pid)) for pid in pids)


def test_a_hanging_test_without_a_timeout_ends_the_test_run(tmp_path: Path) -> None:
    process = run(tmp_path, "test_sleep_hangs", "-o", "timeout=0", "-o", "faulthandler_timeout=2")
    assert process.returncode == 1
    assert "Timeout (0:00:02)!" in process.stderr
    assert "passed" not in process.stdout
