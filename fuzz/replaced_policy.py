"""Ask 64 triggers at once, while the policy is replaced every 100 ms, or switched off and on."""

from __future__ import annotations

import contextlib
import os
import subprocess
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, NamedTuple

from campaign import Campaign, CampaignResult, finding

from gate.program import PROGRAM
from p4warden.home import trusted_files
from p4warden_sandbox import Sandbox
from support.servers import ClientFactory
from support.triggers import line_words
from support.warden import Warden

if TYPE_CHECKING:
    from collections.abc import Iterator

AT_ONCE = 64
ACTS = 40
"""In one home."""

EVERY_S = 0.1
POLICY = """\
version: 1
contact: admins
on_error: deny
rules:
  - {{name: wide-{name}, rule: limit_view_scope, mode: enforce, forms: [client]}}
  - name: scope-{name}
    rule: limit_command_scope
    mode: enforce
    commands: [files]
    min_depth: 1
  - name: polling
    rule: limit_command_rate
    mode: enforce
    commands: [fstat]
    limits: [{{per: [user], allow: 1 per 1h, burst: 20}}]
"""
BURST = 20
LINES = {
    "wide form": ("form-save", "--type=client", "--form={folder}/wide", "--name=ws"),
    "narrow form": ("form-save", "--type=client", "--form={folder}/narrow", "--name=ws"),
    "wide command": ("command", "--command=user-files", "--args=//depot/..."),
    "narrow command": ("command", "--command=user-files", "--args=//depot/main/..."),
    "polling": ("command", "--command=user-fstat", "--args=//depot/main/..."),
}
REFUSED = {"wide form", "wide command"}
FAILED = "has failed"


class Event(NamedTuple):
    kind: str
    began_s: float
    ended_s: float
    code: int
    text: str


class Site:
    """A home with two policies, and the times in which triggers were off."""

    def __init__(self, folder: Path, server: Sandbox, connect: ClientFactory) -> None:
        self._warden = Warden(server, folder, connect)
        self._policies = [folder / f"{name}.yaml" for name in "ab"]
        for policy in self._policies:
            policy.write_text(POLICY.format(name=policy.stem))
        for name, path in {"wide": "//depot/...", "narrow": "//depot/main/..."}.items():
            (folder / name).write_text(f"Client:\tws\n\nView:\n\t{path} //ws/...\n")
        self._folder = folder
        self._compiled = [self._activated(policy) for policy in self._policies]
        self._warden.install(self._policies[0].read_text())
        self._off: list[tuple[float, float]] = []
        self._is_closed = False

    def ask_until_the_end(self, seed: float) -> list[Event]:
        kinds = Random(seed)
        events = []
        while not self._is_closed:
            events.append(self._ask(kinds.choice([*LINES])))
        return events

    def close(self) -> None:
        self._is_closed = True

    def _ask(self, kind: str) -> Event:
        event, *words = (word.format(folder=self._folder) for word in LINES[kind])
        words += [f"--home={self._warden.home}", "--on-error=deny", "--user=robot"]
        command = [PROGRAM, *line_words(event, *words)]
        began_s = time.monotonic()
        # The commands of this process change its environment meanwhile.
        more = {"env": {}, "stdin": subprocess.DEVNULL}
        done = subprocess.run(command, capture_output=True, text=True, check=False, **more)
        text = done.stdout + done.stderr
        return Event(kind, began_s, time.monotonic(), done.returncode, text)

    def _activated(self, policy: Path) -> bytes:
        self._warden.must("activate", str(policy))
        return (self._warden.home / "policy.json").read_bytes()

    def replace(self, random: Random) -> None:
        """Do as `activate` in the end, which can take longer than the next is away."""
        content = random.choice(self._compiled)
        trusted_files.replace(str(self._warden.home), "policy.json", content)

    def activate(self, random: Random) -> None:
        self._activated(random.choice(self._policies))

    def roll_back(self, _: Random) -> None:
        self._warden.must("deploy", "rollback", "--to", "1", "--yes")

    def switch(self, random: Random) -> None:
        began_s = time.monotonic()
        self._warden.must("off")
        self.activate(random)
        self._warden.must("on")
        self._off.append((began_s, time.monotonic()))

    def was_off(self, event: Event) -> bool:
        return any(began < event.ended_s and event.began_s < ended for began, ended in self._off)

    def faults(self) -> int:
        """Return the faults that the counters and the log tell of."""
        logged = [one.get("count", 1) for one in self._warden.log() if "fault" in one]
        return int(max(self._warden.counts()["faults"], sum(logged)))

    def refused(self) -> int:
        return int(self._warden.counts()["refused"])


def runs(random: Random) -> Iterator[CampaignResult]:
    """Ask many events in a new home, again and again."""
    while True:
        with (
            tempfile.TemporaryDirectory() as path,
            Sandbox() as server,
            contextlib.closing(ClientFactory()) as connect,
            ThreadPoolExecutor(AT_ONCE, initializer=_step_back) as pool,
        ):
            site = Site(Path(path), server, connect)
            asked = [pool.submit(site.ask_until_the_end, random.random()) for _ in range(AT_ONCE)]
            rare = [site.activate, site.activate, site.roll_back, site.switch]
            with contextlib.closing(site):
                for act in random.choices([site.replace] * 12 + rare, k=ACTS):
                    time.sleep(EVERY_S)
                    act(random)
            events = [event for one in asked for event in one.result()]
            yield CampaignResult(len(events), tuple(_problems(site, events)))


def _step_back() -> None:
    """Let the thread that replaces policies, which is one of many, go before this one."""
    os.setpriority(os.PRIO_PROCESS, 0, 10)


def _problems(site: Site, events: list[Event]) -> Iterator[dict[str, object]]:
    failed = [event for event in events if FAILED in event.text]
    if len(failed) > site.faults():
        yield finding("a fault is neither logged nor counted", failed=failed)
    for event in events:
        if event in failed or site.was_off(event):
            continue
        is_refused = event.kind in REFUSED
        if event.code not in (0, 1) or (event.kind != "polling" and event.code != is_refused):
            yield finding("a wrong answer", event=event)
    polled = [event for event in events if event.kind == "polling" and not site.was_off(event)]
    if sum(event.code == 0 for event in polled) > BURST:
        yield finding("too many at a rate", polled=polled)
    refusals = sum("p4warden: rule=" in event.text for event in events)
    if refusals != site.refused():
        yield finding("refusals are not counted", refusals=refusals, counted=site.refused())


CAMPAIGN = Campaign("replaced-policy", "events", runs, 200_000)
