"""Test of the estimates of 600 generated commands on a server with a known history."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any, NamedTuple

from gate.program import judge, policy
from support.small_index import small_index

if TYPE_CHECKING:
    from pathlib import Path

STEP = 500
REVISIONS = 3
DIRECTORIES = {
    "//depot/main/lib": 3_111,
    "//depot/main/lib/old": 7,
    "//depot/main/src": 889,
    "//depot/rel/x/y": 276,
    "//depot/rel/x/z": 424,
    "//tools/a/b": 2_301,
}
PATHS = {
    "//...": 7_008,
    "//depot/...": 4_707,
    "//depot/main/...": 4_007,
    "//depot/main/lib/...": 3_118,
    "//depot/main/lib/*": 3_111,
    "//depot/main/lib/old/...": 7,
    "//depot/main/s...": 889,
    "//depot/rel/x/y/...": 276,
    "//depot/rel/x/z/*": 424,
    "//ws/rel/x/...": 700,
    "//tools/a/b/...": 2_301,
}
COMMANDS = ("files", "fstat", "print", "grep", "sizes", "filelog", "changes", "sync", "dirs")
OF_REVISIONS = ("filelog", "changes")
IN_VIEW = 4_707


class Form(NamedTuple):
    """Arguments before and after a path, and the changelists that they name; None for all."""

    options: list[str]
    revision: str
    changelists: tuple[int, int] | None


def history(draw: random.Random) -> dict[int, int]:
    changes: dict[int, int] = {}
    change = 0
    for _ in range(1_500):
        change += draw.randint(1, 4)
        changes[change] = draw.choice([1, 2, 5, 9, 20, 1_200 if draw.random() < 0.05 else 3])
    return changes


def forms(draw: random.Random, newest: int, command: str) -> Form:
    first, last = sorted(draw.randint(1, newest) for _ in range(2))
    choices = [
        Form([], "", None),
        Form([], f"@{last}", None),
        Form([], "#head", None),
        Form([], f"@={first}", (first, first)),
        Form([], f"@{first},{last}", (first, last)),
        Form([], f"@{first},@{last}", (first, last)),
        Form([], f"@{first},#head", (first, newest)),
        Form([], f"@{first},now", (first, newest)),
    ]
    if command == "fstat":
        choices += [Form(["-e", str(first)], "", (first, first))] * 2
        choices += [Form(["-Ol", f"-c{first}"], "", (first, newest)), Form(["-Rc"], "", None)]
    if command == "changes":
        choices += [Form(["-e", str(first)], "", (first, newest)), Form(["-u", "x"], "", None)]
        choices.append(Form(["-m", "7", "-u", "x"], f"@{first},{last}", (first, last)))
    if command == "filelog":
        choices.append(Form(["-m1", "-c", str(first)], "", (first, first)))
    if command == "sizes":
        choices.append(Form(["-s", "-b", "4096"], f"@{first},now", (first, newest)))
    return draw.choice(choices)


def test_an_estimate_exceeds_the_exact_number_by_less_than_500(tmp_path: Path) -> None:
    draw = random.Random(28)  # noqa: S311 - reproducible test data
    changes = history(draw)
    index = small_index(
        tmp_path,
        DIRECTORIES,
        {"ws": ["//depot/... //ws/..."]},
        revisions=REVISIONS,
        changed={str(change): count for change, count in changes.items()},
    )
    events: list[dict[str, Any]] = []
    exact: list[int] = []
    for number in range(600):
        command, path = draw.choice(COMMANDS), draw.choice(sorted(PATHS))
        form = forms(draw, max(changes), command)
        args = [*form.options, path + form.revision]
        events.append({"event": "command", "command": command, "args": args, "id": str(number)})
        of_path = PATHS[path] * (REVISIONS if command in OF_REVISIONS else 1)
        if command == "sync":
            of_path = {"//...": IN_VIEW, "//tools/a/b/...": 0}.get(path, PATHS[path])
        first, last = form.changelists or (1, 0)
        inside = sum(count for change, count in changes.items() if first <= change <= last)
        exact.append(min(of_path, inside) if form.changelists else of_path)
    rule = {"name": "big", "rule": "limit_scanned_rows", "mode": "enforce", "max_files": 10**9}
    rule |= {"commands": sorted(COMMANDS), "max_revisions": 10**9}
    events = [event | {"user": "ann", "client": "ws"} for event in events]
    answers, _ = judge(policy(rule), events, f"--index={index}")
    wrong = [
        (event["command"], event["args"], rows, answer["value"])
        for event, rows, answer in zip(events, exact, answers, strict=True)
        if answer["value"] is None or not rows <= answer["value"] < rows + STEP
    ]
    assert wrong == []
