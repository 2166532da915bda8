"""Test that a small run of the fuzz campaign on spellings of questions finds no problem."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

RUN = Path(__file__).parents[2] / "fuzz" / "run.py"


def test_no_spelling_of_a_question_gains_a_command() -> None:
    command = [sys.executable, str(RUN), "rate-spellings", "--scale", "0.005"]
    process = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "rate-spellings: 10,000 events, 0 unexplained" in process.stdout, process.stderr
    assert process.returncode == 0
