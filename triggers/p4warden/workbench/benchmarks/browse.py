"""The Performance Lab's: children who walk down the depot as a person does in P4V.

At each level `dirs -C` and `fstat -P -C -Olh` of all in it, then one directory by chance; at the
end `filelog` of one file. NetApp's sync is the same walk, with a sync of the directory at its end.
"""

from __future__ import annotations

import random
from functools import partial
from typing import TYPE_CHECKING

from p4warden.workbench.benchmarks.bench_server import MOST_CLIENTS, ROOT
from p4warden.workbench.benchmarks.commands import timed
from p4warden.workbench.benchmarks.timings import at_once

if TYPE_CHECKING:
    import P4

    from p4warden.workbench.benchmarks.bench_server import Bench
    from p4warden.workbench.benchmarks.timings import Timings


def browse(bench: Bench, timings: Timings) -> None:
    """Let all children browse; children beyond the number of clients share one."""
    at_once([partial(_browse, bench, timings, n) for n in range(bench.size.children)])


def sync(bench: Bench, timings: Timings) -> None:
    """Let all children browse and sync the directory that they reach."""
    at_once([partial(_sync, bench, timings, n) for n in range(bench.size.children)])


def _browse(bench: Bench, timings: Timings, child: int) -> None:
    source = random.Random(child)  # noqa: S311 - the same walk in every run
    with bench.client(child % (MOST_CLIENTS - 2)) as p4:
        for _ in range(bench.size.browses_of_child):
            files = _walk(p4, timings, source)[1]
            if files:
                timed(p4, timings, "filelog", "filelog", source.choice(files))


def _sync(bench: Bench, timings: Timings, child: int) -> None:
    source = random.Random(child)  # noqa: S311 - the same walk in every run
    with bench.client(child % (MOST_CLIENTS - 2)) as p4:
        for _ in range(bench.size.syncs_of_child):
            directory = _walk(p4, timings, source)[0]
            timed(p4, timings, "sync -f", "sync", "-f", f"{directory}/...")


def _walk(p4: P4.P4, timings: Timings, source: random.Random) -> tuple[str, list[str]]:
    """Return the directory without directories that a walk ends in, and the files in it."""
    place, files = f"{ROOT}/main", list[str]()
    while True:
        below = timed(p4, timings, "dirs -C", "dirs", "-C", f"{place}/*")
        stats = timed(p4, timings, "fstat -P -C -Olh", "fstat", "-P", "-C", "-Olh", f"{place}/*")
        files = [row["depotFile"] for row in stats]
        if not below:
            return place, files
        place = source.choice(below)["dir"]
