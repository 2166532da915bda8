"""How fast logs are read, replayed and loaded: MB/s of log, whole processes, best of some runs.

`python bench/logs.py [LOG]`; without a log one is made, of the shapes that p4d writes. Beside
log2sql (github.com/rcowham/go-libp4dlog), where `LOG2SQL` names it.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rich.console import Console
from rich.table import Table

MEGABYTES = 100
ROUNDS = int(os.environ.get("ROUNDS", "3"))
POLICY = Path(__file__).parents[1] / "policies" / "default.yaml"
P4WARDEN = str(Path(sys.executable).with_name("p4warden"))
READER = str(Path(sys.executable).with_name("p4warden-log"))
TABLES = "user group trigger protect have rev monitor domain".split()


def main() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory(prefix="p4warden-bench-") as name:
        folder = Path(name)
        log = Path(sys.argv[1]) if len(sys.argv) > 1 else made(folder / "log")
        megabytes = log.stat().st_size / 1e6
        database = ["--database", str(folder / "log.db")]
        rows = {
            "read as JSON lines": [READER, "read", str(log)],
            "replay a rate policy": [P4WARDEN, "replay", "--policy", str(POLICY), str(log)],
            "load into a database": [P4WARDEN, "log", "load", *database, str(log)],
        }
        other = os.environ.get("LOG2SQL")
        if other:
            rows["log2sql, load"] = [other, "--no.metrics", "-d", str(folder / "o.db"), str(log)]
        table = Table("", "wall s", "CPU s", "MB/s", title=f"{megabytes:,.0f} MB of log")
        for row, command in rows.items():
            wall_s, processor_s = min(timed(command, folder) for _ in range(ROUNDS))
            rate = f"{megabytes / wall_s:,.0f}"
            table.add_row(row, f"{wall_s:.2f}", f"{processor_s:.2f}", rate)
    Console().print(table)
    if not other:
        print("LOG2SQL names no program, so there is nothing to compare with")


def timed(command: list[str], folder: Path) -> tuple[float, float]:
    """Run a command; return its wall and processor time in seconds."""
    for file in folder.glob("o.db*"):
        file.unlink()
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wall_s = time.perf_counter() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall_s, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def made(path: Path) -> Path:
    """Write a log in which some hundred users ask, with what p4d tells at `track=1`."""
    uses = "".join(
        f"--- db.{table}\n---   pages in+out+cached 12+0+96\n"
        "---   locks read/write 1/0 rows get+pos+scan put+del 0+1+345 0+0\n"
        "---   total lock wait+held read/write 0ms+3ms/0ms+0ms\n"
        for table in TABLES
    )
    with path.open("w") as file:
        number = 0
        while file.tell() < MEGABYTES * 1_000_000:
            number += 1
            file.write(command(number, uses))
    return path


def command(number: int, uses: str) -> str:
    """Return the blocks of one command."""
    second = number // 60
    day, second = 1 + second // 86400, second % 86400
    clock = f"{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}"
    stamp = f"Perforce server info:\n\t2026/03/{day:02} {clock} pid {number} "
    user = f"user{number * number % 307}"
    name = "user-fstat" if number % 2 else "user-have"
    start = f"{stamp}{user}@{user}-ws 10.0.0.1 [UE/v91] '{name} //depot/main/{number % 99}'\n"
    usage = "9+1us 0+8io 0+0net 20028k 0pf\n"
    return (
        f"{start}{stamp}completed .011s {usage}{start}--- lapse .012s\n--- usage {usage}{uses}\n"
    )


if __name__ == "__main__":
    main()
