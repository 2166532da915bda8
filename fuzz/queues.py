"""Fuzz the queues of commands at once: in no random history do too many run, or wait in vain."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

from campaign import Campaign, CampaignResult, finding

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator

STEP = 1_000
GATE = Path(__file__).parents[1] / "triggers" / "gate"
TEST = ["cargo", "test", "--quiet", "--locked", "--lib", "rate::queue"]


def runs(random: random.Random) -> Iterator[CampaignResult]:
    """Play histories without end by the gate's own test, from other random numbers each time."""
    while True:
        seed = str(random.getrandbits(64))
        settings = {"PROPTEST_CASES": str(STEP), "PROPTEST_RNG_SEED": seed, "MAKEFLAGS": ""}
        done = subprocess.run(
            TEST, cwd=GATE, env={**os.environ, **settings}, stdout=subprocess.PIPE, check=False
        )
        text = done.stdout.decode("utf-8", "replace")
        problems = (finding(text[-2_000:], seed=seed),) if done.returncode else ()
        yield CampaignResult(STEP, problems)


CAMPAIGN = Campaign("queues", "histories", runs, 100_000)
