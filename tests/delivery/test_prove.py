"""`prove` by the one file, on a Python without packages."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from prove.p4ds import MakeProgram, program, sandbox

__all__ = ["program"]


@pytest.mark.long
@pytest.mark.timeout(120)
def test_the_file_proves_a_server_with_its_own_gate_and_leaves_nothing(
    one_file: Path, program: MakeProgram, tmp_path: Path
) -> None:
    report, temp = tmp_path / "report.json", tmp_path / "temp"
    temp.mkdir()
    process = subprocess.run(
        [
            base_python(),
            "-I",
            one_file,
            "prove",
            "--p4d",
            program(sandbox("2024.2")),
            "--json",
            report,
        ],
        env={**os.environ, "TMPDIR": str(temp)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 0, process.stdout + process.stderr
    values = {fact["id"]: fact["value"] for fact in json.loads(report.read_text("utf-8"))["facts"]}
    assert values["whole_life.rate"] == "refused"
    assert values["whole_life.wide-client"] == "refused"
    assert str(tmp_path) not in report.read_text("utf-8")
    assert list(temp.iterdir()) == []


def base_python() -> str:
    return os.path.realpath(sys.executable)
