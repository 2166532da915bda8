"""Measure `p4warden census` on a generated checkpoint of `CLIENTS` (a hundred thousand)."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

from p4warden.home import baseline_file

CLIENTS = int(os.environ.get("CLIENTS", "100000"))
LINES = 10
_POLICY = Path(__file__).parents[1] / "policies" / "default.yaml"

START = "@nx@ 0 1487774713 @39@ 2 0 0 0 0 @/p4@ @journal@ @@ @@ @@ \n"
END = "@nx@ 1 1487774713 @39@ 0 0 0 0 0 @@ @@ @@ @@ @@ \n"


def checkpoint(folder: Path) -> Path:
    """Write a checkpoint of clients with ten view lines, and of records that a census ignores."""
    file = folder / "checkpoint"
    with file.open("w") as out:
        out.write(START)
        for number in range(CLIENTS):
            name = f"client-{number:07d}"
            out.write(
                f"@pv@ 7 @db.domain@ @{name}@ 99 @host@ @/home/ann/ws/{name}@ @@ @@ "
                f"@user{number % 5000}@ 1487774387 1487774689 0 @Created by ann.\n@ @@ @@ 0 \n"
            )
        for number in range(CLIENTS * LINES):
            name, line = f"client-{number // LINES:07d}", number % LINES
            wide = number % 200 == 0
            path = "//depot/..." if wide else f"//depot/main/project{number % 3000}/module/..."
            out.write(f"@pv@ 1 @db.view@ @{name}@ {line} 0 @//{name}/m{line}/...@ @{path}@ \n")
        for number in range(CLIENTS * LINES):
            name = f"client-{number // LINES:07d}"
            path = f"//depot/main/project1/src/file{number}.c"
            out.write(f"@pv@ 3 @db.have@ @//{name}/m0/file.c@ @{path}@ 1 0 1487774641 \n")
        out.write(END)
    return file


def report(folder: Path) -> None:
    """Print the time and memory of a census."""
    file = checkpoint(folder)
    program = [sys.executable, "-m", "p4warden", "census", "--policy", str(_POLICY), "--json"]
    home = ["--home", str(folder / "none"), "--checkpoint", str(file)]
    start_ns = time.perf_counter_ns()
    with (folder / "census.jsonl").open("wb") as out:
        started = subprocess.Popen([*program, *home], stdout=out, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(started.pid, 0)
    if status:
        sys.exit("census: it failed")
    took_s = (time.perf_counter_ns() - start_ns) / 10**9
    size_mb = file.stat().st_size / 10**6
    cpu_s, memory_mib = usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024
    print(
        f"census of {CLIENTS} clients of {LINES} lines: {took_s:.1f} s ({cpu_s:.1f} s of CPU), "
        f"{CLIENTS / took_s:.0f} clients/s, {size_mb / took_s:.1f} MB/s, {memory_mib:.0f} MiB"
    )


def write_baseline(place: Path) -> None:
    """Write a baseline with a finding for each of `CLIENTS` clients and for `ws`."""
    entries = [["scope", "View line", "//depot/...\t//ws/...", 0]]
    specs = {f"client/client-{number:07d}": entries for number in range(CLIENTS)}
    file = place / baseline_file.FILE_NAME
    file.write_bytes(baseline_file.write({**specs, "client/ws": entries}))
    file.chmod(0o600)
