"""Tests of p4warden's parsing of client forms and view lines, against the vendor's code."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from p4warden.forms import depot_path, form_parser
from p4warden.forms.map_rows import Line, has_more_rows
from support import form_oracle

if TYPE_CHECKING:
    from collections.abc import Iterator

CHILD = Path(__file__).with_name("p4_child.py")
# The generated paths stay within a server's limits, because P4.Map crashes or hangs on others: at
# most three `...` and ten wildcards, none next to another (map/mapdisambig.cc and Validate in
# Perforce's C++ API).
WILDCARDS = ["...", "*", "%%1", "%%2", "%%0"]
FILLINGS = ["zq", "yp"]


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
def rust() -> Iterator[form_oracle.Rust]:
    child = form_oracle.Rust()
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


def filled(path: str, filling: str) -> str:
    """Return a depot path with the wildcards, as p4warden finds them, replaced by a text."""
    return re.sub(depot_path.WILDCARD, filling, path)


@given(depot_paths())
@settings(max_examples=300, deadline=None)
@example("//depot/%%0/...")
@example("//depot/....c")
@example("//depot/a%%1b/*/...")
@example("//depot/%1/...")
@example("//depot/%2A/...")
def test_wildcards_and_directories_of_a_path_are_those_of_the_vendors_map(
    oracle: Oracle, path: str
) -> None:
    files = [filled(path, filling) for filling in FILLINGS]
    span = depot_path.path_span(path)
    new_names = [
        "/".join(("//depot", *(d + "x" * (i == n) for i, d in enumerate(span.directories)), rest))
        for file in files
        for n in range(len(span.directories))
        for rest in [file.removeprefix("/".join(("//depot", *span.directories, "")))]
    ]
    right = f"//ws/{path.removeprefix('//depot/')}"
    answers = oracle.ask(view=[f'"{path}" "{right}"'], paths=[*files, *new_names])
    # The vendor's map includes the files that have other text in place of the wildcards, so
    # everything that p4warden takes for a wildcard is one. It excludes the paths with a changed
    # directory, so every directory that p4warden counts is literal.
    assert answers == [True] * len(files) + [False] * len(new_names)


@given(depot_paths())
@settings(max_examples=200, deadline=None)
def test_all_directories_that_two_matching_files_share_are_counted(
    oracle: Oracle, path: str
) -> None:
    span = depot_path.path_span(path)
    if span.is_exact:
        return
    first, second = (filled(path, filling) for filling in FILLINGS)
    directory = "/".join(("//depot", *span.directories, ""))
    following = {file.removeprefix(directory).partition("/")[0] for file in (first, second)}
    right = f"//ws/{path.removeprefix('//depot/')}"
    assert oracle.ask(view=[f'"{path}" "{right}"'], paths=[first, second]) == [True, True]
    assert len(following) == len(FILLINGS)


def map_lines(path: str, number: int, first: int = 0) -> list[str]:
    """Return `number` copies of a path in which X and Y are replaced by unique names."""
    rows = range(first, first + number)
    return [path.replace("X", f"x{row}x").replace("Y", f"y{row}y") for row in rows]


ONE, TWO = "//depot/.../X/...", "//depot/.../X/.../Y/..."
MAPS = {
    "10 lines": (46, map_lines(ONE, 10)),
    "50 lines": (4_806, map_lines(ONE, 50)),
    "10 lines with two": (514, map_lines(TWO, 10)),
    "9 lines, 600 exclusions": (21_753, map_lines(ONE, 9) + map_lines(f"-{ONE}", 600, 9)),
    "9 lines, 600 plain exclusions": (
        10_953,
        map_lines(ONE, 9) + map_lines("-//depot/X/...", 600, 9),
    ),
    "9 lines, 60 exclusions, two each": (
        32_265,
        map_lines(TWO, 9) + map_lines(f"-{TWO}", 60, 9),
    ),
    "a plain line, 20 exclusions": (
        21,
        ["//depot/main/...", *map_lines("-//depot/main/.../X/...", 20)],
    ),
    "a plain line, 1,500 plain exclusions": (
        1_501,
        ["//depot/...", *map_lines("-//depot/X/...", 1_500)],
    ),
    "20 plain lines, 30 exclusions": (
        1_220,
        map_lines("//depot/d/X/...", 20) + map_lines("-//depot/d/.../X/...", 30, 20),
    ),
    "20 lines with a star, 300 exclusions that cross them": (
        6_020,
        map_lines("//depot/main/src/*/X/...", 20) + map_lines("-//depot/main/src/X/*/...", 300),
    ),
    "files of some kinds": (
        15,
        map_lines("//depot/d/....X", 5) + map_lines("-//depot/d/....X", 10, 5),
    ),
}


@pytest.mark.parametrize("name", MAPS)
def test_the_number_of_map_rows_equals_that_of_the_vendors_map(
    oracle: Oracle, rust: form_oracle.Rust, name: str
) -> None:
    rows, lines = MAPS[name]
    sides = [(line, line.lstrip("-").replace("//depot", "//ws")) for line in lines]
    # P4.Map omits exclusions that match no other line: in `files of some kinds` all 10.
    assert oracle.ask(rows=sides) == (5 if name == "files of some kinds" else rows)
    view = [
        Line("-" * line.startswith("-"), *(side.lstrip("-") for side in row))
        for line, row in zip(lines, sides, strict=True)
    ]
    more = rows - len(lines)
    assert not has_more_rows(view, more)
    assert more == 0 or has_more_rows(view, more - 1)
    for most in {more, max(more - 1, 0)}:
        [_, _, answer] = rust.ask(ask="rows", lines=view, most=most)
        assert answer == (most < more)


FRAGMENTS = ["View:", "View:\t", "\n", "\n\t", "\t", '"', " ", "\r\n", "Root:\t/x\n", "AltRoots:"]
FRAGMENTS += ["Description:", "text", ":", "//depot/main/... ", "//ws/main/...", "Stream:", "\v"]
FRAGMENTS += ['"//depot/a b/..." "//ws/a b/..."\n', "//depot/a# b", "\n# comment\n", "View :"]


@given(st.lists(st.sampled_from(FRAGMENTS), min_size=1, max_size=14).map("".join))
@settings(max_examples=1500, deadline=None)
@example('View:\n\t"//depot/a\n\tb/..." //ws/...\n')
@example('AltRoots:"\nView:\n\t//depot/... //ws/...\n"\nView:\n\t//depot/main/... //ws/...\n')
@example('View:a"b "\v')
def test_views_of_forms_are_parsed_as_by_the_vendor(
    oracle: Oracle, rust: form_oracle.Rust, fragment: str
) -> None:
    text = f"Client:\tws\nRoot:\t/r\n{fragment}"
    vendor_form = oracle.ask(client=text)
    if vendor_form is None:
        return  # like P4Python, a server refuses this form before any trigger runs
    own_form = form_parser.parse(text)
    assert own_form.problem is None
    expected = [
        depot_path.split_words(line) for line in vendor_form if line.strip(depot_path.BLANKS)
    ]
    assert [depot_path.split_words(line.text) for line in own_form.lines("view")] == expected
    problem, fields = rust.ask(ask="fields", text=text)
    assert problem is None
    questions = [{"ask": "words", "text": line} for line in fields.get("view", ())]
    assert [tuple(words) for words in rust.ask_all(questions)] == expected
