"""Measure what an event costs, and compare it with an empty program and with another build.

`bench/costs.py [PROGRAMS]`: PROGRAMS is the folder with the programs of the other build. Whole
processes are started in turn. Bounds are printed beside the figures and not checked.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

import yaml
from rich.console import Console
from rich.table import Table
from run import children_s, client_form, medians, policy, rate_rule
from static_programs import as_installed, empty, target_folder

import census
from census import END, START
from p4warden.asking import gate_program
from p4warden.asking.judge import judging
from p4warden.core.facts import to_text
from p4warden.core.records import Facts
from p4warden.home.summed_file import summed

POLICIES = Path(__file__).parents[1] / "policies"
EVERY_RULE = yaml.safe_load((POLICIES / "observe-everything.yaml").read_text())
EVERY_RULE["rules"] += yaml.safe_load((POLICIES / "observe-arguments.yaml").read_text())["rules"]
VIEW_LINES = 20_000
CLASSES = {
    "builds": {"groups": ["build-*"]},
    "people": {"not": {"groups": ["build-*"]}},
    "services": {"users": ["svc_*"], "groups": ["services"]},
    "outside": {"groups": ["*"], "not": {"ips": ["10.*", "192.168.0.0/16"]}},
    "agents": {"programs": ["mcp*"], "groups": ["agents"]},
}
OF_RULES: list[dict[str, Any]] = [
    {"classes": ["people"]},
    {"classes": ["people", "builds"], "groups": ["dev", "qa"]},
    {"not": {"classes": ["services", "agents"]}},
    {"groups": ["dev"], "not": {"classes": ["outside"]}},
    {"not": {"groups": ["admins"]}},
]
OF_EXEMPTIONS: list[dict[str, Any]] = [
    {"classes": ["services"]},
    {"classes": ["builds"]},
    {"classes": ["agents"]},
    {"classes": ["outside"]},
    {"groups": ["admins"]},
]
WIDE = "Client:\tws\nView:\n\t//depot/... //ws/...\n"
# Of one client with one file.
CHECKPOINT = (
    f"{START}@pv@ 1 @db.depot@ @depot@ 0 @@ @depot/...@ \n"
    "@pv@ 6 @db.domain@ @ws@ 99 @@ @/home/ws@ @@ @@ @ann@ 1 1 0 @@ @@ @@ 0 \n"
    "@pv@ 1 @db.view@ @ws@ 0 0 @//ws/...@ @//depot/...@ \n"
    "@pv@ 3 @db.have@ @//ws/main/a.c@ @//depot/main/a.c@ 1 0 1 \n"
    "@pv@ 9 @db.rev@ @//depot/main/a.c@ 1 0 0 1 1 1 00 1 \n"
    f"{END}"
)
CLIENT_LINES = 10
WORDS = """
import json, sys
from p4warden.core.trigger_options import words_of
event, options = json.load(sys.stdin)
print(json.dumps([*words_of(event, options)]))
"""


class Build(NamedTuple):
    """A build of p4warden: the folder of its programs, one for its homes, and its gate."""

    programs: Path
    folder: Path
    gate: str

    def home(self, name: str, document: dict[str, Any]) -> Path:
        """Return a new home folder in which a policy is active."""
        place, file = self.folder / name, self.folder / f"{name}.yaml"
        file.write_text(yaml.safe_dump(document))
        words = [self.programs / "p4warden", "activate", file, "--home", place]
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        (place / "facts.json").write_bytes(summed(to_text(Facts())))
        (place / "facts.json").chmod(0o600)
        return place

    def indexed_home(self, name: str, document: dict[str, Any]) -> Path:
        """Return a new home folder with an index of `CHECKPOINT` too."""
        place = self.home(name, document)
        checkpoint, index = self.folder / "checkpoint", place / "checkpoint.index"
        checkpoint.write_text(CHECKPOINT)
        words = [self.programs / "p4warden-index", "build", f"--output={index}", checkpoint]
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
        index.chmod(0o600)
        return place

    def line(self, event: str, place: Path, **options: str) -> list[str]:
        """Return the command line with which p4d would start the gate."""
        names = {"home": str(place), "on-error": "deny", "user": "ann", "client": "ws"}
        question = json.dumps([event, names | options])
        words = [self.programs / "python", "-c", WORDS]
        done = subprocess.run(words, input=question, stdout=subprocess.PIPE, text=True, check=True)
        return [self.gate, *json.loads(done.stdout)]

    def save(self, place: Path, text: str) -> list[str]:
        """Return the command line for saving a client."""
        form = place / "form"
        form.write_text(text)
        return self.line("form-save", place, type="client", form=str(form), name="ws")


def main() -> None:
    """Print the costs of this build, and of the other one if its programs are given."""
    own = Path(sys.executable).parent
    folders = {"this build": own}
    if sys.argv[1:]:
        folders["the other"] = Path(sys.argv[1])
    with tempfile.TemporaryDirectory(prefix="p4warden-bench-") as name:
        folder = Path(name)
        builds = {}
        for number, (build, programs) in enumerate(folders.items()):
            place = folder / str(number)
            place.mkdir()
            gate = as_installed(programs / gate_program.NAME, place / gate_program.NAME)
            builds[build] = Build(programs, place, gate)
        libc = "musl" if target_folder("musl").is_dir() else "gnu"
        commands = {("empty", "program"): [empty(folder, libc)]}
        commands |= _selecting(builds["this build"]) | _at_once(builds["this build"])
        for build, one in builds.items():
            commands |= {(build, cost): words for cost, words in _commands(one).items()}
        times = dict(zip(commands, medians([*commands.values()]), strict=True))
        lines_s = {build: _large_view_s(one) for build, one in builds.items()}
        _print(times, lines_s)
        spent_s = _clients_s(builds["this build"])
        print(f"{census.CLIENTS:,} clients under strict: {spent_s:.1f} s of CPU (at most 10)")


def _commands(build: Build) -> dict[str, list[str]]:
    baseline, max_files = policy(), policy()
    baseline["rules"][-1]["baseline"] = True
    max_files["rules"][-1]["max_files"] = 100
    noted = build.home("noted", baseline)
    census.write_baseline(noted)
    narrow = client_form(1)
    usual, who = build.home("usual", policy()), {"ip": "10.0.0.1", "prog": "p4"}
    return {
        "a command": build.line("command", usual, command="user-fstat", **who),
        "an accepted form": build.save(build.home("accepted", policy()), narrow),
        "the same with an index": build.save(build.indexed_home("indexed", policy()), narrow),
        "the same with max_files": build.save(build.indexed_home("files", max_files), narrow),
        "the same under every rule": build.save(build.home("all", EVERY_RULE), narrow),
        "one of many in the baseline": build.save(noted, WIDE),
        "a refused form": build.save(build.home("refused", policy()), WIDE),
        "the same refused, with an index": build.save(build.indexed_home("used", policy()), WIDE),
    }


def _at_once(build: Build) -> dict[tuple[str, str], list[str]]:
    """Return a command under a rate, one that is counted at once, and the end of one."""
    at_once = {"name": "at-once", "rule": "limit_concurrent_commands", "mode": "enforce"}
    at_once |= {"commands": ["fstat"], "limits": [{"per": ["user"], "at_most": 100}]}
    homes = {"rate": [rate_rule("rate", "fstat")], "place": [at_once]}
    who = {"command": "user-fstat", "ip": "10.0.0.1", "prog": "p4"}
    document = {"version": 1, "contact": "admins"}
    places = {
        name: build.home(name, {**document, "rules": rules}) for name, rules in homes.items()
    }
    lines = {("at once", name): build.line("command", of, **who) for name, of in places.items()}
    return lines | {("at once", "end"): build.line("command-end", places["place"])}


def _selecting(build: Build) -> dict[tuple[str, str], list[str]]:
    """Return a command judged by five rules and exemptions: of groups, and of five classes.

    With classes each rule has a selector as well.
    """
    rules = [rate_rule(f"rate-{number}", "fstat") for number in range(5)]
    exempt = {"reason": "none of these", "owner": "bench"}
    of_groups = [{**exempt, "groups": [f"group-{number}"]} for number in range(5)]
    plain = policy(rules=rules, exemptions=of_groups)
    selecting = {
        **policy(
            rules=[{**rule, "for": one} for rule, one in zip(rules, OF_RULES, strict=True)],
            exemptions=[{**exempt, **one} for one in OF_EXEMPTIONS],
        ),
        "classes": CLASSES,
    }
    who = {"command": "user-fstat", "ip": "10.0.0.1", "prog": "p4", "groups": "dev"}
    return {
        ("selectors", name): build.line("command", build.home(name, document), **who)
        for name, document in (("none", plain), ("ten", selecting))
    }


def _large_view_s(build: Build) -> float:
    """Return the processor time for saving a client of `VIEW_LINES` under strict."""
    place = build.home("strict", yaml.safe_load((POLICIES / "strict.yaml").read_text()))
    words = build.save(place, client_form(VIEW_LINES))
    return min(process_s(words) for _ in range(5))


def process_s(words: list[str]) -> float:
    """Return the processor time of a process and of the processes that it waited for."""
    before_s = children_s()
    subprocess.run(words, stdout=subprocess.DEVNULL, check=False)
    return children_s() - before_s


def _clients_s(build: Build) -> float:
    """Return the processor time of both processes for judging clients under strict."""
    place = build.folder / "strict"
    before_s, began_s = children_s(), time.process_time()
    with judging(str(place / "policy.json"), facts=str(place / "facts.json")) as judge:
        count = sum(1 for _ in judge.answers(map(_client, range(census.CLIENTS))))
    spent_s = children_s() - before_s
    if count != census.CLIENTS:
        sys.exit("a client has no answer")
    return spent_s + time.process_time() - began_s


def _client(number: int) -> dict[str, Any]:
    name = f"client-{number:07d}"
    view = [
        f"//depot/main/project{(number + line) % 3000}/module/... //{name}/m{line}/..."
        for line in range(CLIENT_LINES)
    ]
    fields = {"client": [name], "owner": ["ann"], "view": view}
    return {"event": "form-save", "type": "client", "name": name, "user": "ann", "fields": fields}


def _print(times: dict[tuple[str, str], int], lines_s: dict[str, float]) -> None:
    nothing_us = times["empty", "program"] / 1000
    table = Table("whole process", "median us", "x accepted", "other us", "times other")
    table.add_row("an empty static program", f"{nothing_us:.0f}")
    own = {cost: ns / 1000 for (build, cost), ns in times.items() if build == "this build"}
    accepted_us, refused_us = own["an accepted form"], own["a refused form"]
    for cost, own_us in own.items():
        row = [cost, f"{own_us:.0f}", f"{own_us / accepted_us:.2f}"]
        if ("the other", cost) in times:
            other_us = times["the other", cost] / 1000
            row += [f"{other_us:.0f}", f"{own_us / other_us:.2f}"]
        table.add_row(*row)
    Console().print(table)
    over_us = accepted_us - 2 * nothing_us
    print(f"accepted, above two empty programs: {over_us:.0f} us (at most 200)")
    print(f"refused, above accepted: {refused_us - accepted_us:.0f} us (at most 400)")
    none_us, ten_us = (times["selectors", name] / 1000 for name in ("none", "ten"))
    ratio = ten_us / none_us
    print(
        f"ten selectors with five classes / without: {ratio:.2f} of {none_us:.0f} us (at most 1.1)"
    )
    rate_us, place_us, end_us = (
        times["at once", name] / 1000 for name in ("rate", "place", "end")
    )
    print(f"counted at once / under a rate: {place_us / rate_us:.2f} (at most 1.1)")
    print(f"its end, above an empty program: {end_us - nothing_us:.0f} us (at most 200)")
    print(f"the baseline has {census.CLIENTS:,} clients")
    for build, spent_s in lines_s.items():
        print(f"{VIEW_LINES:,} lines under strict, {build}: {spent_s * 1000:.1f} ms of CPU")


if __name__ == "__main__":
    main()
