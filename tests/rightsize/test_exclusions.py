"""Test that `p4warden rightsize` proposes the best view with exclusions and moved directories.

All choices of directories are tried: for each choice the vendor's map states whether every file of
the client keeps its client path.
"""

from __future__ import annotations

import itertools
import json
import random
from typing import TYPE_CHECKING, Any

from p4warden.workbench.rightsize.finder import Objection, Question, Sources, answers
from rightsize.conftest import TOP_SLASHES, checkpoint, vendors
from rightsize.test_rightsize import DEEP, policy, run
from support.whole_checkpoint import whole

if TYPE_CHECKING:
    from pathlib import Path

    import P4


CLIENTS = 80
MOST = 7
DIRECTORIES = ["a/", "a/b/", "a/b/c/", "a/d/", "e/", "e/f/", "e/f/g/"]
FILES = [f"//depot/{name}f{n}" for name in DIRECTORIES for n in range(2)]
MANY_LINES = 20_000


def drawn(name: str, rnd: random.Random) -> list[str]:
    """Return a random view of the depot, with exclusions and directories mapped elsewhere."""
    lines = [f"//depot/... //{name}/..."]
    for _ in range(rnd.randint(0, 3)):
        path = rnd.choice(DIRECTORIES)
        if rnd.random() < 0.6:
            end = rnd.choice(["...", "...", "f0"])
            lines.append(f"-//depot/{path}{end} //{name}/{path}{end}")
        else:
            lines.append(f"//depot/{path}... //{name}/moved/{rnd.choice('xy')}/{path}...")
    return lines


def place(view: P4.Map, path: str) -> str | None:
    results = view.translate(path)
    return results and str(results)


def records(name: str, lines: list[str], synced_files: list[str], view: P4.Map) -> list[str]:
    results = [f"@pv@ 6 @db.domain@ @{name}@ 99 @@ @/w@ @@ @@ @ann@ 1 1 0 @@ @@ @@ 0 "]
    for number, line in enumerate(lines):
        depot, client = line.split(" ")
        flag = int(depot[0] == "-")
        paths = f"@{client}@ @{depot.lstrip('-')}@"
        results.append(f"@pv@ 1 @db.view@ @{name}@ {number} {flag} {paths} ")
    return [*results, *(f"@pv@ 3 @db.have@ @{place(view, f)}@ @{f}@ 1 0 1 " for f in synced_files)]


def best(lines: list[str], synced_files: list[str]) -> tuple[int, int] | None:
    """Return the numbers of lines and files of the best narrower view, trying all choices.

    A choice of directories is valid if none is inside another one, and if it spans at most `MOST`
    files and keeps the client path of every synced file; a synced file in none of them has a line
    of its own, which counts as two. Fewer lines are better, then fewer files. None if no choice is
    valid.
    """
    view, choices = vendors(lines), []
    for size in range(len(DIRECTORIES) + 1):
        for directories in itertools.combinations(DIRECTORIES, size):
            files = sum(any(f.startswith(f"//depot/{one}") for one in directories) for f in FILES)
            tops = tuple(f"//depot/{one}" for one in directories) or "/-"
            inside = [file for file in synced_files if file.startswith(tops)]
            exact = [file for file in synced_files if file not in inside]
            files += len(exact)
            apart = not any(a != b and a.startswith(b) for a in directories for b in directories)
            is_top = all(file.count("/") <= TOP_SLASHES for file in exact)
            if apart and is_top and files <= MOST and keeps(view, lines, directories, inside):
                choices.append((size + 2 * len(exact), files))
    return min(choices, default=None)


def keeps(
    view: P4.Map, lines: list[str], directories: tuple[str, ...], synced_files: list[str]
) -> bool:
    """Tell whether a view of only these directories keeps the synced files' client paths.

    The view contains the directories and the exclusions below them.
    """
    rows = []
    for one in directories:
        # The client path of the directory is derived from that of a file that no view line maps by
        # itself.
        at = place(view, f"//depot/{one}other")
        if at is None:
            return False
        rows.append(f"//depot/{one}... {at.removesuffix('other')}...")
    exclusion_starts = tuple(f"-//depot/{one}" for one in directories)
    rows += [line for line in lines if line.startswith(exclusion_starts)]
    after = vendors(rows)
    return all(place(after, file) == place(view, file) for file in synced_files)


def test_proposals_are_the_best_of_all_valid_choices(tmp_path: Path) -> None:
    rnd = random.Random(3)  # noqa: S311 - reproducible test data
    clients: dict[str, tuple[list[str], list[str]]] = {}
    text: list[str] = []
    for number in range(CLIENTS):
        name = f"ws{number}"
        lines = drawn(name, rnd)
        view = vendors(lines)
        candidates = [file for file in FILES if place(view, file)]
        synced_files = sorted(rnd.sample(candidates, min(len(candidates), rnd.randint(1, 4))))
        clients[name] = lines, synced_files
        text += records(name, lines, synced_files, view)
    text += [f"@pv@ 9 @db.revhx@ @{file}@ 1 0 1 9 9 9 00 1 0 0 @x@ @1.1@ 0 " for file in FILES]
    file = tmp_path / "checkpoint"
    file.write_text(whole("\n".join([*text, ""])))
    words = [word for name in clients for word in ("--client", name)]
    words += ["--max-files", str(MOST), "--home", str(tmp_path / "none"), "--json"]
    code, out, err = run("--policy", policy(tmp_path, [DEEP]), "--checkpoint", file, *words)
    assert code == 0, err
    results: dict[str, Any] = {one["client"]: one for one in map(json.loads, out.splitlines())}
    proposal_count = 0
    for name, (lines, synced_files) in clients.items():
        proposal = results[name]["proposal"]
        report = None
        if proposal:
            view, after = vendors(lines), vendors(proposal["view"])
            assert all(place(after, file) == place(view, file) for file in synced_files), name
            counts = [line[0] != "-" and 1 + ("..." not in line) for line in proposal["view"]]
            report = sum(counts), proposal["files"]
            proposal_count += 1
        assert report == best(lines, synced_files), (name, lines, synced_files, proposal)
    assert proposal_count > CLIENTS / 3


def test_a_narrower_view_is_found_for_a_client_with_20000_lines(tmp_path: Path) -> None:
    directories = [f"main/{n // 100}/{n % 100}" for n in range(MANY_LINES - 1)]
    exclusions = [f"-//depot/{one}/out/... //ws/{one}/out/..." for one in directories]
    synced_files = [f"//depot/{one}/f0" for one in directories]
    case = {"view": ["//depot/... //ws/...", *exclusions], "has": synced_files}
    file = tmp_path / "checkpoint"
    file.write_text(checkpoint({f"//depot/{one}": 1 for one in directories}, case))
    sources = Sources([str(file)], [], str(tmp_path / "files"))
    (answer,) = answers(sources, [Question("ws", None, 1)], lambda _: Objection(), [])
    assert answer.proposal is not None
    view = [row.text() for row in answer.proposal.view]
    assert view == ["//depot/main/... //ws/main/...", *exclusions]
