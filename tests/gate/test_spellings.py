"""Tests that all spellings of a command are judged alike: verdict, value and estimate."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import pytest

from gate.program import judge, policy
from support.small_index import small_index

if TYPE_CHECKING:
    from pathlib import Path

COMMANDS = ("files", "fstat", "print", "sizes", "filelog", "changes", "sync", "have", "integrate")
PATHS = ("", "//...", "//depot/...", "//depot/main/...", "//ws/...", "//depot/main/....c")
# Each is one revision in several spellings; the newest changelist is 746, of 2020-02-01.
REVISIONS = (
    (
        "",
        "#head",
        "@now",
        "#1,#head",
        "@1,#head",
        "@0,@now",
        "@>=1",
        "@2099/01/01",
        "@1970/1/1,now",
    ),
    ("@740,#head", "@740,@now", "@740,now", "@>=740", "@>739", "@0740,#head", "@740,@2099/01/01"),
    ("@=740", "@740,740", "@740,@740", "@>739,@<741", "@>=740,@<=740,@746", "@=740,@now"),
    ("@1,@300", "@>=1,@<=300", "@>0,@<301", "@<=300,@>=1"),
    ("@740", "#1,@740"),
    ("#none", "#0"),
)
# Options of commands in several spellings.
OPTIONS = (
    ("fstat", ("-Rco", "-Roc", "-Ro -Rc", "-W", "--restrict-flags=co", "--restrict-flags oc")),
    ("fstat", ("-Rc", "-C", "--restrict-flags=c", "--restrict-flags c")),
    ("fstat", ("-c740", "-c 740", "--change=740", "--change 740", "-rc740")),
    ("fstat", ("-e 740 -Rs", "-Rs -e740", "--restrict-flags s -e 740")),
    ("changes", ("-m5", "-m 5", "-lm5", "-l -m 5", "--max=5", "--max 5 --long", "-tm 5")),
    ("changes", ("-m5 -u ann", "-uann -m5", "--user ann --max=5", "--user=ann -m 5")),
    ("changes", ("-e740", "-e 740", "-le 740")),
    ("files", ("-a", "--all", "-ea", "-ae", "--exists --all")),
    ("sizes", ("-sa", "-as", "-s -a -b4096", "--all --summary --blocksize 4096")),
    ("filelog", ("-c740", "-c 740", "--change 740", "-lc740")),
)


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_index(
        tmp_path_factory.mktemp("index"),
        {"//depot/main": 1197, "//depot/src": 100, "//other/a": 900},
        {"ws": ["//depot/... //ws/..."]},
        changed={"1": 900, "300": 540, "600": 300, "700": 400, "740": 40, "746": 17},
        has_every_number=True,
    )


def groups() -> list[list[tuple[str, str]]]:
    """Return commands with their arguments, in groups that must be judged alike."""
    of_revisions = [
        [(command, f"{path}{revision}") for revision in spellings if path or revision]
        for command, path, spellings in itertools.product(COMMANDS, PATHS, REVISIONS)
    ]
    of_limits = [
        [("changes", f"-m5 {path}{revision}") for revision in spellings if revision]
        for path, spellings in itertools.product(PATHS, REVISIONS)
    ]
    of_options = [
        [(command, f"{spelling} {path}") for spelling in spellings]
        for (command, spellings), path in itertools.product(OPTIONS, PATHS)
    ]
    return [*of_revisions, *of_limits, *of_options]


@pytest.mark.parametrize("has_index", [True, False])
def test_spellings_of_a_command_have_one_verdict(index: Path, *, has_index: bool) -> None:
    rules = [
        {"rule": "limit_scanned_rows", "max_files": 500, "max_revisions": 500},
        {"rule": "limit_command_scope", "min_depth": 1},
    ]
    facts = {"mode": "enforce", "commands": sorted(COMMANDS)}
    options = [f"--index={index}"] if has_index else []
    for number, one in enumerate(rules):
        document = policy(facts | one | {"name": "rule"})
        found = groups()
        events = [
            {"event": "command", "command": command, "args": args.split(), "user": "ann"}
            | {"client": "ws", "time": 1_800_000_000}
            for command, args in itertools.chain(*found)
        ]
        answers, _ = judge(document, events, *options)
        given = iter(answers)
        for group in found:
            judged = {spelling: outcome(next(given)) for spelling in group}
            assert len(set(judged.values())) == 1, (number, judged)


def outcome(answer: dict[str, Any]) -> tuple[Any, ...]:
    return answer["verdict"], answer["value"]
