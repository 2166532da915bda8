"""Try random inputs against oracles: `fuzz/run.py [--scale 0.01] [--seed N] [CAMPAIGN ...]`.

With `--scale 1` each campaign tries at least as many inputs as its goal, or stops after more than
100 problems. Problems are appended as JSON lines, with their inputs, to files in `fuzz/found/`;
the exit code is 1 if there are any.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

TESTS = Path(__file__).parents[1] / "tests"
sys.path.append(str(TESTS))  # The campaigns import the test oracles in tests/.

import command_events  # noqa: E402
import command_scope  # noqa: E402
import damaged_files  # noqa: E402
import forms  # noqa: E402
import killed_commands  # noqa: E402
import killed_events  # noqa: E402
import mutated_forms  # noqa: E402
import other_spellings  # noqa: E402
import policies  # noqa: E402
import proposals  # noqa: E402
import queues  # noqa: E402
import rate_spellings  # noqa: E402
import replaced_policy  # noqa: E402
import trigger_words  # noqa: E402
import view_rows  # noqa: E402
import word_lists  # noqa: E402

import running  # noqa: E402

if TYPE_CHECKING:
    from campaign import Campaign

MODULES = (
    forms,
    mutated_forms,
    command_events,
    command_scope,
    rate_spellings,
    other_spellings,
    running,
    trigger_words,
    policies,
    proposals,
    queues,
    view_rows,
    word_lists,
)
FAULTS = (damaged_files, killed_events, killed_commands, replaced_policy)
"""Campaigns of `make faults`."""

CAMPAIGNS = {module.CAMPAIGN.name: module.CAMPAIGN for module in (*MODULES, *FAULTS)}
RESULTS = Path(__file__).with_name("found")


def main() -> int:
    """Run the chosen fuzz campaigns; return 1 if an input showed a problem, else 0."""
    options = _options()
    unexplained = 0
    for name in options.campaigns or [module.CAMPAIGN.name for module in MODULES]:
        unexplained += _run(CAMPAIGNS[name], options.scale, options.seed)
    return int(unexplained > 0)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Try random inputs against oracles.")
    parser.add_argument("campaigns", nargs="*", metavar="CAMPAIGN", help=" ".join(CAMPAIGNS))
    parser.add_argument(
        "--scale", type=float, default=0.01, help="part of each goal (default 0.01)"
    )
    parser.add_argument("--seed", type=int, default=0, help="begin of the random numbers")
    options = parser.parse_args()
    unknown = set(options.campaigns) - set(CAMPAIGNS)
    if unknown:
        parser.error(f"no campaign {min(unknown)}; there are {' '.join(CAMPAIGNS)}")
    return options


def _run(campaign: Campaign, scale: float, seed: int) -> int:
    goal, count, results, began_s = max(1, int(campaign.goal * scale)), 0, [], time.monotonic()
    for result in campaign.runs(random.Random(f"{campaign.name} {seed}")):
        count += result.count
        results += result.problems
        if count >= goal or len(results) > 100:
            break
    if results:
        RESULTS.mkdir(exist_ok=True)
        with (RESULTS / f"{campaign.name}.jsonl").open("a", encoding="utf-8") as file:
            file.writelines(f"{json.dumps(problem)}\n" for problem in results)
    spent_s = time.monotonic() - began_s
    print(
        f"{campaign.name}: {count:,} {campaign.unit}, {len(results)} unexplained, {spent_s:.0f} s"
    )
    return len(results)


if __name__ == "__main__":
    sys.exit(main())
