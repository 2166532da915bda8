"""The demo, played by the one file."""

import os
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.long
@pytest.mark.timeout(120)
def test_the_demo_shows_refusals_and_writes_its_report(one_file: Path, tmp_path: Path) -> None:
    page, temp = tmp_path / "report.html", tmp_path / "temp"
    temp.mkdir()
    process = subprocess.run(
        [os.path.realpath(sys.executable), "-I", one_file, "demo", page.name],
        cwd=tmp_path,
        env={"PATH": "/usr/bin:/bin", "TMPDIR": str(temp)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (process.returncode, process.stderr) == (0, "")
    assert "p4warden: rule=no-whole-depot limit=1 value=0" in process.stdout
    for part in (
        "\nnarrow-questions      1          1                 1  eve x 1",
        "(The first time is the start of the client, ",
        ": p4 sync with any arguments,\ndespite few-files.\n",
        "\nOff: the triggers of",
        "\nOn: the triggers of",
    ):
        assert part in process.stdout, part
    assert process.stdout.endswith("The triggers table is byte for byte the same as before.\n")
    assert "no-whole-depot" in page.read_text("utf-8")
    assert list(temp.iterdir()) == []
