from __future__ import annotations

import json
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from p4warden.asking import tables
from p4warden.policy import compiled
from p4warden.workbench.logs.reader import PROGRAM, LogError, started

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from p4warden.policy.compiled import Policy
    from p4warden.workbench.replay.membership import Groups


class Rehearsal(NamedTuple):
    """The input of a replay: logs, policy and facts.

    Attributes:
        logs: paths, in any order; `-` alone is the standard input.
        facts: the path of a `facts.json`; None if nothing is known about the server.
        groups: users by group; None if unknown.
        verdict_file: the path of a file to write the verdict on each command to, one JSON object a
            line; None to write none.
        index_file: the path of a checkpoint index, for estimates; None for no estimates.
        server: the identifier of the server that wrote the logs; None if only logs may tell it.
        services: that server's, such as `commit-server`; None if unknown.
    """

    logs: Sequence[str]
    policy: Policy
    compared_policy: Policy | None = None
    facts: str | None = None
    groups: Groups | None = None
    history: bool = False
    verdict_file: str | None = None
    index_file: str | None = None
    server: str | None = None
    services: str | None = None


ESTIMATED = tuple(
    "annotate changes clean diff2 dirs files filelog flush fstat grep have integrate labelsync "
    "print reconcile sizes status sync tag update verify".split()
)
"""Commands whose estimates a replay compares with p4d's log if the policy has no rule about
scanned rows."""
_UNKNOWN_AS = 10_000


def rehearse(rehearsal: Rehearsal, progress: Callable[[int, int], None]) -> dict[str, Any]:
    """Replay logs under a policy; return the report of `p4warden-log replay`.

    Its `problems` name the logs that could not be read to their end.

    Raises:
        LogError: a file is not a log, or the program failed.
    """
    with tempfile.TemporaryDirectory(prefix="p4warden-") as folder:
        command = [PROGRAM.path(), "replay", "--progress", *_options(rehearsal, Path(folder))]
        output = Path(folder, "report.json")
        with output.open("wb") as file:
            child = started([*command, "--", *rehearsal.logs], stdout=file, stderr=subprocess.PIPE)
        with child:
            problems = PROGRAM.problems(child.stderr or (), progress)
        text = output.read_bytes()
    if not text:
        raise LogError("\n".join(problems) or f"{PROGRAM.name} ended with {child.returncode}")
    report: dict[str, Any] = json.loads(text)
    return report


def _options(rehearsal: Rehearsal, folder: Path) -> list[str]:
    files: dict[str, str | None] = {
        "policy": compiled.dumps(rehearsal.policy),
        "against": compiled.dumps(rehearsal.compared_policy)
        if rehearsal.compared_policy
        else None,
        "groups": None if rehearsal.groups is None else json.dumps(rehearsal.groups),
    }
    options = []
    for name, text in files.items():
        if text is not None:
            file = folder / f"{name}.json"
            file.write_text(text, "utf-8")
            options.append(f"--{name}={file}")
    texts = {
        "facts": rehearsal.facts,
        "each": rehearsal.verdict_file,
        "index": rehearsal.index_file,
        "server": rehearsal.server,
        "services": rehearsal.services,
    }
    options += [f"--{name}={text}" for name, text in texts.items() if text]
    if rehearsal.index_file:
        options.append(f"--estimated={','.join(_estimated(rehearsal.policy))}")
        commands, unknown_as = budgeted(rehearsal.policy)
        if rehearsal.history:
            options += [f"--budget={','.join(commands)}", f"--unknown-as={unknown_as}"]
    return [*options, *(["--history"] if rehearsal.history else [])]


def _estimated(policy: Policy) -> Sequence[str]:
    rules = (
        rule
        for rule in policy.rules
        if rule.rule == "limit_scanned_rows" or rule.settings.get("weight")
    )
    return sorted({name for rule in rules for name in rule.settings["commands"]}) or ESTIMATED


def budgeted(policy: Policy) -> tuple[Sequence[str], int]:
    """Return the commands for which a replay's history suggests a budget, and `unknown_as`.

    Both are those of the policy's budgets if it has any.
    """
    rules = [rule.settings for rule in policy.rules if rule.settings.get("weight")]
    commands = {name for settings in rules for name in settings["commands"]}
    unknown_as = [settings["unknown_as"] for settings in rules]
    return sorted(commands or tables.estimated_commands()), max(unknown_as, default=_UNKNOWN_AS)
