"""Tests of the core's parsing of client forms and view lines, against the vendor's code."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from support.examples import examples, long_but
from support.form_oracle import Core

if TYPE_CHECKING:
    from collections.abc import Iterator

CHILD = Path(__file__).with_name("p4_child.py")
# The generated paths stay within a server's limits, because P4.Map crashes or hangs on others: at
# most three `...` and ten wildcards, none next to another (map/mapdisambig.cc and Validate in
# Perforce's C++ API).
WILDCARDS = ["...", "*", "%%1", "%%2", "%%0"]
FILLINGS = [b"zq", b"yp"]
BLANKS = " \t\n\v\f\r"


class Oracle:
    """Child process that answers the tests' questions with the vendor's P4.Map and P4Python."""

    def __init__(self, child: subprocess.Popen[str]) -> None:
        self._child = child

    def ask(self, **question: Any) -> Any:
        assert self._child.stdin
        assert self._child.stdout
        self._child.stdin.write(json.dumps(question) + "\n")
        self._child.stdin.flush()
        line = self._child.stdout.readline()
        assert line, f"the vendor's code died of {question}"
        return json.loads(line)


@pytest.fixture(scope="module")
def oracle() -> Iterator[Oracle]:
    command = [sys.executable, str(CHILD)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as child:
        yield Oracle(child)


@pytest.fixture(scope="module")
def core() -> Iterator[Core]:
    child = Core()
    yield child
    child.close()


names = st.text(alphabet="abc.%_ ", min_size=1, max_size=4).filter(
    lambda name: name.strip(". ") == name and "..." not in name and "%%" not in name
)


@st.composite
def depot_paths(draw: st.DrawFn) -> str:
    """Strategy for depot paths that a server accepts, with wildcards that are not adjacent."""
    pieces = ["//depot/"]
    wild = iter(draw(st.permutations(WILDCARDS)))
    for directory in draw(st.lists(st.tuples(names, st.sampled_from("lwpsa")), max_size=4)):
        name, kind = directory
        pieces.append({"l": name, "w": "", "p": name, "s": "", "a": name}[kind])
        if kind != "l":
            pieces.append(next(wild))
        pieces.append({"s": name, "a": name}.get(kind, ""))
        pieces.append("/")
    last = draw(st.sampled_from(["...", "*", "file"]))
    text = "".join(pieces)
    return text + ("file" if last in text else last)


class Reading(NamedTuple):
    """The core's reading of a depot path.

    Attributes:
        directory: the start of the path, up to the end of the last directory that it names.
        depth: number of directories in it, below the depot.
        files: two paths that match, with a text in place of each wildcard that the core finds.
    """

    directory: str
    depth: int
    is_exact: bool
    files: list[str]


def reading(core: Core, path: str) -> Reading:
    [[depot, directories, is_exact], *_] = core.ask(ask="path", text=path)
    files = [filled(core, path, filling) for filling in FILLINGS]
    return Reading(f"//{'/'.join((depot, *directories, ''))}", len(directories), is_exact, files)


def filled(core: Core, path: str, filling: bytes) -> str:
    while True:
        [_, wildcard, *_] = core.ask(ask="path", text=path)
        if wildcard is None:
            return path
        start, end = wildcard
        path = b"".join((path.encode()[:start], filling, path.encode()[end:])).decode()


@given(depot_paths())
@settings(max_examples=examples(300), deadline=None)
@example("//depot/%%0/...")
@example("//depot/....c")
@example("//depot/a%%1b/*/...")
@example("//depot/%1/...")
@example("//depot/%2A/...")
def test_wildcards_and_directories_of_a_path_are_those_of_the_vendors_map(
    oracle: Oracle, core: Core, path: str
) -> None:
    read = reading(core, path)
    names = read.directory.split("/")[3:-1]
    new_names = [
        "/".join(("//depot", *(d + "x" * (i == n) for i, d in enumerate(names)), rest))
        for file in read.files
        for n in range(read.depth)
        for rest in [file.removeprefix(read.directory)]
    ]
    right = f"//ws/{path.removeprefix('//depot/')}"
    answers = oracle.ask(view=[f'"{path}" "{right}"'], paths=[*read.files, *new_names])
    # The vendor's map includes the files that have other text in place of the wildcards, so
    # everything that p4warden takes for a wildcard is one. It excludes the paths with a changed
    # directory, so every directory that p4warden counts is literal.
    assert answers == [True] * len(read.files) + [False] * len(new_names)


@given(depot_paths())
@settings(max_examples=examples(200), deadline=None)
def test_all_directories_that_two_matching_files_share_are_counted(
    oracle: Oracle, core: Core, path: str
) -> None:
    read = reading(core, path)
    if read.is_exact:
        return
    following = {file.removeprefix(read.directory).partition("/")[0] for file in read.files}
    right = f"//ws/{path.removeprefix('//depot/')}"
    assert oracle.ask(view=[f'"{path}" "{right}"'], paths=read.files) == [True, True]
    assert len(following) == len(FILLINGS)


def copies(line: str, number: int, first: int = 0) -> list[str]:
    """Return `number` copies of a view line in which X is replaced by a unique name."""
    return [line.replace("X", f"x{copy}x") for copy in range(first, first + number)]


def mirrored(*paths: str) -> list[str]:
    """Return lines of a client view that map depot paths to the same paths in the client."""
    return [f"{path} {path.lstrip('-').replace('//depot', '//ws')}" for path in paths]


DOTS, STAR, ACROSS = "//depot/.../X/...", "//depot/main/*/X/...", "//depot/main/X/*/..."
# The rows of P4.Map's map, and the crossings; none where counting takes too long.
MAPS = {
    "a plain line, 1,500 plain exclusions": (
        (1_501, 0),
        mirrored("//depot/...", *copies("-//depot/X/...", 1_500)),
    ),
    "a plain line, 20 exclusions": (
        (21, 0),
        mirrored("//depot/main/...", *copies("-//depot/main/.../X/...", 20)),
    ),
    "200 lines with a star that cross nothing": ((200, 0), mirrored(*copies(STAR, 200))),
    "50 lines": ((4_806, 4_900), mirrored(*copies(DOTS, 50))),
    "9 lines, 600 exclusions": (
        (21_753, 21_744),
        mirrored(*copies(DOTS, 9), *copies(f"-{DOTS}", 600, 9)),
    ),
    "9 lines, 600 plain exclusions": (
        (10_953, 5_544),
        mirrored(*copies(DOTS, 9), *copies("-//depot/X/...", 600, 9)),
    ),
    "100 lines with a star, 1,500 exclusions across": (
        (150_100, 600_000),
        mirrored(*copies(STAR, 100), *copies(f"-{ACROSS}", 1_500)),
    ),
    "100 lines with a star, 1,500 lines across": (
        (151_600, 600_000),
        mirrored(*copies(STAR, 100), *copies(ACROSS, 1_500)),
    ),
    "letters that overlap in 64 ways": (
        (261, 65**2),
        mirrored(f"//depot/...{'a' * 64}b{'a' * 64}...", f"-//depot/...{'a' * 64}c{'a' * 64}..."),
    ),
    "right sides that cross": (
        (150_100, 600_000),
        copies("//depot/X/*/... //ws/*/X/...", 100)
        + copies("-//depot/old/X/*/... //ws/X/*/...", 1_500, 100),
    ),
    "a directory in 100 places, 1,500 exclusions": (
        (150_100, 144_000),
        copies("&//depot/main/... //ws/X/...", 100)
        + mirrored(*copies("-//depot/main/X/...", 1_500)),
    ),
    "100 directories within each other, 1,500 exclusions": (
        (155_050, None),
        [f"//depot/{'a/' * depth}... //ws/{depth}/..." for depth in range(1, 101)]
        + copies(f"-//depot/{'a/' * 100}X/... //ws/X/...", 1_500),
    ),
}


# For each of these the vendor's code takes seconds.
SLOW = {
    "100 lines with a star, 1,500 exclusions across",
    "100 lines with a star, 1,500 lines across",
    "100 directories within each other, 1,500 exclusions",
}


@pytest.mark.parametrize("name", long_but(MAPS.keys() - SLOW, MAPS))
def test_the_crossings_of_a_view_are_about_the_rows_of_the_vendors_map(
    oracle: Oracle, core: Core, name: str
) -> None:
    expected, view = MAPS[name]
    sides = [line.split() for line in view]
    lines = [(left[: left.index("/")], left[left.index("/") :], right) for left, right in sides]
    crossings = core.ask(ask="crossings", lines=lines, most=10**6)
    assert (oracle.ask(rows=sides), crossings) == expected
    if crossings:
        assert core.ask(ask="crossings", lines=lines, most=crossings - 1) is None


FRAGMENTS = ["View:", "View:\t", "\n", "\n\t", "\t", '"', " ", "\r\n", "Root:\t/x\n", "AltRoots:"]
FRAGMENTS += ["Description:", "text", ":", "//depot/main/... ", "//ws/main/...", "Stream:", "\v"]
FRAGMENTS += ['"//depot/a b/..." "//ws/a b/..."\n', "//depot/a# b", "\n# comment\n", "View :"]


@given(st.lists(st.sampled_from(FRAGMENTS), min_size=1, max_size=14).map("".join))
@settings(max_examples=examples(1500), deadline=None)
@example('View:\n\t"//depot/a\n\tb/..." //ws/...\n')
@example('AltRoots:"\nView:\n\t//depot/... //ws/...\n"\nView:\n\t//depot/main/... //ws/...\n')
@example('View:a"b "\v')
def test_views_of_forms_are_parsed_as_by_the_vendor(
    oracle: Oracle, core: Core, fragment: str
) -> None:
    text = f"Client:\tws\nRoot:\t/r\n{fragment}"
    vendor_fields = oracle.ask(client=text)
    if vendor_fields is None:
        return  # like P4Python, a server refuses this form before any trigger runs
    problem, fields = core.ask(ask="fields", text=text)
    assert problem is None
    expected = [line for line in vendor_fields.get("View", []) if line.strip(BLANKS)]
    assert core.words(fields.get("view", ())) == core.words(expected)
