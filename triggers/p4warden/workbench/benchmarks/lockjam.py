"""RIM's: submits at once, beside an integrate and an fstat of all files that repeat.

Serial add: one submit alone; parallel add: all of them at once (its paper, table 6).
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from p4warden.workbench.benchmarks.bench_server import ROOT, TREE
from p4warden.workbench.benchmarks.timings import at_once, repeated

if TYPE_CHECKING:
    import P4

    from p4warden.workbench.benchmarks.bench_server import Bench
    from p4warden.workbench.benchmarks.timings import Timings


def lockjam(bench: Bench, timings: Timings) -> None:
    """Submit alone, then all at once beside the integrate and the fstat."""
    size, count = bench.size, bench.size.files_of_submit
    _submit(bench, timings, "serial add", 1)
    with bench.client(0) as branching, bench.client(size.submits + 1) as asking:
        integrate = partial(_integrate, branching, timings, count)
        fstat = partial(timings.run, asking, "fstat of all", "fstat", f"{ROOT}/...")
        with repeated(integrate), repeated(fstat):
            numbers = range(1, size.submits + 1)
            at_once([partial(_submit, bench, timings, "parallel add", n) for n in numbers])


def _submit(bench: Bench, timings: Timings, name: str, number: int) -> None:
    count = bench.size.files_of_submit
    with bench.client(number) as p4:
        directory = f"jam/{bench.run}-{name.replace(' ', '-')}-{number}"
        paths = bench.write(number, directory, count)
        with timings.timed(name, count):
            bench.add(p4, paths)
            p4.run("submit", "-d", f"{name} {number}")


def _integrate(p4: P4.P4, timings: Timings, count: int) -> None:
    target = f"{ROOT}/branch/jam/..."
    timings.run(p4, "integrate", "integrate", "-v", "-m", str(count), f"{TREE}/...", target)
    timings.run(p4, "revert", "revert", "-k", f"{ROOT}/branch/...")
