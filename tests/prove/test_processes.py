"""Tests of the processes that `p4warden prove` starts."""

from __future__ import annotations

import os
import signal
import sys
from typing import TYPE_CHECKING

from p4warden.prove.processes import running

if TYPE_CHECKING:
    from pathlib import Path

WRITE_ACTION = """\
import pathlib, signal, sys
pathlib.Path(sys.argv[1]).write_text(signal.getsignal(signal.SIGQUIT).name)
"""


def test_a_started_p4d_does_not_inherit_ignored_signals(tmp_path: Path) -> None:
    file = tmp_path / "action"
    before = signal.signal(signal.SIGQUIT, signal.SIG_IGN)
    try:
        command = [sys.executable, "-c", WRITE_ACTION, str(file)]
        with running(command, dict(os.environ), str(tmp_path), 1) as process:
            assert process.wait(30) == 0
        assert signal.getsignal(signal.SIGQUIT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGQUIT, before)
    assert file.read_text() == "SIG_DFL"
