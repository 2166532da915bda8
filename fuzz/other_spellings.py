"""Other spellings of refused commands: none is silent.

Words that vanish from a command line, options again, joined or apart, and further ones of output
may make a command unusual, but never allowed or unknown.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from campaign import Campaign, CampaignResult, finding

from gate.other_spellings import INDEXED, RULES, spelled
from gate.program import judge, policy
from support.small_index import small_index

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator

STEP = 10_000


def runs(random: random.Random) -> Iterator[CampaignResult]:
    """Judge commands by each rule, plain and in another spelling; yield results."""
    with tempfile.TemporaryDirectory() as folder:
        index = f"--index={small_index(Path(folder), INDEXED, {'ws': []})}"
        while True:
            for rule in RULES:
                pairs = [spelled(random, rule) for _ in range(STEP)]
                enforced = policy({"name": "scans", "mode": "enforce", **rule})
                answers, _ = judge(enforced, [other for _, other in pairs], index)
                silent = [
                    finding("silent", rule=rule["rule"], plain=plain, other=other)
                    for (plain, other), answer in zip(pairs, answers, strict=True)
                    if answer["verdict"] != "refuse"
                ]
                yield CampaignResult(STEP, tuple(silent))


CAMPAIGN = Campaign("other-spellings", "commands", runs, 2_000_000)
