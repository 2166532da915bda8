"""Measure what judging a submit costs: the gate, and the Python program that asks the server.

`bench/submits.py [PROGRAMS]`: PROGRAMS is the folder with the programs of the other build. The
figures are medians of the processor time of whole processes, started in turn; the server is the
sandbox, whose own time does not count.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml
from costs import Build, process_s
from P4 import P4
from rich.console import Console
from rich.table import Table

from p4warden.asking import gate_program
from p4warden_sandbox import Sandbox

if TYPE_CHECKING:
    from collections.abc import Iterable

ROUNDS = int(os.environ.get("ROUNDS", "21"))
FILES = (1, 1_000)
RULES = [
    {"name": "paths", "rule": "limit_path_length", "mode": "enforce", "max_leading": 200},
    {"name": "tops", "rule": "limit_top_directories", "mode": "enforce", "max": 1_000},
]
POLICY = {"version": 1, "contact": "admins", "rules": RULES}


def main() -> None:
    """Print the cost of a submit by its number of files, for this build and the other one."""
    folders = [Path(sys.executable).parent, *map(Path, sys.argv[1:2])]
    with tempfile.TemporaryDirectory(prefix="p4warden-bench-") as name, Sandbox() as sandbox:
        folder = Path(name)
        changes = list(_changes(sandbox, folder))
        builds = []
        for number, programs in enumerate(folders):
            place = folder / str(number)
            place.mkdir()
            gate = str(programs / gate_program.NAME)  # beside its Python
            builds.append(_installed(Build(programs, place, gate), sandbox))
        of_one_s = 0.0
        table = Table("files", "ms of CPU", *["other ms", "ratio"] * len(folders[1:]))
        for count, change in zip(FILES, changes, strict=True):
            options = {"change": change, "ip": "10.0.0.1", "prog": "p4"}
            commands = [b.line("change-submit", home, **options) for b, home in builds]
            own_s, *other_s = _medians_s(commands)
            of_one_s = of_one_s or own_s
            more = [text for s in other_s for text in (f"{s * 1000:.1f}", f"{own_s / s:.2f}")]
            table.add_row(f"{count:,}", f"{own_s * 1000:.1f}", *more)
        Console().print(table)
    print("For README.md:")
    print(
        "| one submit, if a rule is about submits, for which it asks the server "
        f"| {of_one_s * 1000:.0f} ms of processor time | |"
    )


def _changes(sandbox: Sandbox, folder: Path) -> Iterable[str]:
    """Open new files in numbered changelists; yield each one's number."""
    root = folder / "ws"
    root.mkdir()
    with P4(port=sandbox.port, user="ann", client="ws").connect() as p4:
        view = ["//depot/... //ws/..."]
        p4.save_client({"Client": "ws", "Root": str(root), "View": view})
        for count in FILES:
            form = {"Change": "new", "Description": f"{count} files"}
            change = p4.save_change(form)[0].split()[1]
            paths = [root / "main" / str(count) / f"file-{number}.c" for number in range(count)]
            paths[0].parent.mkdir(parents=True)
            for path in paths:
                path.touch()
            p4.run("add", "-c", change, *map(str, paths))
            yield change


def _installed(build: Build, sandbox: Sandbox) -> tuple[Build, Path]:
    home = build.folder / "home"
    (build.folder / "policy.yaml").write_text(yaml.safe_dump(POLICY))
    settings = {"P4PORT": sandbox.port, "P4USER": sandbox.super_user}
    settings["P4TICKETS"] = str(sandbox.tickets_file)
    for words in (["activate", str(build.folder / "policy.yaml")], ["refresh"]):
        command = [build.programs / "p4warden", *words, "--home", home]
        environment = os.environ | settings
        subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL)
    return build, home


def _medians_s(commands: list[list[str]]) -> list[float]:
    """Return the median processor time of each command; they are started in turn."""
    for command in commands:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode or done.stdout:
            sys.exit(f"the bench's own submit is refused: {done.stdout}{done.stderr}")
    times: list[list[Any]] = [[process_s(command) for command in commands] for _ in range(ROUNDS)]
    return [statistics.median(column) for column in zip(*times, strict=True)]


if __name__ == "__main__":
    main()
