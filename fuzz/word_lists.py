"""Fuzz lists of words of 128 KiB: no trigger takes over 150 ms of CPU for such a command.

The words are of every kind: paths of all syntaxes, options, wildcards, names with blanks,
quotation marks, revisions, single long words, and those that took longest so far. A policy with
every kind of rule judges them, half of them with an index.
"""

from __future__ import annotations

import resource
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from campaign import Campaign, CampaignResult, finding

from gate.program import Home, policy, rate
from support.small_index import PROGRAM as INDEX_PROGRAM
from support.small_index import small_index

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator

# Linux passes no longer word, with its name.
BYTES, MOST_S = 128 * 1024 - 16, 0.15
# On a busy machine a process takes more CPU time: the shortest of several counts, and a list of
# ordinary paths, of whose 6.3 ms on a quiet one 150 ms are 24 times, takes more as well.
TRIES = 10
MOST_TIMES = 24
ORDINARY = "".join(f"//depot/main/src/{number}/file.c " for number in range(5_000))[:BYTES]
# With letters of their options without a value.
COMMANDS = {
    "annotate": "acI",
    "changes": "lti",
    "diff2": "qtu",
    "files": "aei",
    "fstat": "lrs",
    "grep": "ils",
    "have": "",
    "labelsync": "anq",
    "opened": "asx",
    "print": "akq",
    "sync": "fpq",
}
WITH_NUMBER = ("changes", "files", "fstat", "opened", "print", "sync")  # of -m
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
NO_RATE = rate("user", allow="1000000000/s", burst=10**12)
BETWEEN = (" ", " ", " ", "  ", "   ", "\t", '" ', ' "', "/")
# With what follows each.
DEAR = (
    '//@=5 "',
    "-a ",
    "-a  ",
    "-u x ",
    "-u  ",
    "-T  ",
    "-m5 ",
    "-m{} ",
    "--no-archive ",
    "@1/1/1 1:1 ",
    "@2026/1/1 ",
    "a@2026/{}/1 ",
    "a@2026/{}/1,@now ",
    "a@2026/01/02:12:00:{} ",
    "a@{},{} ",
    "//a b* ",
    "/ /* ",
    "@ ",
    "# ",
    "a#{} ",
)
VIEW = [f"//depot/d{number}/... //ws/d{number}/..." for number in range(20)]


def runs(random: random.Random) -> Iterator[CampaignResult]:
    """Judge random lists of words without end; yield the result of each."""
    with tempfile.TemporaryDirectory() as folder:
        homes = [Home(Path(folder, name)) for name in ("bare", "indexed")]
        if INDEX_PROGRAM.is_file():
            clients = {"ws": VIEW} | {f"c{number}": VIEW for number in range(50)}
            index = small_index(Path(folder), {"//depot/main": 2000}, clients)
            index.rename(homes[1].folder / "checkpoint.index")
        while True:
            event, home = _event(random), random.choice(homes)
            document = policy(*_rules(event["command"], random.choice(("enforce", "observe"))))
            home.activate(document)
            spent_s = _spent_s(home, event)
            most_s = MOST_S
            if spent_s > MOST_S:
                ordinary = event | {"args": ORDINARY}
                pairs = [(_spent_s(home, event), _spent_s(home, ordinary)) for _ in range(TRIES)]
                spent_s, ordinary_s = map(min, zip(*pairs, strict=True))
                most_s = max(MOST_S, MOST_TIMES * ordinary_s)
            details = {"event": event, "rules": document["rules"], "home": home.folder.name}
            problem = finding(f"{spent_s:.3f} s", **details)
            yield CampaignResult(1, (problem,) if spent_s > most_s else ())


def _rules(command: str, mode: str) -> list[dict[str, Any]]:
    letters = [f"-{letter}" for letter in COMMANDS[command]]
    weight = {"weight": "files", "unknown_as": 10}
    rules: list[dict[str, Any]] = [
        {"rule": "limit_command_rate", "limits": [rate("user", "args"), rate("user", "shape")]},
        {"rule": "limit_command_rate", "limits": [NO_RATE], **weight},
        {"rule": "limit_command_scope", "min_depth": 1},
        {"rule": "limit_scanned_rows", "max_files": 10**9, "max_revisions": 10**9},
    ]
    if letters:
        first, *others = letters
        required = {"rule": "require_command_options", "required": [first], "forbidden": others}
        rules += [required, {"rule": "require_command_options", "forbidden": letters}]
    if command in WITH_NUMBER:
        rules.append({"rule": "require_command_options", "max": 1000})
    if command == "sync":
        rules.append({"rule": "refuse_commands", "commands": ["flush"]})
    names = {"mode": mode, "commands": [command]}
    return [{"name": f"rule-{number}", **names, **rule} for number, rule in enumerate(rules)]


def _event(random: random.Random) -> dict[str, str]:
    kinds = [_kind(random) for _ in range(random.choice((1, 1, 2, 3, 8)))]
    if random.random() < 0.3:
        kinds = random.sample(DEAR, random.choice((1, 1, 2)))
    text, number = [], 0
    while sum(map(len, text)) < BYTES:
        for _ in range(random.choice((1, 10, 1000))):
            text.append(random.choice(kinds).replace("{}", str(number % 3000)))
            number += 1
    directory = random.choice(("/home/ws", "/home/ws/d7", "C:\\ws", "/w" + "/deep dir" * 400))
    args = "".join(text).encode()[:BYTES].decode(errors="ignore")
    return {"command": random.choice([*COMMANDS]), "cwd": directory, "args": args}


def _kind(random: random.Random) -> str:
    """Return a word with what follows it, or a part of one long word."""
    if random.random() < 0.2:
        word = random.choice(OPTIONS)
    else:
        names = "/".join(random.choices(NAMES, k=random.randint(1, 3)))
        word = random.choice(STARTS) + names + random.choice(ENDS)
    return word + random.choice(BETWEEN)


def _spent_s(home: Home, event: dict[str, str]) -> float:
    names = ("--user=ann", f"--command=user-{event['command']}", "--client=ws")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    home.run("command", *names, f"--cwd={event['cwd']}", f"--args={event['args']}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


CAMPAIGN = Campaign("word-lists", "commands", runs, 5_000)
