"""Starts `p4warden-log count`, which counts the lines of a decision log."""

from __future__ import annotations

import contextlib
import json
import subprocess
from subprocess import PIPE
from typing import IO, TYPE_CHECKING, Any, cast

from p4warden.core.errors import P4WardenError
from p4warden.home.installed_program import InstalledProgram
from p4warden.reports.figures import ENTRIES, MOST_ROWS, Sums, figures_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from p4warden.reports.figures import Figures

PROGRAM = InstalledProgram("p4warden-log", P4WardenError)


@contextlib.contextmanager
def counted(lines: Iterable[bytes], words: Iterable[str]) -> Iterator[tuple[Sums, IO[bytes]]]:
    """Yield sums and the output with one JSON object of lists, a line for each entry.

    Args:
        lines: of the log, with or without line ends.
        words: names of figures, and options, as `p4warden-log count` takes them.

    Raises:
        P4WardenError: the program is not installed, or fails.
    """
    command = [PROGRAM.path(), "count", *words]
    with subprocess.Popen(command, stdin=PIPE, stdout=PIPE, stderr=PIPE) as child:
        pipes = (child.stdin, child.stdout, child.stderr)
        to, output, errors = cast("tuple[IO[bytes], IO[bytes], IO[bytes]]", pipes)
        with contextlib.suppress(BrokenPipeError), to:
            for line in lines:
                to.write(line if line.endswith(b"\n") else line + b"\n")
        if sums := output.readline():
            yield Sums(**json.loads(sums)), output
        problem = PROGRAM.text(errors.read())
    if child.returncode:
        raise P4WardenError(problem or f"{PROGRAM.name} ended with {child.returncode}")


def lists(lines: Iterable[bytes], words: Iterable[str]) -> tuple[Sums, dict[str, Any]]:
    """As `counted`, with the object."""
    with counted(lines, words) as (sums, output):
        text = output.read()
    return sums, json.loads(text)


def gather(lines: Iterable[bytes], span: Iterable[str] = ()) -> Figures:
    """Count lines of the log; `span` are options of `p4warden-log count`."""
    return figures_of(*lists(lines, [*span, f"--rows={MOST_ROWS}", *ENTRIES]))
