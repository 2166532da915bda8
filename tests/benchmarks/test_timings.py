from __future__ import annotations

import threading

import P4
import pytest

from p4warden.policy.schema import why
from p4warden.workbench.benchmarks import shown
from p4warden.workbench.benchmarks.papers import MEASURED, SIZES
from p4warden.workbench.benchmarks.timings import Summary, Timings, at_once, repeated

MS = 10**6


def test_refusals_are_counted_apart_and_failed_blocks_not_at_all() -> None:
    timings = Timings()
    with timings.timed("sync", files=10):
        pass
    with pytest.raises(KeyError), timings.timed("sync", files=10):
        raise KeyError
    with timings.timed("fstat"):
        fail("'p4warden.command' validation failed: ...\np4warden: rule=polling limit=1")
    with pytest.raises(P4.P4Exception), timings.timed("fstat"):
        fail("Connect to server failed")
    sync, fstat = timings.summaries("browse")
    assert (sync.command, sync.runs, sync.refused) == ("sync", 1, 0)
    assert sync.rate is not None
    assert (fstat.command, fstat.runs, fstat.refused, fstat.rate) == ("fstat", 0, 1, None)


def fail(text: str) -> None:
    raise P4.P4Exception(text)


def test_work_repeats_beside_a_block_and_its_error_comes_out() -> None:
    count, failed = [0], threading.Event()

    def work() -> None:
        count[0] += 1
        if count[0] > 1:
            failed.set()
            raise KeyError

    with pytest.raises(KeyError), repeated(work):
        failed.wait()
    assert count == [2]
    with pytest.raises(KeyError):
        at_once([lambda: None, {}.popitem])


def test_the_ratio_divides_times_with_the_policy_by_those_without() -> None:
    before = [Summary("lockjam", "fstat", 3, 10 * MS, 80 * MS)]
    after = [
        Summary("lockjam", "fstat", 3, 5 * MS, 8 * MS, refused=2),
        Summary("lockjam", "submit", 0, None, None, refused=9),
    ]
    [table] = shown.tables("with the policy", after, before)
    assert table.rows == [
        ("fstat", "3", "2", "5.0 ms", "8.0 ms", "", "", "0.50", "0.10"),
        ("submit", "0", "9", "-", "-", "", "", "-", "-"),
    ]
    [table] = shown.tables("without p4warden", before)
    assert len(table.rows[0]) == len(table.columns)


def test_the_numbers_of_the_papers_are_those_of_the_rules_that_rest_on_them() -> None:
    reasons = {"depots": why("limit_depot_count"), "path-lengths": why("limit_path_length")}
    for (benchmark, command), measured in MEASURED.items():
        name, count = command.split(", ")
        assert measured.removesuffix(" s").removesuffix(" ms") in reasons[benchmark], name
        assert int(count) in {"depots": SIZES["paper"].depots}.get(
            benchmark, SIZES["paper"].path_lengths
        )
    for size in SIZES.values():
        assert {one & (one - 1) for one in (size.products, *size.depots)} == {0}
        assert size.products >= max(size.depots)
