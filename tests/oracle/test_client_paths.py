"""Tests that the gate's file estimates for client paths miss no file of the vendor's P4.Map.

P4.Map runs in a child process. An estimate may be too low by 500 for each view line, so the
directories have more files; an estimate for a single file must not be too low.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from gate.program import judge, policy
from oracle.test_oracle import Oracle, oracle
from support.small_index import small_index

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["oracle"]
STEP = 500
FOLDERS = [f"//depot/{top}/{name}" for top in ("a", "b", "ab") for name in ("x", "y", "x/z", "xy")]
FILES = 700
RULE = {
    "name": "big",
    "rule": "limit_scanned_rows",
    "mode": "observe",
    "commands": ["sync"],
    "max_files": 10**9,
}
LINES = [
    ("//depot/...", "..."),
    ("//depot/a/...", "a/..."),
    ("//depot/a/...", "b/..."),
    ("//depot/a*/...", "stars/*/..."),
    ("//depot/*/x/...", "under/*/..."),
    ("//depot/%%1/x/%%2", "swap/%%2/%%1"),
    ("//depot/%%1/%%2/...", "turned/%%2/%%1/..."),
    ("//depot/ab/x*", "flat/x*"),
    ("//depot/b/y/*", "y/*"),
    ("//depot/b/....c", "c/....c"),
    ("//depot/a/x/f000001.c", "one.c"),
    ("//depot/ab/xy/f0000*.c", "few/*.h"),
]
FLAGS = ["", "", "", "", "-", "+"]


class Case(NamedTuple):
    """A file argument in client syntax, with the number of files that the vendor's map matches.

    Attributes:
        client: name of the client.
        argument: file argument in client syntax.
        min_files: number of the client's files that match the argument.
        lines: number of lines of the client's view.
    """

    client: str
    argument: str
    min_files: int
    lines: int


def views(seed: int) -> dict[str, list[str]]:
    """Return 25 random client views, by client name, with lines that a server would accept."""
    rnd = random.Random(seed)  # noqa: S311 - reproducible test data
    clients = {}
    for number in range(25):
        lines = rnd.sample(LINES, rnd.randrange(1, 5))
        # The first line gets no flag: an exclusion there would exclude nothing.
        flags = [rnd.choice(FLAGS) if place else "" for place in range(len(lines))]
        clients[f"ws{number}"] = [
            f"{flag}{depot} //ws{number}/{client}"
            for flag, (depot, client) in zip(flags, lines, strict=True)
        ]
    return clients


def arguments(name: str, clients: list[str], seed: int) -> list[str]:
    """Return file arguments in client syntax: single files, wildcards, a missing directory."""
    rnd = random.Random(seed)  # noqa: S311 - reproducible test data
    results = {f"//{name}/...", f"//{name}/nowhere/..."}
    for file in rnd.sample(clients, min(6, len(clients))):
        folder, _, last = file.rpartition("/")
        above = folder.rpartition("/")[0]
        results |= {file, f"{folder}/...", f"{folder}/*", f"{folder}/{last[:4]}*"}
        results.add(f"{above}/..." if above.startswith(f"//{name}/") else f"{folder}/...")
    return sorted(results)


@pytest.fixture(scope="module")
def cases(oracle: Oracle) -> list[Case]:
    files = [f"{folder}/f{number:06}.c" for folder in FOLDERS for number in range(FILES)]
    results = []
    for number, (name, lines) in enumerate(views(7).items()):
        vendor_paths = oracle.ask(through=lines, paths=files)
        # In P4.Map a wildcard may match an empty text, but no file has a path with an empty name.
        clients = sorted({path for path in vendor_paths if path and "//" not in path[2:]})
        for argument in arguments(name, clients, number):
            matches = oracle.ask(view=[argument], paths=clients)
            results.append(Case(name, argument, sum(matches), len(lines)))
    return results


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    flagless = {
        name: [line.lstrip("+") for line in lines if not line.startswith("-")]
        for name, lines in views(7).items()
    }
    folder = tmp_path_factory.mktemp("index")
    return small_index(folder, dict.fromkeys(FOLDERS, FILES), flagless)


def values(events: list[dict[str, Any]], index: Path) -> list[int | None]:
    """Return the gate's estimated number of files for each sync command; None without estimate."""
    complete_events = [
        {"event": "command", "command": "sync", "user": "ann", **event} for event in events
    ]
    answers, code = judge(policy(RULE), complete_events, f"--index={index}")
    assert code == 0
    return [answer["value"] for answer in answers]


def test_estimates_count_every_file_that_the_vendors_map_includes(
    cases: list[Case], index: Path
) -> None:
    events = [{"client": one.client, "args": [one.argument]} for one in cases]
    exact = 0
    for one, value in zip(cases, values(events, index), strict=True):
        assert value is not None
        is_file = "*" not in one.argument and not one.argument.endswith("...")
        exact += is_file
        off = 0 if is_file else STEP * one.lines
        assert value + off >= one.min_files, one
        if one.argument.endswith("/nowhere/..."):
            continue
        assert not is_file or 1 <= value <= one.lines + STEP * (one.min_files == 0), one
    assert exact > 50


def test_local_and_relative_paths_have_the_estimate_of_their_client_path(
    cases: list[Case], index: Path, oracle: Oracle
) -> None:
    plain, local, relative = [], [], []
    for one in cases:
        root = f"/home/{one.client}"
        (path,) = oracle.ask(through=[f"//{one.client}/... {root}/..."], paths=[one.argument])
        plain.append({"client": one.client, "args": [one.argument]})
        local.append({"client": one.client, "args": [path]})
        relative_path = path.removeprefix(f"{root}/")
        folder = f"{root}/some/folder"
        event = {"client": one.client, "args": [f"../../{relative_path}"], "clientcwd": folder}
        relative.append(event)
    expected = values(plain, index)
    assert values(local, index) == expected
    assert values(relative, index) == expected
