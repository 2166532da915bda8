"""Kill triggers at any call that changes a file: the next event is judged as if none had begun."""

from __future__ import annotations

import contextlib
import itertools
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from campaign import Campaign, CampaignResult, finding
from deciding_files import EVERY_CASE, Site, command, submit

from gate.forms import WIDE
from gate.program import policy
from support.killed_calls import ended

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterator

STEP = 20
OTHERS: dict[str, Callable[[Site], list[str]]] = {
    "rate": command("files"),
    "saved forms": lambda site: site.form("client", f"Root:\t/home/ws\n\n{WIDE}"),
    "new depots": lambda site: site.form("depot", "Depot: fresh\n", "fresh"),
    "new directories": submit(1),
}
"""Allowed events that write a file by which the refused one is judged."""


def runs(random: random.Random) -> Iterator[CampaignResult]:
    """Kill the refused event of each home, and others that write there, without end."""
    for name in itertools.cycle(EVERY_CASE):
        with tempfile.TemporaryDirectory() as path, contextlib.ExitStack() as stack:
            case, site = EVERY_CASE[name], Site(Path(path), "deny", stack)
            site.home.activate(policy(*case.rules, on_error="deny"))
            case.prepare(site)
            lines = [line(site) for line in (case.line, OTHERS.get(name)) if line]
            calls = [ended(_starting(line)).calls for line in lines]
            problems = []
            for _ in range(STEP):
                which = random.randrange(len(lines))
                place = random.randint(1, calls[which])
                ended(_starting(lines[which]), place)
                code, text = case.ask(site, case.line(site))
                counts = site.home.counts()
                if case.refusal not in text or counts["faults"] or counts["recreated"]:
                    known = {"case": name, "event": which, "place": place, "counts": counts}
                    problems.append(finding(f"the next ended with {code}: {text}", **known))
        yield CampaignResult(STEP, tuple(problems))


def _starting(line: list[str]) -> Callable[[], int]:
    """Return a function that becomes the gate, which prints nothing."""

    def start() -> int:
        nothing = os.open(os.devnull, os.O_RDWR)
        for number in range(3):
            os.dup2(nothing, number)
        os.execv(line[0], line)  # noqa: S606 - p4d needs no shell either

    return start


CAMPAIGN = Campaign("killed-events", "kills", runs, 14_000)
