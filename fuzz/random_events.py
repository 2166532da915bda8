"""Generate random events for `p4warden evaluate`: commands, forms, submits and their facts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import form_texts

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator

START_S = 1_800_000_000
USERS = ("ann", "Ann", "bob", "build", "swarm", "jörg", "a b", "*", "_", "")
GROUPS = ("dev", "perforce-admins", "build-farm", "Builds", "x y")
CLIENTS = ("ws", "ann-ws", "build-7", "WS", "a b", "swarm-1")
PROGRAMS = ("p4", "P4V", "p4v/2023.1", "jenkins.p4-plugin", "UnrealGameSync", "p4warden", "", "*")
VERSIONS = ("2024.2/LINUX26X86_64/2675662", "2019.1", "v79", "9999", "", "x")
COMMANDS = (
    *("fstat",) * 9,
    *("sync",) * 4,
    *("fstat files filelog print sync flush changes dirs sizes opened have describe grep".split()),
    *("integrate labelsync interchanges annotate verify reconcile status cstat diff2".split()),
    *("info login admin submit edit revert tag populate obliterate clients keys nonsense".split()),
)
OPTIONS = (
    *"-a -e -m -m1 -m20 -n -f -k -q -s -i -L -l -t -c -u -b -C -S -A -Or -Ro -Rc -Ol".split(),
    *"-T -W -o --parallel=threads=4 --unknown -- -".split(),
    *("12", "ann", "ws", "depotFile,headRev", "740", "4096", "default"),
)
REVISIONS = (
    *("", "", "", "", "#head", "#have", "#none", "#1", "#1,3", "@740", "@1,@740", "@740,#head"),
    *("@740,now", "@=740", "@<=740", "@>740", "@2026/01/01", "@2026/01/01,@now", "@LABEL", "@ws"),
)
TAILS = ("...", "...", "*", "*/...", "....c", "a.c", "%%1/...", "lib*", "dir/*", "a/.../b.c", "")
PRESSURE = (None, None, "low", "medium", "high", "0", "2", "x")
DIRECTORIES = ("main", "rel", "src", "Src", "docs", "very-long-name-" * 8, "é", "a b", "..b")


def events(random: random.Random) -> Iterator[dict[str, Any]]:
    """Yield random events without end, at times that never go back."""
    kinds = (_command, _command, _form, _form, _form_out, _submit)
    now_ms = START_S * 1000
    number = 0
    while True:
        long_ms = random.choice((1000, 30_000, 3_600_000)) if random.random() < 0.002 else 0
        now_ms += random.choice((0, 1, 1, 50, 200)) + long_ms
        number += 1
        event = random.choice(kinds)(random) | _sender(random)
        event |= {"id": number, "time": now_ms / 1000}
        yield {name: value for name, value in event.items() if value is not None}


def _sender(random: random.Random) -> dict[str, Any]:
    return {
        "user": random.choice(USERS),
        "groups": random.sample(GROUPS, random.choice((0, 0, 1, 2))),
        "client": random.choice(CLIENTS),
        "ip": f"10.0.{random.randint(0, 1)}.{random.randint(1, 3)}",
        "prog": random.choice(PROGRAMS),
        "version": random.choice(VERSIONS),
        "pressure": random.choice(PRESSURE),
        "facts": _facts(random) if random.random() < 0.5 else None,
    }


def _facts(random: random.Random) -> dict[str, Any]:
    depots: dict[str, Any] = {}
    for name in random.sample(form_texts.DEPOTS, random.randint(0, 4)):
        kind = random.choice(("local", "local", "stream", "remote", "spec", "graph", "archive"))
        directories = random.sample(DIRECTORIES, random.randint(0, 6))
        depots[name] = {"type": kind, "directories": sorted(directories)}
        if random.random() < 0.1:
            depots[name] = {"type": kind, "directories": None, "count": random.randint(1, 9_999)}
    return {"case_sensitive": random.random() < 0.7, "depots": depots}


def _command(random: random.Random) -> dict[str, Any]:
    count = random.choice((0, 1, 1, 2, 5))
    words = random.sample(OPTIONS, random.choice((0, 0, 1, 2, 3)))
    words += [_path(random) for _ in range(count)]
    return {"event": "command", "command": random.choice(COMMANDS), "args": words}


def _path(random: random.Random) -> str:
    kind = random.random()
    directories = random.choices(DIRECTORIES, k=random.choice((0, 0, 1, 1, 2, 4)))
    if kind < 0.1:
        return random.choice(REVISIONS)
    start = "//" if kind < 0.85 else random.choice(("", "./", "../", "/home/ann/ws/"))
    depot = random.choice((*form_texts.DEPOTS, *CLIENTS, "*", "d*"))
    return (
        f"{start}{'/'.join((depot, *directories, random.choice(TAILS)))}{random.choice(REVISIONS)}"
    )


def _form(random: random.Random) -> dict[str, Any]:
    form_type = random.choice(("client", "client", "client", "branch", "label", "stream", "depot"))
    name = random.choice(CLIENTS)
    text = _text(random, form_type, name)
    if random.random() < 0.2:
        text = form_texts.mutated(random, text)
    return {"event": "form-save", "type": form_type, "name": name, "form": text}


def _form_out(random: random.Random) -> dict[str, Any]:
    event = _form(random) | {"event": "form-out"}
    if random.random() < 0.5:
        name = random.choice(CLIENTS)
        depots = random.sample(form_texts.DEPOTS, random.randint(1, 4))
        view = (f'\t"//{depot}/..." "//{name}/{depot}/..."' for depot in depots)
        new = (
            f"Client:\t{name}",
            "Owner:\tann",
            "Root:\t/ws",
            "Options:\tnoallwrite",
            "View:",
            *view,
        )
        event |= {
            "type": "client",
            "name": name,
            "form": "\n\n".join(new[:4]) + "\n\n" + "\n".join(new[4:]) + "\n",
        }
    return event


def _text(random: random.Random, form_type: str, name: str) -> str:
    if form_type in form_texts.FIELDS:
        lines = [
            form_texts.line(random, form_type, name) for _ in range(random.choice((0, 1, 3, 9)))
        ]
        text = form_texts.form(random, form_type, name, lines)
        dates = "Update:\t2026/01/01 10:00:00\nAccess:\t2026/02/01 10:00:00\n"
        stream = "Stream:\t//stream/main\n" if random.random() < 0.1 else ""
        return (dates if random.random() < 0.5 else "") + stream + text
    if form_type == "depot":
        return f"Depot:\t{name}\nOwner:\tann\nType:\tlocal\nMap:\t{name}/...\n"
    paths = [
        f"\t{random.choice(('share', 'isolate', 'import', 'import+', 'exclude'))} {path}"
        for path in ("...", "src/...", f"lib/... {_path(random)}")[: random.randint(0, 3)]
    ]
    head = f"Stream:\t//stream/{name}\nOwner:\tann\nParent:\t//stream/main\nType:\tdevelopment\n"
    return "\n".join([head + "Paths:", *paths, ""])


def _submit(random: random.Random) -> dict[str, Any]:
    depth = random.randint(0, 5)
    files = [
        {
            "path": "/".join(("//depot", *random.choices(DIRECTORIES, k=depth), f"a{number}.c")),
            "action": random.choice(("add", "edit", "move/add", "branch", "delete")),
        }
        for number in range(random.choice((0, 1, 3, 20)))
    ]
    return {
        "event": "change-submit",
        "change": str(random.randint(1, 999)),
        "files": files,
    }
