"""Fuzz lists of words of 128 KiB: no command of that length takes over 50 ms of CPU to judge.

The words are of every kind: paths of all syntaxes, options, wildcards, names with blanks,
quotation marks, revisions, and single long words; half of the commands are judged with an index.
"""

from __future__ import annotations

import json
import resource
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from campaign import Campaign, CampaignResult, finding

from gate.program import PROGRAM, policy, rate, rule
from support.small_index import PROGRAM as INDEX_PROGRAM
from support.small_index import small_index

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator

BYTES, MOST_S = 128 * 1024, 0.05
TRIES = 3  # the CPU time of a busy machine is longer; the shortest counts
COMMANDS = ("annotate", "changes", "diff2", "files", "fstat", "grep", "have", "print", "sync")
STARTS = (
    "",
    "/",
    "//",
    "//depot/",
    "//depot/main/",
    "//ws/",
    "//c{}/",
    "C:\\",
    "\\\\h\\s\\",
    "./",
)
NAMES = ("a", "f{}", "main", "*", "...", "%%1", "y*", "..", ".", "a*b", "%40", "é", "a.c", "a/b/c")
ENDS = ("", "", "", "#head", "#1", "@12", "@lab", "@2026/01/02,@now", "@", '"', "/...", "/*")
OPTIONS = (
    "-a",
    "-m 5",
    "-e",
    "-T x",
    "-T",
    "--max=5",
    "--max 5",
    "-Ro",
    "-c 7",
    "-",
    "(195)",
    "-b",
)
BETWEEN = (" ", " ", " ", "  ", "   ", "\t", '" ', ' "', "/")
VIEW = [f"//depot/d{number}/... //ws/d{number}/..." for number in range(20)]


def runs(random: random.Random) -> Iterator[CampaignResult]:
    """Judge random lists of words without end; yield the result of each."""
    with tempfile.TemporaryDirectory() as folder:
        clients = {"ws": VIEW} | {f"c{number}": VIEW for number in range(50)}
        has_index = INDEX_PROGRAM.is_file()
        index = has_index and small_index(Path(folder), {"//depot/main": 2000}, clients)
        while True:
            event = _event(random)
            document = policy({**random.choice(_rules(event["command"])), "mode": "enforce"})
            with_index = [f"--index={index}"] if index and random.random() < 0.5 else []
            spent_s = min(_spent_s(document, event, with_index) for _ in range(TRIES))
            is_long = spent_s > MOST_S
            details = {"event": event, "rule": document["rules"], "index": bool(with_index)}
            problem = finding(f"{spent_s:.3f} s", **details)
            yield CampaignResult(1, (problem,) if is_long else ())


def _rules(command: str) -> list[dict[str, Any]]:
    rates = rule(rate("user", "args"), rate("user", "shape"), commands=[command])
    scope = {"name": "narrow", "rule": "limit_command_scope", "commands": [command]}
    scan = {"name": "big", "rule": "limit_scanned_rows", "commands": [command], "max_files": 10**9}
    return [rates, {**scope, "min_depth": 1}, {**scan, "max_revisions": 10**9}]


def _event(random: random.Random) -> dict[str, Any]:
    kinds = [_kind(random) for _ in range(random.choice((1, 1, 2, 3, 8)))]
    text, number = [], 0
    while sum(map(len, text)) < BYTES:
        for _ in range(random.choice((1, 10, 1000))):
            text.append(random.choice(kinds).replace("{}", str(number % 3000)))
            number += 1
    directory = random.choice(("/home/ws", "/home/ws/d7", "C:\\ws", "/w" + "/deep dir" * 400))
    args = "".join(text)[:BYTES]
    names = {"event": "command", "user": "ann", "client": "ws", "clientcwd": directory}
    return {**names, "command": random.choice(COMMANDS), "args": [args]}


def _kind(random: random.Random) -> str:
    """Return a word with what follows it, or a part of one long word."""
    if random.random() < 0.2:
        word = random.choice(OPTIONS)
    else:
        names = "/".join(random.choices(NAMES, k=random.randint(1, 3)))
        word = random.choice(STARTS) + names + random.choice(ENDS)
    return word + random.choice(BETWEEN)


def _spent_s(document: dict[str, Any], event: dict[str, Any], options: list[str]) -> float:
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "policy.json")
        source.write_text(json.dumps(document))
        command = [str(PROGRAM), "judge", "--policy", str(source), *options]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        text = f"{json.dumps(event)}\n".encode()
        subprocess.run(command, input=text, capture_output=True, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


CAMPAIGN = Campaign("word-lists", "commands", runs, 5_000)
