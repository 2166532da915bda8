"""The Performance Lab's: the same products in more and more depots, and a person who browses.

A product and a depot are binary numbers; a product lies in the depot that it begins with. At each
level `dirs -C` and `fstat -P -C -Olh`, then one directory by chance.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from p4warden.workbench.benchmarks.bench_server import (
    EVERYTHING,
    FURTHER,
    PRODUCTS,
    remove_depots,
    save_depot,
)
from p4warden.workbench.benchmarks.timings import rows

if TYPE_CHECKING:
    import P4

    from p4warden.workbench.benchmarks.bench_server import Bench
    from p4warden.workbench.benchmarks.timings import Timings


def depots(bench: Bench, timings: Timings) -> None:
    """Browse with each number of depots, unless p4warden refuses one of them."""
    with bench.client(EVERYTHING) as p4:
        for count in bench.size.depots:
            names = dict(_names(count))
            for name in names:
                with timings.timed(f"depot, {count}"):
                    save_depot(p4, name)
            made = {row["name"] for row in rows(p4, "depots")} & names.keys()
            if len(made) == count:
                for name, product in names.items():
                    paths = (f"{PRODUCTS}/{product}*/...", f"//{name}/{product}*/...")
                    timings.run(p4, f"populate, {count}", "populate", *paths)
                _browse(p4, timings, bench.size.browses, [*names])
            with timings.timed(f"removal, {count}"):
                remove_depots(p4)


def _names(count: int) -> list[tuple[str, str]]:
    digits = count.bit_length() - 1
    products = [f"{number:0{digits}b}" if digits else "" for number in range(count)]
    return [(f"{FURTHER}{product}", product) for product in products]


def _browse(p4: P4.P4, timings: Timings, browses: int, names: list[str]) -> None:
    chance, count = random.Random(0), len(names)  # noqa: S311 - the same walks in every run
    for _ in range(browses):
        below = [{"dir": f"//{name}"} for name in names]
        while below:
            place = f"{chance.choice(below)['dir']}/*"
            below = timings.run(p4, f"dirs -C, {count}", "dirs", "-C", place)
            timings.run(p4, f"fstat, {count}", "fstat", "-P", "-C", "-Olh", place)
