"""Test that `p4warden rightsize` keeps its promise to clients whose views were edited.

Their files are where an older view mapped them. By the vendor's map every file that the present
view maps stays under the proposed lines: in its place, or where the present view maps it.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from p4warden.workbench.rightsize.finder import Objection, Question, Sources, answers
from p4warden.workbench.rightsize.vendor_map import checked
from rightsize.conftest import vendors
from rightsize.test_brute_force import Case, checkpoint, drawn, places, tree
from support.whole_checkpoint import whole

if TYPE_CHECKING:
    from pathlib import Path


CLIENTS = 60


def edited(name: str, files: dict[str, int], rnd: random.Random) -> Case | None:
    """Draw a client with its present view, and files that it has by an older view of it."""
    lines = drawn(name, [*files], rnd)
    older = vendors([*rnd.sample(lines, len(lines) // 2), *drawn(name, [*files], rnd)])
    names = [f"{folder}f{n}" for folder, count in files.items() for n in range(count)]
    candidates = [(path, sorted(at)) for path in names if (at := places(older, path))]
    sample = rnd.sample(candidates, min(len(candidates), rnd.randint(1, 4)))
    by_place = {rnd.choice(at): path for path, at in sorted(sample)}
    return (
        Case(name, lines, sorted((path, at) for at, path in by_place.items())) if sample else None
    )


@pytest.mark.parametrize("seed", range(5))
def test_no_file_that_an_edited_view_maps_leaves_under_the_proposed_lines(
    seed: int, tmp_path: Path
) -> None:
    rnd = random.Random(seed)  # noqa: S311 - reproducible test data
    files = tree(rnd)
    drawn_cases = (edited(f"ws{number}", files, rnd) for number in range(CLIENTS))
    cases = {case.name: case for case in drawn_cases if case}
    file = tmp_path / "checkpoint"
    file.write_text(whole("\n".join([*checkpoint([*cases.values()], files), ""])))
    sources = Sources([str(file)], [], str(tmp_path / "files"))
    questions = [Question(name, sum(files.values()), 1) for name in cases]
    results = list(answers(sources, questions, lambda _: Objection(), []))
    assert checked(results, sources.files) == results
    moved_count = 0
    for one in results:
        case = cases[one.client]
        view = vendors(case.lines)
        present = {path: places(view, path) for path, _ in case.synced_files}
        mapped = {(path, at) for path, at in case.synced_files if present[path]}
        assert one.needed_count == len(mapped), (case.lines, present)
        assert one.outside_count == len(case.synced_files) - len(mapped), case
        assert one.moved_count == sum(at not in present[path] for path, at in mapped), case
        if one.proposal:
            after = vendors([row.text() for row in one.proposal.view])
            for path, at in mapped:
                kept = {at} if at in present[path] else present[path]
                assert kept <= places(after, path), (case, one.proposal)
            moved_count += one.moved_count
    assert moved_count
