"""Run P4Python's form parser in a child process, because it may crash or hang on users' text."""

from __future__ import annotations

import json
import select
import subprocess
import sys
from pathlib import Path
from typing import Any

CHILD = Path(__file__).parents[1] / "tests" / "oracle" / "p4_child.py"
DEADLINE_S = 10


class Vendor:
    def __init__(self) -> None:
        self._child: subprocess.Popen[str] | None = None

    def ask(self, **question: object) -> Any:
        """Ask `p4_child.py`; the answer is `...` (Ellipsis) if P4Python crashed or hung."""
        child = self._running()
        questions, answers = child.stdin, child.stdout
        try:
            questions.write(f"{json.dumps(question)}\n")
            questions.flush()
            ready, _, _ = select.select([answers], [], [], DEADLINE_S)
            line = answers.readline() if ready else ""
        except BrokenPipeError:
            line = ""
        if not line:
            self.close()
            return ...
        return json.loads(line)

    def close(self) -> None:
        if self._child:
            self._child.kill()
            self._child.communicate()
            self._child = None

    def _running(self) -> subprocess.Popen[str]:
        if self._child is None:
            self._child = subprocess.Popen(
                [sys.executable, str(CHILD)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
            )
        return self._child
