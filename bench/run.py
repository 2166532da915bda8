"""Measure the gate's speed beside other triggers, its growth, and the speed of a census.

Most figures are medians of the wall time of whole processes, started in turn, and their ratios.
Only the ratios can be compared between machines, not the microseconds. The results are printed and
not checked.
"""

from __future__ import annotations

import contextlib
import io
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import yaml
from rich.console import Console
from rich.table import Table
from static_programs import CRATE, as_installed, empty, gates_of_each_libc

import census
from p4warden import cli
from p4warden.asking import gate_program
from p4warden.core.facts import to_text
from p4warden.core.records import Facts
from p4warden.core.trigger_options import words_of
from p4warden.home.summed_file import summed

BENCH = Path(__file__).parent
ROUNDS = int(os.environ.get("ROUNDS", "300"))
LIVE_KEYS = int(os.environ.get("KEYS", "60000"))


def main() -> None:
    """Run all measurements and print the results."""
    with tempfile.TemporaryDirectory(prefix="p4warden-bench-") as name:
        folder = Path(name)
        program = as_installed(gate_program.find(), folder / gate_program.NAME)
        waits_ms = compare(program, folder)
        scale(program, folder)
        throughput(program, folder)
        cores = processor(program, folder)
        census.report(folder)
    print("For README.md, beside what bench/submits.py prints:")
    own_ms, usual_ms = (f"{ms:.2g} ms" if ms < 10 else f"{ms:.0f} ms" for ms in waits_ms)  # noqa: PLR2004 - two digits
    print(
        f"| one `fstat` under a rate, or one client form: the user waits | {own_ms} | {usual_ms} |"
    )
    own, usual = cores
    print(f"| 500 `fstat` a second: processor time | {own:.2g} of a core | {usual:.0f} cores |")


def compare(program: str, folder: Path) -> tuple[float, float]:
    """Print the times of gate decisions beside those of other triggers and of empty programs.

    Returns:
        The longer of a command's and a form's, and the conventional trigger's, in milliseconds.
    """
    place = home(folder, "one", policy())
    gates = {
        libc: decision(results, place)
        for libc, results in gates_of_each_libc(program, folder).items()
    }
    small = {f"empty program, {libc}": [empty(folder, libc)] for libc in gates}
    small |= {f"p4warden-gate, {libc}": command for libc, command in gates.items()}
    rows = small | {
        "p4warden-gate, one client form": form_save(program, folder),
        "python3 -I -S, empty": [sys.executable, "-I", "-S", "-c", ""],
        "bash with flock": [str(BENCH / "flock_trigger.sh"), str(counter(folder))],
        "conventional Python trigger": conventional(folder),
    }
    times = dict(zip(rows, medians(list(rows.values())), strict=True))
    gate_times = times[f"p4warden-gate, {next(iter(gates))}"]
    table = Table("whole process", "median us", "x gate", title=f"{ROUNDS} starts each, in turn")
    for name, time_ns in times.items():
        table.add_row(name, f"{time_ns / 1000:.0f}", f"{time_ns / gate_times:.2f}")
    Console().print(table)
    form, usual = (
        times[name] for name in ("p4warden-gate, one client form", "conventional Python trigger")
    )
    # In a loop of their own: large programs would displace them from the processor's cache.
    alone = dict(zip(small, medians(list(small.values())), strict=True))
    for libc in gates:
        nothing, gate_name = f"empty program, {libc}", f"p4warden-gate, {libc}"
        ratio, gate_us = alone[gate_name] / alone[nothing], alone[gate_name] / 1000
        print(f"{libc + ' gate / empty program':<34} {ratio:.2f}   ({gate_us:.0f} us)")
        print(f"{'conventional trigger / ' + libc + ' gate':<34} {usual / times[gate_name]:.0f}")
    print()
    return max(gate_times, form) / 1e6, usual / 1e6


def scale(program: str, folder: Path) -> None:
    """Print the time of a decision with many rules, exemptions or rate keys, also as a ratio."""
    others = [rate_rule(f"other-{n}", f"command{n}") for n in range(99)]
    command_rules = [rate_rule(f"same-{n}", "fstat") for n in range(99)]
    exemptions = [
        {"users": [f"svc_{n}_*"], "reason": "service", "owner": "ci"} for n in range(100)
    ]
    full = home(folder, "full", policy())
    fill(program, full)
    rows = {
        "1 rule, 1 key": home(folder, "base", policy()),
        "100 rules, one for this command": home(folder, "rules", policy(rules=others)),
        "100 rules, all for this command": home(folder, "same", policy(rules=command_rules)),
        "100 exemptions": home(folder, "exempt", policy(exemptions=exemptions)),
        f"{LIVE_KEYS:,} live keys": full,
    }
    times = medians([decision(program, place) for place in rows.values()])
    table = Table("one decision", "median us", "x first", title="Growth of a decision")
    for name, time_ns in zip(rows, times, strict=True):
        table.add_row(name, f"{time_ns / 1000:.0f}", f"{time_ns / times[0]:.2f}")
    Console().print(table)


