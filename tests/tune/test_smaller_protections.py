"""Tests of smaller protections tables; in `P4.Map`, the vendor's, they give the same access."""

from __future__ import annotations

import itertools
import re

import P4
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from p4warden.workbench.audit.groups import Group
from p4warden.workbench.audit.protections import Protection
from p4warden.workbench.tune.protection_check import bounds, changes_access
from p4warden.workbench.tune.server_state import ProtectionTable
from p4warden.workbench.tune.smaller_protections import SmallerTable, smaller
from support.examples import examples

BITS = {"list": 1, "read": 7, "open": 0xF, "write": 0x1F, "super": 0xFF}
NAMES = [(False, "ann"), (False, "ben"), (False, "*"), (True, "dev"), (True, "ops"), (False, "a*")]
HOSTS = ["*", "*", "10.1.1.1", "10.2.*"]
PATHS = [
    "//...",
    "//d/...",
    "//d/*",
    "//d/*/...",
    "//d/a/...",
    "//d/a/*",
    "//d/a/*/...",
    "//d/a*",
    "//d/a...",
    "//d/a/b",
    "//d/.../b",
    "//d/*/b",
    "//d/%%1/b",
    "//D/A/...",
    "//e f/...",
]
# Groups as in the checkpoint: two users, one with both groups; one user and all others have none.
GROUPS = [
    Group("dev", frozenset({"ann", "carl"}), frozenset(), {}),
    Group("ops", frozenset({"carl"}), frozenset(), {}),
]
PEOPLE = [
    ("ann", {"dev"}),
    ("ben", set()),
    ("carl", {"dev", "ops"}),
    ("dora", set()),
    ("ann", {"ops"}),
]

lines_of_tables = st.lists(
    st.builds(
        lambda who, host, right, path, excludes: Protection(
            who[0], who[1], host, BITS[right], excludes, path
        ),
        st.sampled_from(NAMES),
        st.sampled_from(HOSTS),
        st.sampled_from([*BITS, "write", "write", "read"]),
        st.sampled_from(PATHS),
        st.sampled_from([False, False, True]),
    ),
    max_size=7,
)


def parsed(text: str) -> Protection:
    words = [word.replace('"', "") for word in re.findall(r'(?:"[^"]*"|[^\s"])+', text)]
    right, kind, name, host, path = words
    return Protection(
        kind == "group", name, host, BITS[right], path[0] == "-", path.removeprefix("-")
    )


def access(lines: list[Protection], files: list[str], *, removes_all: bool) -> list[bool]:
    """Return for each user, host, right and file whether the lines, as `P4.Map`, grant it."""
    results = []
    hosts = ["10.9.9.9", "10.1.1.1", "10.2.3.4"]
    for (user, groups), host, bit in itertools.product(PEOPLE, hosts, (1, 2, 4, 16, 64)):
        view = P4.Map()
        for line in lines:
            if fits(line, user, groups, host) and (
                line.rights & bit or (line.is_exclusion and removes_all)
            ):
                mark = "-" if line.is_exclusion else ""
                view.insert(f'"{mark}{line.path}"')
        results += [view.includes(file) for file in files]
    return results


def fits(line: Protection, user: str, groups: set[str], host: str) -> bool:
    if not re.fullmatch(line.host.replace(".", r"\.").replace("*", ".*"), host):
        return False
    if line.is_group:
        return line.name in groups
    return re.fullmatch(line.name.replace("*", ".*"), user) is not None


def proposed(table: SmallerTable, lines: list[Protection]) -> list[Protection]:
    return [parsed(text) for text in table.lines] or lines


@settings(max_examples=examples(150), deadline=None)
@given(lines=lines_of_tables, case_sensitive=st.booleans())
@example(
    lines=[parsed("write user ann * //d/a/*"), parsed("write user ann * //d/a/*/...")],
    case_sensitive=True,
)
def test_nobodys_access_changes(lines: list[Protection], *, case_sensitive: bool) -> None:
    table = smaller(ProtectionTable(lines), GROUPS, case_sensitive=case_sensitive)
    assert table.problem == ""
    new = proposed(table, lines)
    files = sorted({file for line in lines for file in bounds(line.path) if file[-1:] != "/"})
    files = [file for file in files if len(file) > 3]
    if not case_sensitive:
        lines = [line._replace(path=line.path.lower()) for line in lines]
        new = [line._replace(path=line.path.lower()) for line in new]
        files = sorted({file.lower() for file in files})
    for removes_all in (True, False):
        assert access(new, files, removes_all=removes_all) == access(
            lines, files, removes_all=removes_all
        )
    assert [one for one in new if one.rights == 0xFF] == [
        one for one in lines if one.rights == 0xFF
    ]
    assert table.after.lines == len(new) <= len(lines)
    again = smaller(ProtectionTable(new), GROUPS, case_sensitive=case_sensitive)
    assert again.after.lines <= table.after.lines


@settings(max_examples=examples(100), deadline=None)
@given(before=lines_of_tables, after=lines_of_tables)
def test_the_check_finds_what_the_vendors_map_finds(
    before: list[Protection], after: list[Protection]
) -> None:
    """Also for tables that differ: the check that allows a proposal is no rubber stamp."""
    paths = sorted({one for line in (*before, *after) for one in bounds(line.path)})
    files = [path for path in paths if len(path) > 3 and path[-1] != "/"]
    differs = any(
        access(before, files, removes_all=removes) != access(after, files, removes_all=removes)
        for removes in (True, False)
    )
    if differs:
        assert changes_access(before, after, GROUPS)


@pytest.mark.parametrize(
    ("lines", "diff"),
    [
        (
            ["write user ann * //d/*", "write user ann * //d/*/..."],
            [
                "-1 write user ann * //d/*",
                "-2 write user ann * //d/*/...",
                "+ write user ann * //d/...",
            ],
        ),
        (["read user ann * //d/a/*", "read user ann * //d/%%1/b"], []),
        (
            ["read user ann * //d/a/...", "write user * * //d/...", "super user root * //..."],
            ["-1 read user ann * //d/a/..."],
        ),
        (["super user ann * //d/a/...", "super user ann * //..."], []),
        (["super user ann * //...", "write user ann * //d/..."], ["-2 write user ann * //d/..."]),
        (["write user ann * //d/*", "write user ben * //d/*/..."], []),
        (["write user ann * //d/*", "write user ann 10.1.1.1 //d/*/..."], []),
        (["write user ann * //d/*", "read user ann * //d/*/..."], []),
        (["write user ann * //d/*", "write user ann * -//d/*/..."], []),
    ],
)
def test_only_lines_without_effect_and_neighbours_change(
    lines: list[str], diff: list[str]
) -> None:
    table = smaller(ProtectionTable([*map(parsed, lines)]), GROUPS, case_sensitive=True)
    assert list(table.diff) == diff
    assert table.before.lines == len(lines)


def test_a_table_with_parts_that_are_unknown_gets_no_proposal() -> None:
    lines = [parsed("write user ann * //d/..."), parsed("write user ann * //d/...")]
    table = smaller(ProtectionTable(lines, (), "a part"), GROUPS, case_sensitive=True)
    assert (table.diff, table.lines, table.problem) == ((), (), "a part")


def test_a_right_without_a_known_name_leaves_the_lines_as_a_diff_only() -> None:
    lines = [Protection(False, "ann", "*", 0x9F, False, "//d/...")] * 2  # noqa: FBT003 - fields
    table = smaller(ProtectionTable(lines), GROUPS, case_sensitive=True)
    assert (len(table.diff), table.lines) == (1, ())
