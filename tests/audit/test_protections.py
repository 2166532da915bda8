"""Tests of slow and dead protections lines; in `P4.Map`, removing dead ones changes no access."""

from __future__ import annotations

import itertools
import os
import random

import P4
import pytest

from p4warden.workbench.audit.protections import Protection, dead, slow

TABLES = int(os.environ.get("PROTECTION_TABLES", "400"))
NAMES = [(False, "ann"), (False, "ben"), (False, "*"), (True, "dev"), (True, "ops"), (False, "a*")]
PATHS = [
    "//...",
    "//depot/...",
    "//depot/a/...",
    "//depot/a/b",
    "//depot/.../x",
    "//depot/*/b",
    "//tools/...",
    "//depot/a...",
]
FILES = ["//depot/a/b", "//depot/a/x", "//depot/c/b", "//tools/x", "//depot/ab", "//d"]
RIGHTS = [0x01, 0x02, 0x07, 0x1F, 0xFF]
PEOPLE = [("ann", {"dev"}), ("ben", set()), ("carl", {"dev", "ops"}), ("ann", {"ops"})]
HOSTS = ["*", "10.1.1.1"]


def table(seed: int) -> list[Protection]:
    rnd = random.Random(seed)  # noqa: S311 - the same each time
    lines = []
    for _ in range(rnd.randint(1, 7)):
        is_group, name = rnd.choice(NAMES)
        excludes = rnd.random() < 0.35
        host = rnd.choice([*HOSTS, "*", "*"])
        lines.append(
            Protection(is_group, name, host, rnd.choice(RIGHTS), excludes, rnd.choice(PATHS))
        )
    return lines


def answers(lines: list[Protection], *, removes_rights: bool) -> list[bool]:
    """Return for each user, host, right and file whether the lines, as `P4.Map`, grant it."""
    results = []
    for (user, groups), host, bit in itertools.product(PEOPLE, HOSTS, (1, 2, 4, 16, 128)):
        view = P4.Map()
        for line in lines:
            if not fits(line, user, groups, host):
                continue
            if line.rights & bit or (line.is_exclusion and removes_rights):
                view.insert(f"{'-' if line.is_exclusion else ''}{line.path}")
        results += [view.includes(file) for file in FILES]
    return results


def fits(line: Protection, user: str, groups: set[str], host: str) -> bool:
    if line.host not in ("*", host):
        return False
    if line.is_group:
        return line.name in groups
    return line.name in ("*", user) or (line.name == "a*" and user.startswith("a"))


@pytest.mark.parametrize("removes_rights", [True, False])
def test_removing_dead_lines_changes_no_access(removes_rights: bool) -> None:  # noqa: FBT001 - a case
    values = 0
    for seed in range(TABLES):
        lines = table(seed)
        numbers = [one.number for one in dead(lines)]
        values += len(numbers)
        if not numbers:
            continue
        all_answers = answers(lines, removes_rights=removes_rights)
        for number in numbers:
            without = lines[: number - 1] + lines[number:]
            assert answers(without, removes_rights=removes_rights) == all_answers, (lines, number)
        rest = [line for place, line in enumerate(lines, 1) if place not in numbers]
        assert answers(rest, removes_rights=removes_rights) == all_answers, (lines, numbers)
    assert values > TABLES / 4


def line(text: str) -> Protection:
    rights, kind, name, host, path = text.split()
    bits = {"list": 1, "read": 3, "write": 0x1F, "super": 0xFF}[rights]
    return Protection(kind == "group", name, host, bits, path[0] == "-", path.lstrip("-"))


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["write user * * //...", "write group dev * //depot/..."], [(2, 1)]),
        (["write group dev * //depot/...", "write user * * //..."], [(1, 2)]),
        (["list user ann * -//depot/...", "write user * * //..."], [(1, 2)]),
        (["write user * * //...", "list user ann * -//depot/..."], []),
        (["read user * * //...", "write user * * //..."], [(1, 2)]),
        (["write user * * //...", "read user * * -//d/...", "read user * * //d/a/..."], []),
        (["list user ann * -//depot/..."], [(1, None)]),
        (["super user ben * //...", "list user ann * -//depot/..."], [(2, None)]),
        (["super group dev * //...", "list user ann * -//depot/..."], []),
        (["write user * 10.* //...", "write user ann * //..."], []),
    ],
)
def test_dead_lines_are_named_with_their_cause(
    lines: list[str], expected: list[tuple[int, int | None]]
) -> None:
    assert [tuple(one) for one in dead([line(text) for text in lines])] == expected


def test_dead_lines_are_found_in_any_case_if_the_server_ignores_case() -> None:
    lines = [line("write user * * //DEPOT/..."), line("write user ann * //depot/a/...")]
    assert not list(dead(lines))
    assert [tuple(one) for one in dead(lines, case_sensitive=False)] == [(2, 1)]


def test_slow_lines_are_reported() -> None:
    lines = ["write user * * //.../src/...", "read user ann * -//depot/...", "read user * * //..."]
    assert list(slow([line(text) for text in lines])) == [
        (1, "has ... within its path"),
        (2, "is an exclusion"),
    ]
