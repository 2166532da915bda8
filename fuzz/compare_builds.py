"""Compare the answers of two builds of p4warden: `compare_builds.py OLD [--events N] [--seed S]`.

OLD is the folder with the programs of the other build. Both builds judge the same random events by
the same policies, and read the same logs and checkpoints. Their answers must be equal byte for
byte, except for the differences that `NAMED` explains. The exit code is 1 if one is not.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
from collections import Counter
from itertools import islice, zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from named_differences import NAMED
from random_events import events

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[1]
SHARED = ROOT.parent / "shared" / "data"
POLICIES = sorted(
    file
    for folder in (ROOT / "policies", Path(__file__).with_name("policies_compared"))
    for file in folder.glob("*.yaml")
    if ".cases." not in file.name
)
SHOWN = 20


class Question(NamedTuple):
    words: tuple[str, ...]  # after `p4warden`
    lines: tuple[bytes, ...] = ()


def main() -> int:
    """Ask both builds everything; print the differences and return the exit code."""
    options = _options()
    old, new = options.old.resolve(), Path(sys.executable).parent
    source = random.Random(options.seed)
    per_policy = options.events // len(POLICIES)
    counts: Counter[str] = Counter()
    for question in _questions(source, per_policy, options.files):
        _compare(question, _answer(old, question), _answer(new, question), counts)
        print(*question.words, dict(counts), flush=True)
    return int(counts["unexplained"] > 0)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Compare the answers of two builds.")
    parser.add_argument("old", metavar="OLD", type=Path, help="programs to compare with")
    parser.add_argument("--events", type=int, default=100_000, help="random events in all")
    parser.add_argument("--files", type=int, help="most logs, and most checkpoints; default: all")
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


def _questions(
    source: random.Random, per_policy: int, most_files: int | None
) -> Iterator[Question]:
    for policy in POLICIES:
        lines = tuple(
            json.dumps(event).encode() + b"\n" for event in islice(events(source), per_policy)
        )
        yield Question(("evaluate", "--policy", str(policy)), lines)
        yield Question(("test", str(policy)))
        for log in sorted(SHARED.glob("logs/*.log"))[:most_files]:
            yield Question(("replay", "--policy", str(policy), "--json", str(log)))
        for checkpoint in sorted(SHARED.glob("checkpoint_*.gz"))[:most_files]:
            words = ("census", "--policy", str(policy), "--json", "--checkpoint", str(checkpoint))
            yield Question(words)


def _answer(programs: Path, question: Question) -> list[bytes]:
    with tempfile.TemporaryDirectory() as home:
        done = subprocess.run(
            [str(programs / "p4warden"), *question.words],
            input=b"".join(question.lines),
            capture_output=True,
            check=False,
            cwd=home,
            env=os.environ | {"P4WARDEN_HOME": home, "TZ": "UTC"},
        )
    output = done.stdout + done.stderr
    return [*output.replace(home.encode(), b"HOME").splitlines(), b"exit %d" % done.returncode]


def _compare(question: Question, old: list[bytes], new: list[bytes], counts: Counter[str]) -> None:
    events = {_id_of(line): line for line in question.lines}
    for before, after in zip_longest(old, new, fillvalue=b""):
        event = events.get(_id_of(before), b"")
        if before == after:
            counts["equal"] += 1
            continue
        name = next((name for name, holds in NAMED.items() if holds(event, before, after)), None)
        counts[name or "unexplained"] += 1
        if not name and counts["unexplained"] <= SHOWN:
            print("asked", event.decode(), "old  ", before.decode(), "new  ", after.decode())


def _id_of(line: bytes) -> int | None:
    """Return the `id` of an event or of its answer; None for a line of another kind."""
    try:
        document = json.loads(line)
    except ValueError:
        return None
    return document.get("id") if isinstance(document, dict) else None


if __name__ == "__main__":
    sys.exit(main())
