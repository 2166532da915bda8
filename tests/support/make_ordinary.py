"""Write 10,000 ordinary commands and forms, each with the verdict of strict.yaml.

`.venv/bin/python tests/support/make_ordinary.py` writes the same events anew, with the present
verdicts. Before that, review the differences that `gate/test_ordinary.py` prints.
"""

from __future__ import annotations

import gzip
import json
import random
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

ROOT = Path(__file__).parents[2]
JUDGED = ROOT / "tests" / "cases" / "ordinary" / "judged.jsonl.gz"
COMMANDS, FORMS = 8_000, 2_000
TOPS = ("main", "dev", "rel-1.0", "rel-2.0", "tools", "doc", "third party", "art")
NAMES = ("src", "lib", "Engine", "include", "test", "a.b", "x86_64", "Größe", "data")
FILES = ("a.c", "main.cpp", "*.h", "...", "*", "....cs", "README", "read me.txt", "v%402.txt")
FACTS = {
    "depots": {
        "depot": {"type": "local", "directories": list(TOPS)},
        "thirdparty": {"type": "local", "directories": ["boost", "zlib"]},
        "streams": {"type": "stream", "directories": ["main", "dev"]},
    },
    "case_sensitive": True,
}
OPTIONS = {
    "annotate": ("-q", "-c"),
    "changes": ("-m1", "-m 10", "-s submitted", "-u ann", "-l", "-s pending -c ws"),
    "cstat": (),
    "describe": ("-s", "-du"),
    "diff2": ("-q", "-du"),
    "dirs": ("-C", "-D"),
    "edit": ("-c 12", "-n"),
    "filelog": ("-m 5", "-l", "-i"),
    "files": ("-e", "-a", "-m 1"),
    "fstat": ("-Ol", "-T depotFile,headRev", "-m 1", "-Ro", "-e 12 -Ro", "-Olhp"),
    "grep": ("-e TODO", "-i -e x"),
    "have": (),
    "integrate": ("-n", "-b rel"),
    "integrated": (),
    "labels": ("-m 5", "-u ann"),
    "opened": ("-a", "-c 12", "-u ann"),
    "print": ("-q", "-o out"),
    "reconcile": ("-n", "-e"),
    "sizes": ("-s", "-b 4096", "-a"),
    "sync": ("-n", "-q", "-f", "--parallel threads=4"),
    "tag": ("-l nightly",),
    "where": (),
}
REVISIONS = ("", "", "", "", "#head", "#3", "@12", "@nightly", "@2026/01/01", "@10,@20", "@=7")


def events() -> list[dict[str, Any]]:
    """Return the events, always the same ones."""
    chance = random.Random(29)  # noqa: S311 - no secret
    commands = [_command(chance, number) for number in range(COMMANDS)]
    return [*commands, *(_form(chance, number) for number in range(FORMS))]


def _command(chance: random.Random, number: int) -> dict[str, Any]:
    command = chance.choice(sorted(OPTIONS))
    options = [word for one in OPTIONS[command] if chance.random() < 0.3 for word in one.split()]
    if command == "describe":
        files = [str(chance.randint(1, 9000))]
    else:
        count = chance.choice((0, 1, 1, 1, 2, 3, 20))
        files = [_argument(chance) for _ in range(count)]
    names = {"event": "command", "command": command, "args": [*options, *files]}
    return {**names, **_who(chance, number), "clientcwd": "/home/ann/ws/main", "client": "ws"}


def _who(chance: random.Random, number: int) -> dict[str, Any]:
    groups = chance.choice(([], ["dev"], ["dev", "art"]))
    user = {"user": f"user{number % 500}", "groups": groups, "ip": f"10.0.{number % 200}.7"}
    return {**user, "prog": chance.choice(("p4", "P4V", "VS Code")), "time": 1000 + 60 * number}


def _argument(chance: random.Random) -> str:
    start = chance.choice(("//depot", "//depot", "//depot", "//ws", "/home/ann/ws", "."))
    return _below(chance, start) + chance.choice(REVISIONS)


def _below(chance: random.Random, start: str) -> str:
    names = [chance.choice(TOPS)] if start.startswith("//depot") and chance.random() < 0.9 else []
    names += chance.choices(NAMES, k=chance.choice((0, 1, 1, 2, 3)))
    return "/".join([start, *names, chance.choice(FILES)])


def _form(chance: random.Random, number: int) -> dict[str, Any]:
    kind = chance.choice(("client", "client", "client", "branch", "label", "stream"))
    name = {"stream": f"//streams/s{number}"}.get(kind, f"{kind}{number}")
    field = {"stream": "Paths"}.get(kind, "View")
    rows = "".join(f"\t{row}\n" for row in _rows(chance, kind, name))
    more = {"stream": "Parent: none\nType: mainline\n", "client": "Root: /home/ann/ws\n"}
    form = f"{kind.title()}: {name}\nOwner: ann\n{more.get(kind, '')}{field}:\n{rows}"
    event = {"event": "form-save", "type": kind, "name": name, "form": form}
    return {**event, **_who(chance, number), "client": "ws"}


def _rows(chance: random.Random, kind: str, name: str) -> list[str]:
    if kind == "stream":
        imports = [f"import i{n}/... {_tree(chance)}" for n in range(chance.choice((0, 0, 1, 3)))]
        return ["share ...", *imports]
    rows = []
    for number in range(chance.choice((1, 1, 2, 5, 30))):
        path, flag = _tree(chance), chance.choice(("", "", "", "-", "+")) if number else ""
        flag = flag if kind == "client" or flag == "-" else ""
        other = f"//{name}/v{number}/..." if kind == "client" else f"//depot/rel-9/x/v{number}/..."
        rows.append(f'"{flag}{path}"' + ("" if kind == "label" else f' "{other}"'))
    return rows


def _tree(chance: random.Random) -> str:
    names = [chance.choice(TOPS)] if chance.random() < 0.97 else []
    names += chance.choices(NAMES, k=chance.choice((0, 1, 1, 2)))
    return "/".join(["//depot", *names, "..."]).replace("third party", "third_party")


def verdicts(
    events: Iterable[dict[str, Any]],
    program: str = str(Path(sys.executable).with_name("p4warden")),
) -> list[str]:
    """Return the verdicts of strict.yaml on events."""
    command = [program, "evaluate", "--policy", str(ROOT / "policies" / "strict.yaml")]
    lines = "".join(f"{json.dumps(event)}\n" for event in events)
    done = subprocess.run(command, input=lines, capture_output=True, text=True, check=False)
    return [json.loads(line)["verdict"] for line in done.stdout.splitlines()]


def judged() -> list[dict[str, Any]]:
    """Return the committed events, each as `{"verdict": ..., "event": {...}}`."""
    return [json.loads(line) for line in gzip.decompress(JUDGED.read_bytes()).splitlines()]


def main() -> None:
    made = [{**event, "facts": FACTS} for event in events()]
    rows = zip(made, verdicts(made, *sys.argv[1:]), strict=True)
    lines = "".join(
        f"{json.dumps({'verdict': verdict, 'event': event})}\n" for event, verdict in rows
    )
    JUDGED.write_bytes(gzip.compress(lines.encode(), mtime=0))


if __name__ == "__main__":
    main()
