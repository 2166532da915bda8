"""The Performance Lab's: `integrate -v` of a tree to a new branch, submit, obliterate."""

from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden.workbench.benchmarks.bench_server import ROOT, TREE
from p4warden.workbench.benchmarks.timings import rows

if TYPE_CHECKING:
    import P4

    from p4warden.workbench.benchmarks.bench_server import Bench
    from p4warden.workbench.benchmarks.timings import Timings

BRANCH = f"{ROOT}/branch"


def branchsubmit(bench: Bench, timings: Timings) -> None:
    """Branch the tree twice; no cache is emptied."""
    with bench.client(0) as p4:
        for name in ("first", "second"):
            _branch(p4, timings, name, TREE, f"{BRANCH}/{name}", bench.size.tree_files)


def path_lengths(bench: Bench, timings: Timings) -> None:
    """Branch trees of which the longest path has so many characters, to others of that length."""
    size = bench.size
    last = f"/d{size.directories - 1}/f{size.files_of_directory - 1}"
    with bench.client(0) as p4:
        for length in size.path_lengths:
            source, target = (
                f"{BRANCH}/{side}".ljust(length - len(last), "x") for side in ("from", "to")
            )
            timings.run(p4, f"populate, {length}", "populate", f"{TREE}/...", f"{source}/...")
            _branch(p4, timings, str(length), source, target, size.tree_files)
            timings.run(p4, f"obliterate, {length}", "obliterate", "-y", f"{source}/...")


def _branch(p4: P4.P4, timings: Timings, name: str, source: str, target: str, files: int) -> None:
    both = (f"{source}/...", f"{target}/...")
    timings.run(p4, f"integrate -v, {name}", "integrate", "-v", *both)
    if rows(p4, "opened", "-m", "1"):
        with timings.timed(f"submit, {name}", files):
            p4.run("submit", "-d", f"branch, {name}")
        timings.run(p4, f"revert, {name}", "revert", "-k", both[1])
    timings.run(p4, f"obliterate, {name}", "obliterate", "-y", both[1])
