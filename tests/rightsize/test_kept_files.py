"""Test that `p4warden rightsize` keeps its promise, with random views of lines of every kind.

By the vendor's map every file that the present view maps stays under the proposed lines: in its
place, or if the view was edited since, where the present view maps it.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, NamedTuple

import pytest

from p4warden.workbench.rightsize.finder import Objection, Question, answers
from p4warden.workbench.rightsize.vendor_map import checked
from rightsize.conftest import FLAGS, vendors, with_files
from support.whole_checkpoint import whole

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import P4


CLIENTS = 60


class Case(NamedTuple):
    """Test case: a client with its view lines and its files (pairs of depot and client path)."""

    name: str
    lines: list[str]
    synced_files: list[tuple[str, str]]


def tree(rnd: random.Random) -> dict[str, int]:
    """Return a random tree of depot directories, each with the number of files directly in it."""
    paths = ["//depot/"]
    for number in range(rnd.randint(3, 11)):
        paths.append(f"{rnd.choice(paths)}{'abcdefghijk'[number]}/")
    return {path: rnd.randint(0, 3) for path in paths}


def drawn(name: str, paths: list[str], rnd: random.Random) -> list[str]:
    """Return a random view's lines: one maps a directory, others map or exclude random paths."""
    lines = [f"{top}... //{name}/{top[2:]}..." for top in rnd.sample(paths[:3], 1)]
    if rnd.random() < 0.3:
        lines.append(f"//depot/... //{name}/depot/...")
    for _ in range(rnd.randint(1, 5)):
        path, flag = rnd.choice(paths), rnd.choice(["-", "-", "+", "+", "&", "", "", ""])
        end = rnd.choice(["...", "...", "...", "f0", ".../f0" if flag == "-" else "f1"])
        lines.append(f"{flag}{path}{end} {place_of(name, path, flag, paths, rnd)}{end}")
    return lines


def place_of(name: str, path: str, flag: str, paths: list[str], rnd: random.Random) -> str:
    """Return a random client path for a depot directory.

    It is the default one, a new one, or that of another directory.
    """
    chance = rnd.random()
    if flag == "-" or chance < (0.3 if flag else 0.6):
        return f"//{name}/{path[2:]}"
    if flag == "&" or chance < 0.8:
        return f"//{name}/{rnd.choice('xy')}/{path[2:]}"
    return f"//{name}/{rnd.choice(paths)[2:]}"


def places(view: P4.Map, path: str) -> set[str]:
    return {str(one) for one in view.translate_array(path) or ()}  # type: ignore[attr-defined]


def checkpoint(cases: list[Case], files: dict[str, int]) -> Iterator[str]:
    for case in cases:
        yield f"@pv@ 6 @db.domain@ @{case.name}@ 99 @@ @/w@ @@ @@ @ann@ 1 1 0 @@ @@ @@ 0 "
        for number, line in enumerate(case.lines):
            depot, place = line.split(" ")
            flag = FLAGS.get(depot[0], 0)
            paths = f"@{place}@ @{depot.lstrip('-+&')}@"
            yield f"@pv@ 1 @db.view@ @{case.name}@ {number} {flag} {paths} "
        for path, place in case.synced_files:
            yield f"@pv@ 3 @db.have@ @{place}@ @{path}@ 1 0 1 "
    for folder, count in files.items():
        for number in range(count):
            yield f"@pv@ 9 @db.revhx@ @{folder}f{number}@ 1 0 1 9 9 9 00 1 0 0 @x@ @1.1@ 0 "


def client_of(
    name: str, files: dict[str, int], rnd: random.Random, *, is_edited: bool
) -> Case | None:
    """Draw a client with its present view, and files that it has by it or by an older one."""
    lines = drawn(name, [*files], rnd)
    older_lines = [*rnd.sample(lines, len(lines) // 2), *drawn(name, [*files], rnd)]
    view = vendors(older_lines if is_edited else lines)
    names = [f"{folder}f{n}" for folder, count in files.items() for n in range(count)]
    candidates = [(path, sorted(at)) for path in names if (at := places(view, path))]
    sample = rnd.sample(candidates, min(len(candidates), rnd.randint(1, 4)))
    # The server records at most one synced file for a client path (in db.have).
    by_place = {rnd.choice(at): path for path, at in sorted(sample)}
    synced_files = sorted((path, at) for at, path in by_place.items())
    return Case(name, lines, synced_files) if sample else None


@pytest.mark.parametrize("is_edited", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_no_file_that_a_view_maps_leaves_under_the_proposed_lines(
    seed: int, tmp_path: Path, *, is_edited: bool
) -> None:
    rnd = random.Random(seed)  # noqa: S311 - reproducible test data
    files = tree(rnd)
    drawn_cases = (client_of(f"ws{n}", files, rnd, is_edited=is_edited) for n in range(CLIENTS))
    cases = {case.name: case for case in drawn_cases if case}
    file = tmp_path / "checkpoint"
    file.write_text(whole("\n".join([*checkpoint([*cases.values()], files), ""])))
    questions = [Question(name, sum(files.values()), 1) for name in cases]
    with with_files(file) as built:
        found = list(answers(built.program, questions, lambda _: Objection()))
    results = [one for one in checked(found, built.files) if one.proposal]
    for one in results:
        case = cases[one.client]
        view = vendors(case.lines)
        present = {path: places(view, path) for path, _ in case.synced_files}
        mapped = {(path, at) for path, at in case.synced_files if present[path]}
        assert one.needed_count == len(mapped), (case.lines, present)
        assert one.outside_count == len(case.synced_files) - len(mapped), case
        assert one.moved_count == sum(at not in present[path] for path, at in mapped), case
        assert one.proposal is not None
        after = vendors([row.text() for row in one.proposal.view])
        for path, at in mapped:
            kept = {at} if at in present[path] else present[path]
            assert kept <= places(after, path), (case, one.proposal)
    assert bool(sum(one.moved_count for one in results)) == is_edited
    assert len(results) > len(cases) * 0.6
