"""Fuzz the ends of running commands: in no random history of a server is a wrong command ended."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from campaign import Campaign, CampaignResult, finding

from gate.program import policy
from p4warden.asking.judge import judging
from support.process_model import EXEMPTION, RULE, play

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator


def runs(random: random.Random) -> Iterator[CampaignResult]:
    """Play random histories without end; a problem has the seed that plays it again."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "policy.json")
        file.write_text(json.dumps(policy(RULE, exemptions=[EXEMPTION])))
        with judging(str(file)) as judge:
            while True:
                seed = random.getrandbits(64)
                server = play(judge, seed)
                problems = [finding(why, seed=seed, ends=server.ends) for why in server.wrong_ends]
                yield CampaignResult(1, tuple(problems))


CAMPAIGN = Campaign("running", "histories", runs, 100_000)
