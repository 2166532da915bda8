"""Tests that the gate and the module forms/depot_path.py find the same depth of a path."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from gate.program import judge, policy
from p4warden.core.printable import printable
from p4warden.forms.depot_path import (
    MalformedPath,
    WildcardDepot,
    path_span,
    split_flag,
    split_words,
)
from p4warden.rules.limit_view_scope import too_wide

VIEWS = Path(__file__).parents[1] / "cases" / "limit_view_scope"
NEED = 20
RULE = {"name": "scope", "rule": "limit_command_scope", "mode": "enforce", "min_depth": NEED}
DEEP = policy({**RULE, "commands": ["files", "fstat"]})


def judged(paths: list[str]) -> list[tuple[str, str | None, int | None]]:
    """Return the gate's verdict on `p4 files` for each path, with the problem and the depth."""
    event = {"event": "command", "command": "files"}
    answers, code = judge(DEEP, [{**event, "args": [path]} for path in paths])
    assert code == 0
    return [measure_of(answer) for answer in answers]


def measure_of(answer: dict[str, Any]) -> tuple[str, str | None, int | None]:
    [finding] = answer["findings"] or [{"problem": None, "value": None}]
    return answer["verdict"], finding["problem"], finding["value"]


def measured(path: str) -> tuple[str, str | None, int | None]:
    """Return the verdict, problem and depth expected for a path, measured as a view path."""
    results = re.search(r"\.\.\.|\*|%%[0-9]", path)
    if not results:
        return "allow", None, None
    if not path.startswith("//"):
        return "unknown", None, None
    try:
        depth = len(path_span(path).directories)
    except WildcardDepot as problem:
        text = f"{problem}; name one depot (p4 depots lists them) and at least "
        text = printable(text.replace("maps", "asks for"))
        return "refuse", f"{text}{NEED} directories below it", 0
    except MalformedPath as problem:
        return "refuse", str(problem), None
    rest = path[results.start() :]
    if depth >= NEED or ("/" not in rest and "..." not in rest):
        return "allow", None, None
    text = too_wide(path, path_span(path), NEED).replace("maps", "asks for", 1)
    return "refuse", printable(text), depth


TOKENS = [*"/ / / a b depot . .. ... * %% %%0 %%1 %1 % -".split(), "\x01", "\x7f", "\xa0", "é"]
paths = st.builds(
    "{}{}".format,
    st.sampled_from(["//", "//", "//depot/", "//depot/a/", "/", "a/"]),
    st.lists(st.sampled_from(TOKENS), max_size=24).map("".join),
)


@given(st.lists(paths, min_size=1, max_size=60))
@settings(deadline=None, max_examples=80)
def test_random_paths_have_the_same_depth_in_the_gate_and_in_forms(samples: list[str]) -> None:
    assert list(zip(samples, judged(samples), strict=True)) == [(p, measured(p)) for p in samples]


def spellings() -> set[str]:
    """Return the depot paths of the cases' view lines, without those with special characters.

    Left out are paths with a blank, a quotation mark, `#` or `@`, or with a leading `-`.
    """
    documents = [yaml.safe_load(file.read_text("utf-8")) for file in VIEWS.glob("*.yaml")]
    views = [case.get("view", ()) for document in documents for case in document["cases"]]
    words = {words[0] for view in views for line in view if (words := split_words(line))}
    lefts = {split_flag(word)[1] for word in words}
    return {side for side in lefts if side and not re.search(r'[\s"#@]|^-', side)}


def test_paths_of_the_view_cases_have_the_same_depth_in_the_gate_and_in_forms() -> None:
    lefts = sorted(spellings())
    assert len(lefts) > 60
    assert list(zip(lefts, judged(lefts), strict=True)) == [(p, measured(p)) for p in lefts]


words = st.one_of(
    st.sampled_from(["-m", "-e", "-T", "--max", "-", "--", "//...", "//depot/main/...", "@=1"]),
    st.text(max_size=40),
    st.binary(max_size=40).map(lambda text: text.decode("utf-8", "surrogateescape")),
)


@given(st.lists(st.lists(words, max_size=8), min_size=1, max_size=40))
@settings(deadline=None, max_examples=60)
def test_random_arguments_get_a_verdict(argument_lists: list[list[str]]) -> None:
    event = {"event": "command", "command": "fstat", "client": "ws"}
    lines = [{**event, "args": encodable(args)} for args in argument_lists]
    answers, code = judge(DEEP, lines)
    assert code == 0
    assert {answer["verdict"] for answer in answers} <= {"allow", "unknown", "refuse"}
    assert len(answers) == len(argument_lists)


def encodable(args: list[str]) -> list[str]:
    """Remove surrogates that represent no byte; a command-line argument cannot contain them."""
    return [re.sub("[\ud800-\udc7f\udd00-\udfff]", "", word) for word in args]


@pytest.mark.parametrize(
    "args",
    [
        "//depot/" * 400_000,
        "." * 3_000_000,
        "*" * 3_000_000,
        "//depot/a/" + "%%1" * 1_000_000,
        "-" * 3_000_000,
        "-m " * 1_000_000,
        "//ws/... " * 300_000,
        "( ) (1) " * 300_000,
    ],
    ids=lambda args: args[:12],
)
def test_arguments_of_megabytes_are_judged_within_the_time_limit(args: str) -> None:
    """Let the gate judge arguments of megabytes; quadratic time would exceed the time limit."""
    line = {"event": "command", "command": "fstat", "client": "ws", "args": [args]}
    facts: dict[str, Any] = {"depots": {f"depot{number}": {} for number in range(10)}}
    [answer], _ = judge(DEEP, [{**line, "facts": facts}])
    assert answer["verdict"] in {"allow", "unknown", "refuse"}
