"""Send events, one JSON line each, through the program `p4warden-gate judge`."""

from __future__ import annotations

import json
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gate.program import PROGRAM

if TYPE_CHECKING:
    from collections.abc import Iterable


def judge(
    policy: dict[str, Any], events: Iterable[object], *options: str
) -> tuple[list[dict[str, Any]], int]:
    """Judge events, objects or lines; return the answers and the exit code."""
    text = "".join(f"{e if isinstance(e, str) else json.dumps(e)}\n" for e in events)
    with tempfile.TemporaryDirectory(prefix="p4warden-judge-") as name:
        source = Path(name, "policy.json")
        source.write_text(json.dumps(policy))
        command = [str(PROGRAM), "judge", "--policy", str(source), *options]
        done = subprocess.run(command, input=text.encode(), capture_output=True, check=False)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.stderr.count(b"\n") == sum("error" in answer for answer in answers)
    return answers, done.returncode
