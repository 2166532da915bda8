"""Fuzz the policy check: a randomly changed policy file gives either a policy or problems.

The line for a problem or a warning must have its position in the file.
"""

from __future__ import annotations

import datetime
import re
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from campaign import Campaign, CampaignResult, endless, finding

from p4warden.policy.check import check_file

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator

STEP = 20
TODAY = datetime.date(2026, 11, 22)
SEEDS = sorted(Path(__file__).parents[1].glob("policies/[!.]*.yaml"))
FRAGMENTS = (
    *"mode: rule: rules: - { } [ ] : , & * ! | > ' \" # % @ ` ~ --- ...".split(),
    *"null true 1e9 -1 0x1f 1e400 .nan 50/s é \x00 \x85 2027-13-40".split(),
    *"enforce observe limit_view_scope users groups until".split(),
    "\t",
    "\n",
    "\n  ",
    ": ",
    "<<: *a",
    "&a",
    "!!python/object:os.system",
    "9" * 400,
)
PROBLEM = re.compile(r".+:[0-9]+:[0-9]+: [^\n]+")


def runs(random: random.Random) -> Iterator[CampaignResult]:
    """Check random mutations of the shipped policies without end; yield the results in batches."""
    texts = [seed.read_text("utf-8") for seed in SEEDS if not seed.stem.endswith(".cases")]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "policy.yaml")
        yield from endless(random, STEP, lambda random: _try(random, texts, path))


def _try(random: random.Random, texts: list[str], path: Path) -> Iterator[dict[str, Any]]:
    text = _mutated(random, random.choice(texts))
    path.write_bytes(text)
    try:
        checked = check_file(str(path), TODAY)
    except Exception as error:  # noqa: BLE001 - any exception is the finding
        yield finding("raised", error=error, policy=text.decode("latin-1"))
        return
    problem_lines = [
        problem.line("policy.yaml") for problem in (*checked.problems, *checked.warnings)
    ]
    wrong = [line for line in problem_lines if not PROBLEM.fullmatch(line)]
    if wrong or (checked.policy is None) != bool(checked.problems):
        yield finding("no place", said=problem_lines, policy=text.decode("latin-1"))


def _mutated(random: random.Random, text: str) -> bytes:
    lines = text.splitlines()
    lines = [line for line in lines if not line.lstrip().startswith("#")]
    for _ in range(random.randint(1, 3)):
        at = random.randrange(len(lines))
        change = random.random()
        if change < 0.2:
            del lines[at]
        elif change < 0.3:
            lines.insert(at, random.choice(lines))
        elif change < 0.4:
            lines[at] = " " * random.randint(0, 6) + lines[at].lstrip()
        else:
            line = lines[at]
            start, size = random.randrange(len(line) + 1), random.choice((0, 0, 1, 3, 9))
            lines[at] = line[:start] + random.choice(FRAGMENTS) + line[start + size :]
        lines = lines or [""]
    content = "\n".join(lines).encode()
    if random.random() < 0.1:
        at = random.randrange(len(content) + 1)
        content = content[:at] + bytes([random.randrange(256)]) + content[at:]
    return content


CAMPAIGN = Campaign("policies", "policies", runs, 50_000)
