"""Random file arguments: the gate's verdicts against known depths.

A path's depth is known because the path is generated with it; a verdict may be neither more
lenient nor stricter.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from campaign import Campaign, CampaignResult, finding

from gate.program import PROGRAM, policy

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator

STEP = 5_000
DEPOTS = {"depot": 1, "Art": 2, "x.y": 1, "thirdparty": 3, "é": 1}
NAMES = ("main", "Src", "a.b", "..c", "x%y", "very-long-name", "1.0", "c++")
OPTIONS: dict[str, tuple[list[str], ...]] = {
    "files": ([], ["-e"], ["-m", "10"], ["-m10"], ["-ae"]),
    "fstat": ([], ["-Ol"], ["-T", "depotFile"], ["-T", "headRev,depotFile", "-m", "5"], ["-Olhp"]),
    "filelog": ([], ["-m", "1"], ["-l"], ["-it"]),
    "print": ([], ["-q"], ["-o", "out"]),
}
REVISIONS = (
    "",
    "",
    "",
    "#head",
    "@12",
    "@<=9",
    "#1,3",
    "@2026/01/01",
    "@1,9999999",
    "@1,#head",
)
SCOPE = {
    "name": "narrow",
    "rule": "limit_command_scope",
    "mode": "enforce",
    "commands": sorted(OPTIONS),
    "min_depth": 1,
    "depots": {name: depth for name, depth in DEPOTS.items() if depth > 1},
}


def runs(random: random.Random) -> Iterator[CampaignResult]:
    """Judge random commands with one to three file arguments of known depth; yield results."""
    while True:
        commands = [_command(random) for _ in range(STEP)]
        events = [event for event, _ in commands]
        wrong = [
            finding("scope", event=event, expected=expected, given=values)
            for (event, expected), values in zip(commands, _verdicts(events), strict=True)
            if (values == "refuse") != expected
        ]
        yield CampaignResult(STEP, tuple(wrong))


def _command(random: random.Random) -> tuple[dict[str, Any], bool]:
    command = random.choice(sorted(OPTIONS))
    paths = [_path(random) for _ in range(random.randint(1, 3))]
    args = [*random.choice(OPTIONS[command]), *(path for path, _ in paths)]
    event = {"event": "command", "command": command, "user": "ann", "client": "ws", "args": args}
    return event, any(wide for _, wide in paths)


def _path(random: random.Random) -> tuple[str, bool]:
    """Return a random depot path, perhaps with a revision, and whether it is too wide."""
    depot = random.choice(sorted(DEPOTS))
    directories = [random.choice(NAMES) for _ in range(random.choice((0, 0, 1, 2, 3, 5)))]
    revision = random.choice(REVISIONS)
    kind = random.random()
    if kind < 0.1:
        wild = random.choice(("*", "d*", "..."))
        return f"//{'/'.join([wild, *directories, '...'])}{revision}", True
    if kind < 0.3:
        return f"//{'/'.join([depot, *directories, 'file.c'])}{revision}", False
    if kind < 0.4:  # `//depot/dir/*`: the files of one directory count as narrow
        last = random.choice(("*", "*.c", "lib*"))
        return f"//{'/'.join([depot, *directories, last])}{revision}", False
    tail = random.choice((["..."], ["*", "src", "..."], ["a...c"], ["*", "x"]))
    wide = len(directories) < DEPOTS[depot]
    return f"//{'/'.join([depot, *directories, *tail])}{revision}", wide


def _verdicts(events: list[dict[str, Any]]) -> list[str]:
    depots = {name: {"type": "local", "directories": []} for name in DEPOTS}
    with tempfile.TemporaryDirectory() as folder:
        rules, facts = Path(folder, "policy.json"), Path(folder, "facts.json")
        rules.write_text(json.dumps(policy(SCOPE)))
        facts.write_text(json.dumps({"case_sensitive": True, "depots": depots}))
        command = [str(PROGRAM), "judge", "--policy", str(rules), "--facts", str(facts)]
        text = "".join(f"{json.dumps(event)}\n" for event in events).encode()
        done = subprocess.run(command, input=text, capture_output=True, check=True)
    return [json.loads(line)["verdict"] for line in done.stdout.splitlines()]


CAMPAIGN = Campaign("command-scope", "events", runs, 1_000_000)
