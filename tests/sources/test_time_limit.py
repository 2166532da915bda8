"""Tests of the test suite's time limit: a hanging test fails, and the next test runs.

If the hanging test cannot be interrupted, the whole run ends.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from support.processes import wait_until_gone

pytestmark = pytest.mark.long
ROOT = Path(__file__).parents[2]
HANGING = Path(__file__).with_name("hanging.py")


HANGING_TESTS = (
    "test_run_of_a_child_process_hangs",
    "test_leaving_popen_hangs",
    "test_a_fixture_hangs",
    "test_a_trigger_hangs",
    "test_a_trigger_hangs_before_an_error",
)


def start(folder: Path, test: str, *options: str) -> subprocess.Popen[str]:
    """Start a hanging test, and the test after it, with this project's pytest settings."""
    folder.mkdir()
    settings = ("-c", str(ROOT / "setup.cfg"), "-p", "no:cacheprovider", "-o", "timeout=1")
    plugins = [f"-psupport.{name}" for name in ("isolation", "servers", "triggers", "time_limit")]
    tests = (f"{HANGING}::{test}", f"{HANGING}::test_the_test_after_a_hanging_test_passes")
    words = [sys.executable, "-m", "pytest", *settings, *plugins, *options, *tests]
    return subprocess.Popen(
        words, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def test_hanging_tests_fail_and_their_child_processes_end(tmp_path: Path) -> None:
    # Nearly all of the time is waiting, so the hanging tests run at the same time.
    processes = {test: start(tmp_path / test, test) for test in HANGING_TESTS}
    for test, process in processes.items():
        output, _ = process.communicate()
        assert process.returncode == 1, output
        assert "Failed: Timeout" in output, output
        assert "1 passed" in output
        # A fixture's failure is an error; the failure of a test is not followed by another one.
        assert (" error in " in output) == (test == "test_a_fixture_hangs"), output
        pids = (tmp_path / test / "pids").read_text().split()
        assert len(pids) == 2
        assert all(wait_until_gone(int(pid)) for pid in pids)


def test_a_hanging_test_without_a_timeout_ends_the_test_run(tmp_path: Path) -> None:
    options = ("-o", "timeout=0", "-o", "faulthandler_timeout=2")
    process = start(tmp_path / "folder", "test_sleep_hangs", *options)
    output, errors = process.communicate()
    assert process.returncode == 1
    assert "Timeout (0:00:02)!" in errors
    assert "passed" not in output
