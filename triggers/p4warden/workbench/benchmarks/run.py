from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from p4warden.workbench.benchmarks.bench_server import BYSTANDER, ONE_FILE
from p4warden.workbench.benchmarks.branchsubmit import branchsubmit, path_lengths
from p4warden.workbench.benchmarks.depots import depots
from p4warden.workbench.benchmarks.lockjam import lockjam
from p4warden.workbench.benchmarks.timings import BYSTANDERS, Timings, repeated

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from p4warden.workbench.benchmarks.bench_server import Bench
    from p4warden.workbench.benchmarks.timings import Summary

BENCHMARKS = {
    "lockjam": lockjam,
    "branchsubmit": branchsubmit,
    "depots": depots,
    "path-lengths": path_lengths,
}


def run(bench: Bench, names: Sequence[str], announce: Callable[[str], None]) -> Iterator[Summary]:
    """Yield the summaries of each benchmark; a bystander's fstat of one file repeats beside it.

    The server is `prepared`.
    """
    for name in names:
        announce(name)
        timings = Timings()
        with bench.client(BYSTANDER) as p4:
            ask = partial(timings.run, p4, BYSTANDERS, "fstat", ONE_FILE)
            with repeated(ask):
                BENCHMARKS[name](bench, timings)
        yield from timings.summaries(name)
