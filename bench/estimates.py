"""Measure gate decisions without a checkpoint index and with a large one.

The index has 1,000,000 directories and 100,000 clients. Whole gate processes are started in turn;
printed are medians of wall time and their ratios. "Cold" means that the index file is not in the
page cache. Finally two small indexes replace each other again and again during 10,000 decisions,
which are counted by their answers. The environment variables `DIRECTORIES`, `CLIENTS`,
`DECISIONS` and `ROUNDS` (starts of each gate command line) set the numbers.
"""

from __future__ import annotations

import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

from census import END, START
from p4warden.core.trigger_options import words_of
from p4warden.home.summed_file import summed

DIRECTORIES = int(os.environ.get("DIRECTORIES", "1000000"))
CLIENTS = int(os.environ.get("CLIENTS", "100000"))
ROUNDS = int(os.environ.get("ROUNDS", "300"))
DECISIONS = int(os.environ.get("DECISIONS", "10000"))
PROGRAMS = Path(sys.executable).parent
GATE, INDEX = str(PROGRAMS / "p4warden-gate"), str(PROGRAMS / "p4warden-index")
QUESTIONS = {
    "depot path": ["--client=ws000777", "--args=//depot/t07/d0000007/..."],
    "client path": ["--client=ws000777", "--args=//ws000777/a/d0000007/..."],
    "whole client": ["--client=ws000777", "--args="],
}
FILES = 2_000_000


def main() -> None:
    """Run all measurements and print the results."""
    with tempfile.TemporaryDirectory(prefix="p4warden-bench-") as name:
        folder = Path(name)
        index = make_index(folder, DIRECTORIES, CLIENTS)
        size_mb = index.stat().st_size / 1e6
        print(f"estimates: the index of {DIRECTORIES:,} directories has {size_mb:,.1f} MB")
        homes = {
            "without": home(folder / "without", None),
            "with an index": home(folder / "with", index),
        }
        for label, words in QUESTIONS.items():
            compare(label, {name: decision(place, words) for name, place in homes.items()})
        replaced(folder)


def make_index(folder: Path, directories: int, clients: int) -> Path:
    """Build an index of directories with one file each, in 97 top directories.

    A client's view has two lines: for a top directory, and for a path without files.
    """
    checkpoint, index = folder / "checkpoint", folder / f"index-{directories}"
    with checkpoint.open("w") as out:
        out.write(f"{START}@pv@ 1 @db.depot@ @depot@ 0 @@ @depot/...@ \n")
        for number in range(clients):
            name = f"ws{number:06}"
            out.write(
                f"@pv@ 6 @db.domain@ @{name}@ 99 @@ @/home/{name}@ @@ @@ @ann@ 1 1 0 @@ @@ @@ 0 \n"
            )
            for line, (left, right) in enumerate(((f"t{number % 97:02}", "a"), ("few", "b"))):
                depot, client = f"//depot/{left}/...", f"//{name}/{right}/..."
                out.write(f"@pv@ 1 @db.view@ @{name}@ {line} 0 @{client}@ @{depot}@ \n")
        for table in ("rev", "revhx"):
            for number in sorted(range(directories), key=lambda n: (n % 97, n)):
                path = f"//depot/t{number % 97:02}/d{number:07}/file.c"
                out.write(f"@pv@ 9 @db.{table}@ @{path}@ 1 0 0 1 1 1 00 1 \n")
        out.write(END)
    build = [INDEX, "build", "--output", str(index), str(checkpoint)]
    subprocess.run(build, check=True, stdout=subprocess.DEVNULL)
    checkpoint.unlink()
    return index


def home(place: Path, index: Path | None, max_files: int = FILES) -> Path:
    """Create a home with a limit for `p4 sync`, and a copy of an index."""
    place.mkdir(mode=0o700)
    rule = {
        "name": "big",
        "rule": "limit_scanned_rows",
        "mode": "enforce",
        "commands": ["sync"],
        "max_files": max_files,
    }
    document: dict[str, Any] = {
        "format": 1,
        "digest": "0" * 64,
        "contact": "admins@example.com",
        "on_error": "allow",
        "exemptions": [],
        "rules": [rule],
    }
    (place / "policy.json").write_bytes(summed(json.dumps(document)))
    if index:
        copy = place / "checkpoint.index"
        copy.write_bytes(index.read_bytes())
        copy.chmod(0o600)
    return place


def decision(place: Path, words: list[str]) -> list[str]:
    """Return the command line with which p4d would start the gate for a `p4 sync`."""
    options = dict(word.removeprefix("--").split("=", 1) for word in words)
    options |= {"home": str(place), "command": "user-sync", "user": "ann"}
    options["args"] += " "  # as in a deployed line, where it tells no arguments from none passed
    return [GATE, *words_of("command", options)]


def compare(label: str, commands: dict[str, list[str]]) -> None:
    """Print medians and their ratios to the gate without an index; cold: not in the page cache."""
    cold = commands["with an index"]
    home = next(word for word in cold if word.startswith("--home="))
    index = Path(home.removeprefix("--home="), "checkpoint.index")
    times: dict[str, list[int]] = {name: [] for name in (*commands, "with a cold index")}
    for _ in range(ROUNDS):
        for name, command in commands.items():
            times[name].append(took_ns(command))
    for _ in range(max(1, ROUNDS // 3)):
        forget(index)
        times["with a cold index"].append(took_ns(cold))
    medians = {name: statistics.median(durations_ns) for name, durations_ns in times.items()}
    alone = medians.pop("without")
    figures = [f"{name} {m / 1e3:,.0f} us ({m / alone:.2f} times)" for name, m in medians.items()]
    print(f"estimates: {label}: without {alone / 1e3:,.0f} us, {', '.join(figures)}")


def forget(index: Path) -> None:
    """Remove an index from the page cache."""
    with index.open("rb") as file:
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def took_ns(command: list[str]) -> int:
    """Return the wall time of a command."""
    started = time.perf_counter_ns()
    child = os.posix_spawn(command[0], command, {})
    os.waitpid(child, 0)
    return time.perf_counter_ns() - started


def replaced(folder: Path) -> None:
    """Replace the index again and again during many decisions; print numbers by answer.

    The answer is the estimated number of files, which differs between the two indexes.
    """
    indexes = [make_index(folder, count, 1000).read_bytes() for count in (97 * 50, 97 * 20)]
    place = home(folder / "replaced", folder / f"index-{97 * 50}", max_files=5)
    stop, replacements = threading.Event(), Counter[int]()

    def replace() -> None:
        while not stop.is_set():
            number = replacements.total() % 2
            fresh = place / "fresh"
            fresh.write_bytes(indexes[number])
            fresh.chmod(0o600)
            fresh.rename(place / "checkpoint.index")
            replacements[number] += 1

    thread, answers = threading.Thread(target=replace), Counter[str]()
    thread.start()
    words = decision(place, ["--client=ws000001", "--args="])
    try:
        for _ in range(DECISIONS):
            done = subprocess.run(words, check=False, capture_output=True, text=True)
            results = re.search(r"about (\d+) files", done.stdout)
            answers[results[1] if results and done.returncode == 1 else "no answer"] += 1
    finally:
        stop.set()
        thread.join()
    print(
        f"estimates: {DECISIONS:,} decisions while the index was replaced "
        f"{replacements.total():,} times, by their answers: {dict(answers)}"
    )


if __name__ == "__main__":
    main()
