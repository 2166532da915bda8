"""Functions that run `p4warden-index` for its tests, which are skipped if it was not built."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

PROGRAM = Path(sys.executable).with_name("p4warden-index")
SHARED = Path(__file__).parents[3] / "shared"


def run(*words: str | Path, **more: Any) -> subprocess.CompletedProcess[str]:
    """Run the program `p4warden-index` with these arguments; return the finished process."""
    command = [str(PROGRAM), *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=False, **more)


def rows(*words: str | Path, text: str | None = None) -> list[dict[str, Any]]:
    """Run `p4warden-index`, which must succeed; return the JSON lines that it prints."""
    process = run(*words, input=text)
    assert (process.returncode, process.stderr) == (0, "")
    return [json.loads(line) for line in process.stdout.splitlines()]


def problem(*words: str | Path) -> str:
    """Run `p4warden-index`, which must fail; return its error line without the program's name."""
    process = run(*words)
    assert process.returncode in {1, 4}
    assert process.stdout == ""
    (line,) = process.stderr.splitlines()
    return line.removeprefix("p4warden-index: ")


def built(folder: Path, checkpoint: Path, *journals: Path) -> Path:
    """Build an index of a checkpoint and journals with `p4warden-index build`; return its path."""
    output = folder / "index"
    rows("build", "--output", output, *[f"--journal={one}" for one in journals], checkpoint)
    return output
