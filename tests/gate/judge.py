"""Function that runs `p4warden-gate judge`, which judges events given as JSON lines."""

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
    """Judge events with `p4warden-gate judge`; return its answer to each, and its exit code.

    An event is an object, or a text that is sent as a line.
    """
    text = "".join(f"{e if isinstance(e, str) else json.dumps(e)}\n" for e in events)
    with tempfile.TemporaryDirectory(prefix="p4warden-judge-") as name:
        source = Path(name, "policy.json")
        source.write_text(json.dumps(policy))
        command = [str(PROGRAM), "judge", "--policy", str(source), *options]
        process = subprocess.run(command, input=text.encode(), capture_output=True, check=False)
    answers = [json.loads(line) for line in process.stdout.splitlines()]
    assert process.stderr.count(b"\n") == sum("error" in answer for answer in answers)
    return answers, process.returncode
