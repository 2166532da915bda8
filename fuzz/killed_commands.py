"""Kill p4warden's commands at any call that changes something: old or new is left, and no half.

A full campaign kills each command at each of its calls.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from campaign import Campaign, CampaignResult, finding

from gate.forms import WIDE
from gate.program import PROGRAM, GateReply
from p4warden_sandbox import Sandbox
from support.changing_commands import CASES, Case, World
from support.killed_calls import ended
from support.policies import POLICY
from support.servers import ClientFactory
from support.small_index import small_index
from support.triggers import line_words
from support.warden import Warden

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator

STEP = 5
BUGS = (2, 3)


def _checkpoint(world: World) -> None:
    world.warden.activate(POLICY)
    index = small_index(world.folder, {"//depot/main": 3}, {})
    index.rename(world.warden.home / index.name)


COMMANDS = CASES | {
    "index": Case(("index", "--checkpoint", "{folder}/checkpoint"), _checkpoint),
}


def runs(random: random.Random) -> Iterator[CampaignResult]:
    """Kill each command at some of its calls without end."""
    places: dict[str, list[int]] = {name: [] for name in COMMANDS}
    for name in itertools.cycle(COMMANDS):
        case = COMMANDS[name]
        with (
            tempfile.TemporaryDirectory() as path,
            Sandbox() as server,
            contextlib.closing(ClientFactory()) as connect,
        ):
            folder = Path(path, "world")
            folder.mkdir()
            admin = connect(server, user=server.super_user)
            world = World(Warden(server, folder, connect), admin, folder)
            case.prepare(world)
            problems = [
                finding(problem, command=name, place=place)
                for place, problem in _problems(world, case, places[name], random)
            ]
        yield CampaignResult(STEP, tuple(problems))


def _problems(
    world: World, case: Case, places: list[int], random: random.Random
) -> Iterator[tuple[int, str]]:
    """Yield the places of kills with a problem; `places` are those left of a round of all."""
    world.keep()
    words = [word.format(policy=world.policy, folder=world.folder) for word in case.words]
    run = lambda: world.warden.run(*words, home=case.has_home).code  # noqa: E731
    old = _seen(world)
    code, calls = ended(run)
    new = _seen(world)
    if code != case.success:
        yield 0, f"it ended with {code}"
        return
    for _ in range(STEP):
        world.put_back()
        places += [] if places else random.sample(range(1, calls + 1), calls)
        place = places.pop()
        ended(run, place)
        for problem in _left(world, old, new):
            yield place, problem
        again = world.warden.run(*words, home=case.has_home)
        if again.code in BUGS:
            yield place, f"the next ended with {again.code}: {again.output}"
        world.warden.run("refresh")
        left = [file.name for file in world.warden.home.rglob("*.p4warden-*")]
        if left:
            yield place, f"after another command there is {left}"


Seen = dict[str, str]


def _seen(world: World) -> Seen:
    """Return what users and administrators see: the table, a refusal, and what can be used."""
    form = world.folder / "form"
    form.write_text(WIDE)
    words = ("--user=ann", "--type=client", f"--form={form}", "--name=ws")
    home = str(world.warden.home)
    event = _run([*line_words("form-save", f"--home={home}", *words)])
    form.unlink()
    test = json.loads(_run(["self-test", "--home", home]).text or "{}")
    rules = [word for word in event.text.split() if word.startswith("rule=")]
    parts = {part: "ok" if state == "ok" else "not ok" for part, state in test.items()}
    return {"table": world.table(), "event": f"{event.code} {rules}", **parts}


def _run(words: list[str]) -> GateReply:
    done = subprocess.run([PROGRAM, *words], capture_output=True, text=True, check=False)
    return GateReply(done.returncode, done.stdout + done.stderr)


def _left(world: World, old: Seen, new: Seen) -> Iterator[str]:
    for name, value in _seen(world).items():
        if value not in (old.get(name), new.get(name)):
            yield f"{name} is neither old nor new: {value}"


CAMPAIGN = Campaign("killed-commands", "kills", runs, 3_000)
