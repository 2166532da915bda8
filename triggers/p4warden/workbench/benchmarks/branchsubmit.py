"""The Performance Lab's branchsubmit, and NetApp's deltas.

branchsubmit: `integrate -v` of the tree to a new branch, submit, obliterate; twice, the second
time with warm caches. deltas: `integrate -n` and `sync -n` of the tree, one after another.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden.workbench.benchmarks.bench_server import ROOT, TREE
from p4warden.workbench.benchmarks.commands import measured, rows, timed

if TYPE_CHECKING:
    from p4warden.workbench.benchmarks.bench_server import Bench
    from p4warden.workbench.benchmarks.timings import Timings

BRANCH = f"{ROOT}/branch"


def branchsubmit(bench: Bench, timings: Timings) -> None:
    """Branch, submit and obliterate the tree, cold and warm."""
    files = bench.size.tree_files
    with bench.client(0) as p4:
        for name in ("cold", "warm"):
            target = f"{BRANCH}/{name}/..."
            timed(p4, timings, f"integrate -v, {name}", "integrate", "-v", f"{TREE}/...", target)
            if rows(p4, "opened", "-m", "1"):
                with measured(timings, f"submit, {name}", files):
                    p4.run("submit", "-d", f"branch, {name}")
            timed(p4, timings, f"obliterate, {name}", "obliterate", "-y", target)


def deltas(bench: Bench, timings: Timings) -> None:
    """Preview integrations and syncs of the tree."""
    with bench.client(0) as p4:
        for _ in range(bench.size.integrates):
            timed(
                p4, timings, "integrate -n", "integrate", "-n", f"{TREE}/...", f"{BRANCH}/new/..."
            )
        for _ in range(bench.size.previews):
            timed(p4, timings, "sync -n", "sync", "-n", f"{TREE}/...")
