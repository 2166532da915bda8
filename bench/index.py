"""Measure building an index from a plain and a gzip checkpoint, and with an unsorted journal.

Likewise the commands that ask about the clients' files in the same pass.

`REVISIONS=5600000 LATER=10000000 python bench/index.py` writes a checkpoint of about 5 GB and a
journal with more than ten million records; the default is a tenth of that. Times are processor
seconds of the fastest of `ROUNDS` runs; memory is the peak of the largest process. For comparison,
zlib alone decompresses the same checkpoint.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

REVISIONS = os.environ.get("REVISIONS", "560000")
LATER = os.environ.get("LATER", "1000000")
ROUNDS = int(os.environ.get("ROUNDS", "3"))
MAKE = Path(__file__).parents[2] / "shared" / "tools" / "make_checkpoint.py"
ALONE = [sys.executable, "-S", "-E", str(Path(__file__).with_name("alone.py"))]
PROGRAM = str(Path(sys.executable).with_name("p4warden-index"))
COMMAND = str(Path(sys.executable).with_name("p4warden"))
ASKING = (
    ["audit", "--json"],
    ["rightsize", "--wide", "--policy=default", "--home=none", "--checkpoint"],
)
INFLATE = """
import sys, zlib
inflate = zlib.decompressobj(31)
with open(sys.argv[1], "rb") as file:
    while part := file.read(1 << 20):
        inflate.decompress(part)
"""


class Measurement(NamedTuple):
    wall_s: float
    processor_s: float
    peak_mb: float


def main() -> None:
    """Measure a plain checkpoint, one with a journal, and a gzip one."""
    if not MAKE.is_file():
        print("index: not measured, because the generator of checkpoints was not found")
        return
    with tempfile.TemporaryDirectory(prefix="p4warden-bench-") as name:
        folder = Path(name)
        checkpoint, journal = make_sources(folder)
        size_mb = checkpoint.stat().st_size / 1e6
        build = [PROGRAM, "build", "--output", str(folder / "index")]
        plain = best([*build, str(checkpoint)])
        show(f"plain, {size_mb:,.0f} MB", plain, size_mb)
        both_mb = size_mb + journal.stat().st_size / 1e6
        both = best([*build, f"--journal={journal}", str(checkpoint)])
        show(f"with a journal, {both_mb:,.0f} MB", both, both_mb)
        for words in ASKING:
            show(words[0], best([COMMAND, *words, str(checkpoint)]), size_mb)
        subprocess.run(["gzip", "-1", str(checkpoint)], check=True)  # noqa: S607 - the one on PATH
        compressed_path = f"{checkpoint}.gz"
        packed, zlib = (
            best([*build, compressed_path]),
            best([sys.executable, "-c", INFLATE, compressed_path]),
        )
        show("gzip", packed, size_mb)
        show("gzip, zlib alone", zlib, size_mb)
        print(f"index: gzip takes {packed.processor_s / zlib.processor_s:.2f} of zlib alone")


def make_sources(folder: Path) -> tuple[Path, Path]:
    """Write a checkpoint with one client per hundred revisions, and an unsorted journal."""
    checkpoint, journal = folder / "checkpoint", folder / "journal"
    clients = str(int(REVISIONS) // 100)
    words = [REVISIONS, clients, "1", "--journal", str(journal), "--later", LATER]
    with checkpoint.open("wb") as out:
        subprocess.run([sys.executable, str(MAKE), *words], stdout=out, check=True)
    return checkpoint, journal


def best(command: list[str]) -> Measurement:
    """Return the cost of the run with the least processor time."""
    return min((timed(command) for _ in range(ROUNDS)), key=lambda took: took.processor_s)


def timed(command: list[str]) -> Measurement:
    """Run a command under `alone.py`."""
    done = subprocess.run([*ALONE, *command], check=True, stdout=subprocess.PIPE)
    return Measurement(*map(float, done.stdout.split()))


def show(name: str, took: Measurement, size_mb: float) -> None:
    """Print processor time (s), input MB per processor second and peak memory."""
    print(
        f"index: {name}: {took.processor_s:.2f} s of CPU, "
        f"{size_mb / took.processor_s:,.0f} MB per CPU second, {took.peak_mb:.1f} MB of memory"
    )


if __name__ == "__main__":
    main()
