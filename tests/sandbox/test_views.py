"""Tests of view lines on the sandbox: invalid lines, and mapped paths compared with `P4.Map`."""

import pytest
from P4 import Map

from p4warden_sandbox.depot_paths import check_wildcards, depot_of
from p4warden_sandbox.message_stack import CommandError
from p4warden_sandbox.messages import DUPLICATE_WILDCARDS, EXTRA_DOTS, EXTRA_STARS, JUXTAPOSED
from p4warden_sandbox.views import View, ViewLine, view_lines

PATHS = [
    "//depot/main/a.c",
    "//depot/main/src/a.c",
    "//depot/main/src/net/b.h",
    "//depot/rel/1.0/a.c",
    "//depot/a b/c",
    "//other/main/a.c",
]


@pytest.mark.parametrize(
    "lines",
    [
        ["//depot/... //ws/..."],
        ["//depot/main/* //ws/*"],
        ["//depot/*/src/... //ws/src/*/..."],
        ["//depot/%%1/%%2.c //ws/%%2/%%1.c"],
        ["//depot/....c //ws/....c"],
        ["//depot/main/... //ws/...", "-//depot/main/src/... //ws/src/..."],
        ["-//depot/main/... //ws/main/...", "//depot/... //ws/..."],
        ["//depot/main/... //ws/a/...", "//depot/main/src/... //ws/b/..."],
        ["//depot/main/... //ws/...", "+//depot/rel/... //ws/rel/..."],
        ['"//depot/a b/..." "//ws/a b/..."'],
        ["//depot/main/a.c //ws/x.c"],
        ["//... //ws/..."],
        ["//*/main/... //ws/*/..."],
    ],
)
def test_views_map_paths_to_the_same_paths_as_p4python(lines: list[str]) -> None:
    view = View(lines, case_sensitive=True)
    vendor_map = Map(lines)

    assert [view.translate(path) for path in PATHS] == [
        vendor_map.translate(path) for path in PATHS
    ]


def test_a_case_insensitive_view_maps_paths_in_any_case() -> None:
    view = View(["//Depot/MAIN/... //ws/..."], case_sensitive=False)

    assert view.translate("//depot/main/A.c") == "//ws/A.c"


def test_view_lines_are_parsed_into_flag_and_paths() -> None:
    assert view_lines(["-//a //b", '"+//a b" //c', "&//a //b", "//a"]) == [
        ViewLine("-", "//a", "//b"),
        ViewLine("+", "//a b", "//c"),
        ViewLine("&", "//a", "//b"),
        ViewLine("", "//a", None),
    ]


@pytest.mark.parametrize(
    ("path", "depot"),
    [
        ("//depot/main/...", "depot"),
        ("//depot", "depot"),
        ("//...", None),
        ("//dep*/x", None),
        ("//%%0/x", None),
        ("depot/x", ""),
        ("/depot/x", ""),
    ],
)
def test_depot_of_returns_the_depot_of_a_path(path: str, depot: str | None) -> None:
    assert depot_of(path) == depot


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("//d/.../a/.../b/.../c/...", EXTRA_DOTS),
        ("//d/" + "*/" * 11, EXTRA_STARS),
        ("//d/%%1/%%1", DUPLICATE_WILDCARDS),
        ("//d/*...", JUXTAPOSED),
        ("//d/%%1%%2", JUXTAPOSED),
        ("//d/......", JUXTAPOSED),
    ],
)
def test_invalid_wildcards_in_a_path_are_refused(path: str, message: object) -> None:
    with pytest.raises(CommandError) as error:
        check_wildcards(path)

    assert error.value.stack[0].kind == message


@pytest.mark.parametrize(
    ("path", "wildcards"),
    [
        ("//d/.../a/.../b/...", ["...", "...", "..."]),
        ("//d/*/%%0/....c", ["%%0", "*", "..."]),
        ("//d/%1/a.c", []),
    ],
)
def test_check_wildcards_returns_the_wildcards_of_a_path(path: str, wildcards: list[str]) -> None:
    assert check_wildcards(path) == wildcards
