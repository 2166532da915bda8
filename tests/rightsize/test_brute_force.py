"""Test that `p4warden rightsize` proposes the best view for views with lines of every kind.

Random trees of up to 12 directories are tried by brute force, with views of overlays, dittos,
exclusions, and plain lines for the same or other client paths: for possible choices of directories
the vendor's map states whether every file of the client keeps its client path.
"""

from __future__ import annotations

import random
from itertools import chain, combinations
from typing import TYPE_CHECKING, NamedTuple

import pytest

from p4warden.workbench.rightsize.finder import Objection, Question, Sources, answers
from rightsize.conftest import FLAGS, TOP_SLASHES, vendors
from support.whole_checkpoint import whole

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import P4

    from p4warden.workbench.rightsize import SearchResult


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


def narrowed(
    view: P4.Map, lines: list[str], choice: tuple[str, ...], exact: tuple[str, ...] = ()
) -> list[str]:
    """Return the lines of a view of only these directories and single files.

    The lines keep the directories' client paths, with the overlays, dittos and exclusions below
    them.
    """
    results: list[str] = []
    for line in lines:
        results += exact_lines(view, line, exact)
        depot, place = line.split(" ")
        flag, path = (depot[0], depot[1:]) if depot[0] in FLAGS else ("", depot)
        above = path.split("...")[0]
        for one in choice:
            if flag != "-" and path.endswith("...") and one.startswith(above):
                at = place.removesuffix("...") + one[len(above) :]
                if f"{at}other" in places(view, f"{one}other"):
                    results.append(f"{flag}{one}... {at}...")
        if flag and is_below(flag, above, choice):
            results.append(line)
    return results


def exact_lines(view: P4.Map, line: str, exact: tuple[str, ...]) -> Iterator[str]:
    """Yield a line for each of these files that the given line of the view maps."""
    flag = line[0] if line[0] in FLAGS else ""
    for path in exact if flag != "-" else ():
        for place in places(vendors([line.lstrip("+&")]), path) & places(view, path):
            yield f"{flag}{path} {place}"


def is_below(flag: str, above: str, choice: tuple[str, ...]) -> bool:
    """Tell whether a view line excludes files of a chosen directory, or maps a part of one."""
    if flag == "-":
        return any(above.startswith(one) or one.startswith(above) for one in choice)
    return any(above.startswith(one) and above != one for one in choice)


def best(case: Case, files: dict[str, int], most: int) -> tuple[int, list[str]] | None:
    """Return the number of files and the depot paths of the best choice, found by brute force.

    A choice of directories is valid if none is inside another one, the view maps each of them,
    they span at most `most` files, and every synced file keeps its client path. A synced file in
    none of them has a line of its own, which counts as two. Fewer lines are better, then fewer
    files, then the first in byte order. None if no choice is valid.
    """
    view = vendors(case.lines)
    directories = [path for path in files if path != "//depot/"]
    exact_files = {path for path, _ in case.synced_files if may_be_exact(case, view, path)}
    solutions: dict[int, list[tuple[int, list[str]]]] = {}
    sizes = range(len(directories) + 1)
    for choice in chain.from_iterable(combinations(directories, size) for size in sizes):
        if any(a != b and a.startswith(b) for a in choice for b in choice):
            continue
        exact = tuple(path for path, _ in case.synced_files if not path.startswith(choice or "/-"))
        count = sum(n for path, n in files.items() if path.startswith(choice or "/-")) + len(exact)
        lines = len(choice) + 2 * len(exact)
        if count > most or not exact_files.issuperset(exact) or lines > min(solutions, default=99):
            continue
        if not all(places(view, f"{one}other") for one in choice):
            continue
        if keeps(case, narrowed(view, case.lines, choice, exact)):
            paths = sorted([*choice, *exact])
            sides = [f"{path}..." if path in choice else path for path in paths]
            solutions.setdefault(lines, []).append((count, sides))
    return min(solutions[min(solutions)]) if solutions else None


def keeps(case: Case, lines: list[str]) -> bool:
    # The vendor's map crashes on a question to a map that maps nothing.
    if all(line.startswith("-") for line in lines):
        return False
    after = vendors(lines)
    return all(place in places(after, path) for path, place in case.synced_files)


def may_be_exact(case: Case, view: P4.Map, path: str) -> bool:
    """Tell whether a line for only this file is considered.

    So for a directory at most one level below the depot's directories, or which no line keeps.
    """
    directory = path[: path.rindex("/") + 1]
    inside = [one for one in case.synced_files if one[0].startswith(directory)]
    if directory.count("/") <= TOP_SLASHES or not places(view, f"{directory}other"):
        return True
    return not keeps(case._replace(synced_files=inside), narrowed(view, case.lines, (directory,)))


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


@pytest.mark.parametrize("seed", [*range(7), 19, 28])
def test_proposals_are_the_best_of_all_valid_choices(seed: int, tmp_path: Path) -> None:
    rnd = random.Random(seed)  # noqa: S311 - reproducible test data
    files = tree(rnd)
    names = [f"{folder}f{n}" for folder, count in files.items() for n in range(count)]
    cases = []
    for number in range(CLIENTS):
        lines = drawn(f"ws{number}", [*files], rnd)
        view = vendors(lines)
        candidates = [(path, sorted(at)) for path in names if (at := places(view, path))]
        sample = rnd.sample(candidates, min(len(candidates), rnd.randint(1, 4)))
        # The server records at most one synced file for a client path (in db.have).
        by_place = {rnd.choice(at): path for path, at in sorted(sample)}
        synced_files = sorted((path, at) for at, path in by_place.items())
        cases += [Case(f"ws{number}", lines, synced_files)] if sample else []
    most = max(1, len(names) * 2 // 3)
    file = tmp_path / "checkpoint"
    file.write_text(whole("\n".join([*checkpoint(cases, files), ""])))
    questions = [Question(case.name, most, 1) for case in cases]
    sources = Sources([str(file)], [], str(tmp_path / "files"))
    results_by_client: dict[str, SearchResult] = {
        one.client: one for one in answers(sources, questions, lambda _: Objection(), [])
    }
    for case in cases:
        proposal = results_by_client[case.name].proposal
        chosen = proposal.directories if proposal else ()
        lines = [f"{one}..." if one.endswith("/") else one for one in chosen]
        report = proposal and (proposal.files, lines)
        assert report == best(case, files, most), (case, proposal)
        if proposal:
            after = vendors([row.text() for row in proposal.view])
            assert all(place in places(after, path) for path, place in case.synced_files), case
        assert results_by_client[case.name].outside_count == 0, case
    assert any(results_by_client[case.name].proposal for case in cases)
