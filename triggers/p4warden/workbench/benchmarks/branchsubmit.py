"""The Performance Lab's: `integrate -v` of the tree to a new branch, submit, obliterate; twice."""

from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden.workbench.benchmarks.bench_server import ROOT, TREE
from p4warden.workbench.benchmarks.commands import measured, rows, timed

if TYPE_CHECKING:
    from p4warden.workbench.benchmarks.bench_server import Bench
    from p4warden.workbench.benchmarks.timings import Timings

BRANCH = f"{ROOT}/branch"


def branchsubmit(bench: Bench, timings: Timings) -> None:
    """Branch, submit and obliterate the tree, twice; no cache is emptied."""
    files = bench.size.tree_files
    with bench.client(0) as p4:
        for name in ("first", "second"):
            target = f"{BRANCH}/{name}/..."
            timed(p4, timings, f"integrate -v, {name}", "integrate", "-v", f"{TREE}/...", target)
            if rows(p4, "opened", "-m", "1"):
                with measured(timings, f"submit, {name}", files):
                    p4.run("submit", "-d", f"branch, {name}")
            timed(p4, timings, f"obliterate, {name}", "obliterate", "-y", target)