def throughput(program: str, folder: Path) -> None:
    """Print gate decisions per second, by the number of concurrent gate processes."""
    command = decision(program, home(folder, "throughput", policy()))
    table = Table("processes at once", "decisions/s", title="One key, whole processes")
    for processes in (1, 2, 8, 32):
        rate = starts([command], str(4000), str(processes))[0]
        table.add_row(str(processes), str(rate))
    Console().print(table)


def processor(program: str, folder: Path) -> list[float]:
    """Print and return what 500 judged commands a second take of a core, conventionally too."""
    place = home(folder, "processor", policy())
    rows = {"p4warden-gate": decision(program, place), "conventional": conventional(folder)}
    shares = {name: 500 * min(_seconds(words) for _ in range(3)) for name, words in rows.items()}
    for name, share in shares.items():
        print(f"500 commands a second, {name:<13} {share:.2f} cores")
    print()
    return [*shares.values()]


def _seconds(words: list[str]) -> float:
    """Return the processor time of one process of a program (s), its start included."""
    before_s = children_s()
    for _ in range(ROUNDS):
        subprocess.run(words, check=True)
    return (children_s() - before_s) / ROUNDS


def children_s() -> float:
    """Return the processor time of all processes that this one waited for so far."""
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


def client_form(lines: int) -> str:
    """Return a client form with narrow view lines."""
    rows = (f"\t//depot/main/d{n}/... //ws/main/d{n}/...\n" for n in range(lines))
    return f"Client:\tws\nView:\n{''.join(rows)}"


def policy(**more: list[Any]) -> dict[str, Any]:
    """Return a policy: given rules, a rate rule that refuses nobody, and a view scope rule."""
    rules = [*more.get("rules", []), rate_rule("fstat-polling", "fstat")]
    return {
        "version": 1,
        "contact": "admins",
        "exemptions": more.get("exemptions", []),
        "rules": [*rules, {"name": "scope", "rule": "limit_view_scope", "mode": "enforce"}],
    }


def rate_rule(name: str, command: str) -> dict[str, Any]:
    """Return a policy entry for a rate rule that counts a command and refuses nobody."""
    limit = {"per": ["user"], "allow": "1000000 per 1h", "burst": 1000000}
    shape: dict[str, Any] = {"rule": "limit_command_rate", "mode": "enforce"}
    return {"name": name, **shape, "commands": [command], "limits": [limit]}


def home(folder: Path, name: str, document: dict[str, Any]) -> Path:
    """Return a new p4warden home folder in which the given policy is active."""
    place, file = folder / name, folder / f"{name}.yaml"
    file.write_text(yaml.safe_dump(document))
    output = io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
        wrong = cli.run(["activate", str(file), "--home", str(place)])
    if wrong:
        sys.exit(f"{name}: the bench's own policy is wrong: {output.getvalue()}")
    (place / "facts.json").write_bytes(summed(to_text(Facts())))
    (place / "facts.json").chmod(0o600)
    return place


def decision(program: str, place: Path, user: str = "ann") -> list[str]:
    """Return the command line with which p4d would start the gate for one fstat."""
    options = {"home": str(place), "on-error": "allow", "ip": "10.0.0.1", "groups": "dev"}
    options |= {"command": "user-fstat", "user": user, "client": "ws", "prog": "p4"}
    return [program, *words_of("command", options)]


def saving(program: str, place: Path, form: Path) -> list[str]:
    """Return the command line with which p4d would start the gate for saving a client."""
    options = {"home": str(place), "on-error": "allow", "type": "client", "form": str(form)}
    options |= {"user": "ann", "client": "ws", "name": "ws"}
    return [program, *words_of("form-save", options)]


def form_save(program: str, folder: Path) -> list[str]:
    """Return the gate's command line for saving a narrow client."""
    form = folder / "form"
    form.write_text(client_form(1))
    return saving(program, home(folder, "form-home", policy()), form)


def counter(folder: Path) -> Path:
    """Create the file in which `flock_trigger.sh` counts its calls."""
    file = folder / "counter"
    file.write_text("0\n")
    return file


def conventional(folder: Path) -> list[str]:
    """Return the command line of `conventional_trigger.py`."""
    file = folder / "conventional.yaml"
    file.write_text("allow: 1000000\nper_s: 3600\nburst: 1000000\n")
    script = BENCH / "conventional_trigger.py"
    return [sys.executable, str(script), str(file), str(folder / "rates.sqlite"), "ann"]


def fill(program: str, place: Path) -> None:
    """Make the gate store a rate for each of many users."""
    starts([decision(program, place, "user{n}")], str(LIVE_KEYS), "2")


def medians(commands: list[list[str]]) -> list[int]:
    """Return the median wall time of each command (ns); the commands are started in turn."""
    return starts(commands, str(ROUNDS))


def starts(commands: list[list[str]], *numbers: str) -> list[int]:
    """Return the number that the Rust bench program prints for each command.

    It is a median time in nanoseconds, or starts per second; the commands' refusals are skipped.
    """
    build = ["cargo", "bench", "--quiet", "--locked", "--bench", "starts", "--", *numbers]
    text = "\n".join("\t".join(command) for command in commands)
    done = subprocess.run(
        build, cwd=CRATE, input=text, stdout=subprocess.PIPE, text=True, check=True
    )
    return [int(line) for line in done.stdout.split()[-len(commands) :]]


if __name__ == "__main__":
    main()
