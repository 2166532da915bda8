"""Processes like those of p4d, one for each connection: copies of this one that start the gate."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from support.kernel_answers import is_asleep

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class Answer(NamedTuple):
    """The gate's exit code and text for a command, and when it came."""

    code: int
    text: str
    time_s: float


class Stay(NamedTuple):
    """When a command began to run, and when it had ended."""

    began_s: float
    ended_s: float


class Connection:
    """A process that sends commands, each by its trigger line, and then stays for a while."""

    def __init__(self, *lines: list[str], stay_s: float = 0) -> None:
        reader, writer = os.pipe()
        self.pid = os.fork()
        os.setpgid(self.pid, self.pid)  # in both processes, as either may come first
        if self.pid == 0:
            _run(lines, stay_s, writer)
        os.close(writer)
        self._replies = os.fdopen(reader)

    def answer(self) -> Answer:
        """Return the answer to the next command."""
        return Answer(*json.loads(self._replies.readline()))

    def waits(self, time_s: float) -> bool:
        """Return whether no answer comes for so long."""
        return not select.select([self._replies], [], [], time_s)[0]

    def end_s(self) -> float:
        """Return when the connection ended; wait until then."""
        end_s: float = json.loads(self._replies.readline())
        return end_s

    def waiting_gate(self) -> int:
        """Return the process of the gate, once it waits for its turn."""
        children = Path(f"/proc/{self.pid}/task/{self.pid}/children")
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline:
            pid = children.read_text("ascii").split()
            if pid and is_asleep(int(pid[0])):
                return int(pid[0])
        raise AssertionError("the gate does not wait")

    def kill(self) -> None:
        """End the connection and its gate."""
        if self.pid:
            os.killpg(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
            self._replies.close()
            self.pid = 0


def _run(lines: Iterable[list[str]], stay_s: float, writer: int) -> None:
    def write(value: object) -> None:
        os.write(writer, json.dumps(value).encode() + b"\n")

    try:
        for line in lines:
            done = subprocess.run(line, capture_output=True, text=True, check=False)
            write(Answer(done.returncode, done.stdout, time.monotonic()))
        time.sleep(stay_s)
        write(time.monotonic())
    finally:
        os._exit(0)


def most_at_once(stays: Sequence[Stay]) -> int:
    """Return the largest number of commands that ran at one time."""
    starts = [stay.began_s for stay in stays]
    return max(sum(one.began_s <= start < one.ended_s for one in stays) for start in starts)
