"""The core's functions about forms, in a child process: `triggers/gate/examples/oracle.rs`."""

from __future__ import annotations

import contextlib
import json
import subprocess
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

FOLDER = Path(__file__).parents[2] / "triggers" / "gate"
_BUILD = ("cargo", "build", "--quiet", "--locked", "--profile=test", "--example=oracle")


class Core:
    def __init__(self) -> None:
        subprocess.run(_BUILD, cwd=FOLDER, check=True)
        self._child = subprocess.Popen(
            [str(FOLDER / "target/debug/examples/oracle")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )

    def ask(self, **question: Any) -> Any:
        [answer] = self.ask_all([question])
        return answer

    def ask_all(self, questions: Sequence[dict[str, Any]]) -> list[Any]:
        """Return the answers in order; the questions are sent while answers are read."""
        assert self._child.stdout
        sender = Thread(target=self._send, args=(questions,))
        sender.start()
        lines = [self._child.stdout.readline() for _ in questions]
        sender.join()
        assert all(lines), f"the core died of one of {questions}"
        return [json.loads(line) for line in lines]

    def words(self, lines: Sequence[str]) -> list[list[str]]:
        """Return the words of each line of a view."""
        return self.ask_all([{"ask": "words", "text": line} for line in lines])

    def _send(self, questions: Sequence[dict[str, Any]]) -> None:
        assert self._child.stdin
        with contextlib.suppress(BrokenPipeError):
            self._child.stdin.writelines(json.dumps(one).encode() + b"\n" for one in questions)
            self._child.stdin.flush()

    def close(self) -> None:
        self._child.kill()
        self._child.communicate()
