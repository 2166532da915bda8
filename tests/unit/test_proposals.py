"""Tests that a rule accepts a view changed exactly as its refusal proposes.

Also of the effort for proposals, which is limited for wide views and large servers.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from p4warden.core.records import Depot, Event, Facts, Finding
from p4warden.forms import form_parser
from p4warden.forms.depot_path import split_words
from p4warden.judge.engine import evaluate
from p4warden.policy.compiled import compile_policy
from p4warden.rules.proposals.placeholder_advice import as_wildcards
from p4warden.rules.proposals.placeholders import (
    LONGER_WORDS,
    WIDER_WORDS,
    PlaceholderFinder,
    placeholders,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

FIELDS = {"client": "View", "branch": "View", "label": "View", "stream": "Paths"}
WORDS = re.compile(r"\b(DIRECTORY|DEPOT|SHORT)\b")
LINE = re.compile(r"line (\d+)")

limits = st.fixed_dictionaries(
    {"forms": st.just([*FIELDS]), "min_depth": st.integers(0, 3)},
    optional={
        "depots": st.dictionaries(st.sampled_from(["a", "b"]), st.integers(0, 3)),
        "max_share": st.sampled_from([0.1, 0.5, 0.8, 1.0]),
        "min_directories": st.integers(1, 4),
        "max_lines": st.integers(1, 9),
        "max_embedded": st.integers(0, 3),
    },
)
lengths = st.fixed_dictionaries(
    {"forms": st.just([*FIELDS]), "max_leading": st.integers(8, 40)},
    optional={"depots": st.dictionaries(st.sampled_from(["a", "b"]), st.integers(8, 40))},
)
names = st.sampled_from(["a", "b", "c", "ab", "abc", "B", "my docs", "é", "DIRECTORY", "x" * 20])
depots = st.one_of(
    st.lists(names, min_size=2, unique=True).map(lambda d: Depot("local", (*d,), len(d))),
    st.sampled_from([Depot("local", None, 5000), Depot("spec", (), 0)]),
)
directories = st.builds(
    "//{}/{}/".format,
    st.sampled_from("ab"),
    st.lists(st.one_of(names, st.just("*")), min_size=1, max_size=4).map("/".join),
)
used_directories = st.lists(directories, max_size=6).map(lambda paths: lambda: (*paths,))
server_facts = st.builds(
    Facts,
    st.booleans(),
    st.fixed_dictionaries({"a": depots}, optional={"b": depots, "ab": depots, "DEPOT": depots}),
    used_directories=used_directories,
    unicode=st.booleans(),
)
wildcards = st.sampled_from(["*", "...", "%%1", "a...", "a*", "*.c", "....c"])
tails = st.one_of(
    st.just("..."),
    st.lists(st.one_of(names, wildcards), min_size=1, max_size=3).map("/".join),
    st.lists(st.sampled_from(["a", "", ".", "*", "......"]), max_size=3).map("/".join),
)
tops = st.sampled_from(["a", "a", "a", "b", "*", "...", "DEPOT"])
paths = st.builds("//{}/{}".format, tops, tails)


@st.composite
def lines(draw: st.DrawFn, form_type: str) -> str:
    """Generate a random view line of a form type."""
    depot_path = draw(paths)
    tail = depot_path[2:].partition("/")[2]
    side = draw(st.sampled_from([tail, depot_path[2:], f"c/{tail}", "...", "c/..."]))
    flag = draw(st.sampled_from(["", "", "", "-"]))
    words = {
        "client": [f"{flag}{depot_path}", f"//ws/{side}"],
        "branch": [
            f"{flag}{depot_path}",
            draw(st.sampled_from([f"//b/{side}", draw(paths), side])),
        ],
        "label": [f"{flag}{depot_path}"],
        "stream": ["import", side, depot_path],
    }[form_type]
    return " ".join(f'"{word}"' for word in words)


@st.composite
def views(draw: st.DrawFn) -> tuple[str, list[str]]:
    form_type = draw(st.sampled_from([*FIELDS]))
    return form_type, draw(st.lists(lines(form_type), min_size=1, max_size=6))


def findings_of(
    rule: dict[str, Any], form_type: str, view: Iterable[str], facts: Facts
) -> tuple[Finding, ...]:
    policy = compile_policy({"contact": "admins", "rules": [rule]}, "0" * 64)
    rows = "".join(f"\t{line}\n" for line in view)
    form = form_parser.parse(f"{FIELDS[form_type]}:\n{rows}")
    name = "//a/ws" if form_type == "stream" else "ws"
    event = Event("form-save", "2026-11-21", type=form_type, name=name, form=form)
    outcome = evaluate(policy, event, facts)
    assert outcome.trouble is None
    return outcome.judgements[0].findings


def applied(view: list[str], findings: Iterable[Finding]) -> tuple[list[str], set[str]]:
    """Apply a rule's proposed lines to a view; return the new lines, and the items that
    stay refused.
    """
    fixes: dict[int, list[str]] = {}
    for finding in findings:
        number = LINE.search(finding.place)
        if number:
            fixes.setdefault(int(number[1]), []).extend(finding.fix)
    rows: list[str] = []
    for row, line in enumerate(view, 1):
        rows += [WORDS.sub("c", fix) for fix in dict.fromkeys(fixes.get(row, ()))] or [line]
    return rows, {
        item_text(view[row - 1]) for row, lines_of_fix in fixes.items() if not lines_of_fix
    }


def item_text(item: str) -> str:
    return " ".join(split_words(item))


def check(rule: dict[str, Any], view: tuple[str, list[str]], facts: Facts) -> None:
    form_type, rows = view
    first = findings_of(rule, form_type, rows, facts)
    rows, refused_items = applied(rows, first)
    view_things = {
        finding.counted_things or finding.item for finding in first if finding.place == "The view"
    }
    # Accept a new finding about the number of rows in p4d's map of the view, because this number
    # depends on the view's exclusion lines, too.
    view_things.add("map rows")
    for finding in findings_of(rule, form_type, rows, facts):
        if finding.place == "The view":
            assert (finding.counted_things or finding.item) in view_things
        else:
            assert item_text(finding.item) in refused_items


@given(limits, views(), server_facts)
def test_limit_view_scope_accepts_its_own_proposed_view_lines(
    settings: dict[str, Any], view: tuple[str, list[str]], facts: Facts
) -> None:
    rule = {"name": "wide", "rule": "limit_view_scope", "mode": "enforce", **settings}
    check(rule, view, facts)


@given(lengths, views(), server_facts)
def test_limit_path_length_accepts_its_own_proposed_view_lines(
    settings: dict[str, Any], view: tuple[str, list[str]], facts: Facts
) -> None:
    rule = {"name": "long", "rule": "limit_path_length", "mode": "enforce", **settings}
    check(rule, view, facts)


PIECES = [
    "*",
    "...",
    "%%1",
    ".",
    "/",
    "//",
    "a",
    "-",
    "x y",
    "\u00e9",
    *WIDER_WORDS,
    *LONGER_WORDS,
]
PATTERNS = {WIDER_WORDS: "/(DIRECTORY|(?<=^//)DEPOT)(?=/|$)", LONGER_WORDS: "/(SHORT)(?=/|$)"}


@pytest.mark.parametrize("words", PATTERNS)
@given(text=st.lists(st.sampled_from(PIECES)).map("".join))
def test_placeholders_are_found_where_the_regular_expression_finds_them(
    words: tuple[str, ...], text: str
) -> None:
    matches = [*re.finditer(PATTERNS[words], text)]
    assert [*placeholders(text, words)] == [(match.start(), match[1]) for match in matches]
    if words == WIDER_WORDS:
        assert as_wildcards(text) == re.sub(PATTERNS[words], "/*", text)


class CountingDepots(dict[str, Depot]):
    """Depots by name, as in the facts; counts how often code iterates over all of them."""

    look_count = 0

    def items(self) -> Any:
        self.look_count += 1
        return super().items()


def test_each_placeholder_word_is_looked_up_in_the_facts_once() -> None:
    depots = CountingDepots(odd=Depot("local", ("DIRECTORY",), 1))
    words = PlaceholderFinder(WIDER_WORDS, Facts(depots=depots))
    path = "//a" + "/DIRECTORY" * 20 + "/..."
    assert [words.first(path) for _ in range(20)] == [None] * 20
    assert words.first("//DEPOT/main/...") == words.first("//DEPOT/...") == "DEPOT"
    assert depots.look_count == len(["DIRECTORY", "DEPOT"])


def test_proposals_for_many_wide_view_lines_on_a_large_server_are_limited() -> None:
    tops = tuple(f"top{number}" for number in range(100))
    facts = Facts(depots={f"d{number}": Depot("local", tops, 100) for number in range(30)})
    rule: dict[str, Any] = {"name": "wide", "rule": "limit_view_scope", "mode": "enforce"}
    findings = findings_of(rule | {"forms": ["client"]}, "client", ["//... //ws/..."] * 80, facts)
    assert len(findings) == len(["//... //ws/..."] * 80)
    assert [len(finding.fix) for finding in findings] == [6] * 2 + [0] * 78
    assert findings[0].further_count == len(facts.depots) * len(tops) - 6
    tail = "a/" * 1_000
    assert findings_of(rule, "client", [f"//*/{tail}... //ws/{tail}..."], facts)[0].fix == ()


def test_proposals_stop_at_max_embedded_and_count_the_other_directories() -> None:
    tops = tuple(f"top{number}" for number in range(900))
    facts = Facts(depots={"a": Depot("local", tops, 900)})
    rule = {"name": "wide", "rule": "limit_view_scope", "mode": "enforce", "max_embedded": 1}
    (finding,) = findings_of(rule, "client", ["//a/.../x //ws/.../x"], facts)
    assert (len(finding.fix), finding.further_count) == (1, 899)


@pytest.mark.parametrize(("characters", "lines"), [(1_000, 1), (1_001, 0)])
def test_a_view_line_of_more_than_1000_characters_gets_no_proposal(
    characters: int, lines: int
) -> None:
    rule = {"name": "wide", "rule": "limit_view_scope", "mode": "enforce"}
    depot_path, root, tail = "//depot/*/...", "//ws/", "/*/..."
    name = "x" * (characters - len(depot_path + root + tail))
    findings = findings_of(rule, "client", [f"{depot_path} {root}{name}{tail}"], Facts())
    assert [len(finding.fix) for finding in findings] == [lines]


def test_used_directories_are_proposed_and_other_directories_are_counted() -> None:
    tops = tuple(f"top{number}" for number in range(9))
    facts = Facts(
        depots={"a": Depot("local", tops, 9)}, used_directories=lambda: ("//a/top3/", "//a/new/x/")
    )
    rule = {"name": "wide", "rule": "limit_view_scope", "mode": "enforce"}
    (finding,) = findings_of(rule, "client", ["//a/... //ws/..."], facts)
    assert finding.fix == ("//a/top3/... //ws/top3/...", "//a/new/x/... //ws/new/x/...")
    assert finding.further_count == 8


@pytest.mark.parametrize(("mode", "lookups"), [("enforce", 1), ("observe", 0)])
def test_used_directories_are_looked_up_only_for_refusals_of_wide_view_lines(
    mode: str, lookups: int
) -> None:
    calls: list[None] = []

    def used_now() -> tuple[str, ...]:
        calls.append(None)
        return ()

    rule = {"name": "wide", "rule": "limit_view_scope", "mode": mode}
    findings_of(rule, "client", ["//a/b/... //ws/..."], Facts(used_directories=used_now))
    assert not calls
    findings_of(rule, "client", ["//a/... //ws/..."], Facts(used_directories=used_now))
    assert bool(calls) == bool(lookups)
    calls.clear()
    findings_of(rule, "client", ["//a/b/... //ws/... more"], Facts(used_directories=used_now))
    long = {"name": "long", "rule": "limit_path_length", "mode": mode, "max_leading": 9}
    findings_of(
        long, "client", ["//a/very/long/path/... //ws/..."], Facts(used_directories=used_now)
    )
    assert not calls
