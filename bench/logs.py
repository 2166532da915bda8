"""Measure reading, replaying, loading and exporting p4d logs, and reports: whole processes.

`python bench/logs.py [LOG...]`; without logs some are generated in the format of p4d's text log,
one of each size in `MEGABYTES` (100; with `MEGABYTES="100 1000"` it takes minutes, and shows that
memory stays the same). Times are those of the fastest of `ROUNDS` runs; memory is the peak of the
largest process.

With `BEFORE`, the folder of an earlier version's programs (`.venv/bin` of a checkout), both
versions then read, replay and load in turn; the ratios of their processor time and peak memory are
printed.

With `LOG2SQL`, the path of log2sql, loading with that program is measured too. Build it with `go
install github.com/rcowham/go-libp4dlog/cmd/log2sql@v0.14.1`; if the checksum of a dependency is
not available, use `go build ./cmd/log2sql` in the unpacked module, whose go.sum has them all.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

SIZES_MB = [int(size) for size in os.environ.get("MEGABYTES", "100").split()]
ROUNDS = int(os.environ.get("ROUNDS", "3"))
POLICY = Path(__file__).parents[1] / "policies" / "default.yaml"
ALONE = [sys.executable, "-S", "-E", str(Path(__file__).with_name("alone.py"))]
READER = str(Path(sys.executable).with_name("p4warden-log"))
P4WARDEN = str(Path(sys.executable).with_name("p4warden"))
REPORTS = ("users", "blockers", "contention")
LOG2SQL = os.environ.get("LOG2SQL")
BEFORE = os.environ.get("BEFORE")
LOAD, OTHER = "load into a database", "log2sql, load"
TABLES = "user group trigger protect have rev monitor domain".split()


class Measurement(NamedTuple):
    wall_s: float
    processor_s: float
    peak_mb: float


def main() -> None:
    """Print a table of costs."""
    with tempfile.TemporaryDirectory(prefix="p4warden-bench-") as name:
        folder = Path(name)
        values = [Path(log) for log in sys.argv[1:]]
        logs = values or [make_log(folder / f"log{size}", size) for size in SIZES_MB]
        table = Table("", "log, MB", "wall s", "CPU s", "MB/s", "peak MB")
        took = {}
        for row, command in commands(folder).items():
            for log in logs:
                size_mb = log.stat().st_size / 1e6
                one = took[row, log] = best([*command, str(log)], folder)
                times = f"{one.wall_s:.2f}", f"{one.processor_s:.2f}"
                rate, peak = f"{size_mb / one.wall_s:,.0f}", f"{one.peak_mb:.1f}"
                table.add_row(row, f"{size_mb:,.0f}", *times, rate, peak)
        for log in logs:
            of_database(folder, log, table)
        Console().print(table)
        compare(folder, logs)
    for log in logs if LOG2SQL else ():
        own_measurement, other = took[LOAD, log], took[OTHER, log]
        wall, processor = (
            own_measurement.wall_s / other.wall_s,
            own_measurement.processor_s / other.processor_s,
        )
        print(f"{log.name}: load takes {wall:.3f} of log2sql's wall s, {processor:.3f} of its CPU")
    if not LOG2SQL:
        print("LOG2SQL names no program, so there is nothing to compare with")


def of_database(folder: Path, log: Path, table: Table) -> None:
    """Measure reports on a loaded log and its export, in MB of the log per second."""
    database = ["--database", str(folder / "log.db")]
    timed([P4WARDEN, "log", "load", *database, str(log)], folder)
    size_mb = log.stat().st_size / 1e6
    export = [P4WARDEN, "log", "export", *database, "--parquet", str(folder / "parquet")]
    rows = {f"report {name}": [P4WARDEN, "log", "report", *database, name] for name in REPORTS}
    if importlib.util.find_spec("pyarrow"):
        rows = {"export to Parquet": export, **rows}
    else:
        print("no pyarrow, so the export to Parquet is not measured")
    for row, command in rows.items():
        one = best(command, folder)
        times = f"{one.wall_s:.2f}", f"{one.processor_s:.2f}"
        table.add_row(
            row, f"{size_mb:,.0f}", *times, f"{size_mb / one.wall_s:,.0f}", f"{one.peak_mb:.1f}"
        )


def compare(folder: Path, logs: list[Path]) -> None:
    """Print the ratios of processor time and peak memory to those of `BEFORE`, if given."""
    if not BEFORE:
        return
    policy = Path(BEFORE).parents[1] / "policies" / "default.yaml"
    before = own_commands(folder, Path(BEFORE), policy)
    for row, command in own_commands(folder, Path(READER).parent, POLICY).items():
        for log in logs:
            pairs = [
                (timed([*command, str(log)], folder), timed([*before[row], str(log)], folder))
                for _ in range(ROUNDS)
            ]
            ratio = statistics.median(own.processor_s / old.processor_s for own, old in pairs)
            peak = pairs[0][0].peak_mb / pairs[0][1].peak_mb
            print(f"{log.name}: {row}: {ratio:.3f} of the CPU s before, {peak:.3f} of the peak MB")


def own_commands(folder: Path, programs: Path, policy: Path) -> dict[str, list[str]]:
    """Return the p4warden command lines to measure, by row label; `programs` is their folder."""
    reader, p4warden = str(programs / "p4warden-log"), str(programs / "p4warden")
    return {
        "read as JSON lines": [reader, "read"],
        "replay a rate policy": [p4warden, "replay", "--policy", str(policy)],
        LOAD: [p4warden, "log", "load", "--database", str(folder / "log.db")],
    }


def commands(folder: Path) -> dict[str, list[str]]:
    """Return the command lines to measure, by row label; the caller appends a log path to each."""
    measured = own_commands(folder, Path(READER).parent, POLICY)
    other = [LOG2SQL or "", "--no.metrics", "-d", str(folder / "o.db")]
    return {**measured, OTHER: other} if LOG2SQL else measured


def best(command: list[str], folder: Path) -> Measurement:
    """Run a command several times; return time and memory of the fastest run."""
    return min(timed(command, folder) for _ in range(ROUNDS))


def timed(command: list[str], folder: Path) -> Measurement:
    """Run a command and return its times and peak memory.

    The output of earlier runs is deleted first: a database of log2sql, which log2sql would extend,
    and an export to Parquet.
    """
    for file in folder.glob("o.db*"):
        file.unlink()
    # Delete the folder of the previous export: `p4warden log export` refuses an existing folder.
    shutil.rmtree(folder / "parquet", ignore_errors=True)
    report = subprocess.run([*ALONE, *command], check=True, stdout=subprocess.PIPE).stdout
    return Measurement(*map(float, report.split()))


def make_log(path: Path, size_mb: int) -> Path:
    """Write a p4d text log of about 150 users' commands with `track=1` details."""
    uses = "".join(
        f"--- db.{table}\n---   pages in+out+cached 12+0+96\n"
        "---   locks read/write 1/0 rows get+pos+scan put+del 0+1+345 0+0\n"
        "---   total lock wait+held read/write 0ms+3ms/0ms+0ms\n"
        for table in TABLES
    )
    with path.open("w") as file:
        number = 0
        while file.tell() < size_mb * 1_000_000:
            number += 1
            file.write(command(number, uses))
    return path


def command(number: int, uses: str) -> str:
    """Return the log blocks of one invented p4 command, in the format of p4d's text log."""
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
