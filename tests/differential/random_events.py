"""Random forms and submits, with their senders and facts, as JSON objects for `judge`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from differential import random_views
from p4warden.core.patterns import fold

if TYPE_CHECKING:
    import random

START_S = 1_750_000_000
DAYS = 2_500
USERS = ("ann", "Ann", "bob", "svc", "jörg", "a b", "*", "\udcff", "", 'a"b', "x--args=y", 'q""')
GROUPS = ("dev", "Build-farm", "builds", "x y", "éa", "\udc80")
CLIENTS = ("ws", "WS", "ann-ws", "a b", "é", 'w"s', "c --end=.", "n\0ul", "\udcc3x", "DIRECTORY")
PROGRAMS = ("p4", "P4V", "x", "p4warden", "", 'p"', "é--name=")
HOSTS = ("build-7", "BUILD-7", "laptop", "é\udcff", "")
OPTIONS = (
    *("noallwrite noclobber nocompress unlocked nomodtime normdir", "allwrite Compress LOCKED"),
    *("", "compress", "nocompress compress", "noaltsync x", "größer compress", "\udcff allwrite"),
    *('"allwrite clobber"', "unlocked unlocked rmdir"),
)
ODD_OPTIONS = ("clobber\u00a0compress", "ALLWRITE\u2003clobber", "bac\u212aup compress", "Ö rmdir")
DEPOTS = ("depot", "Depot", "thirdparty", "überall", "Überall", "a.b", "x", "\udcffd", "a b", "$x")
DIRECTORIES = (
    *("main", "Main", "rel 1", "src", "é", "É", "a$b", "DIRECTORY", "SHORT", "\udcfe", "c++", ""),
    *("very-long-" * 20, "\u200bhidden", "日本", "(x)", "-x"),
)
TYPES = ("local", "stream", "Stream", "LOCAL", "remote", "spec", "graph", '"local"', "été", "")
ACTIONS = ("add", "add", "add", "branch", "import", "move/add", "edit", "delete", "x")
FRAGMENTS = (
    '"',
    "#",
    "\n",
    "\t",
    "\r\n",
    ":",
    "View:",
    "\0",
    "\udcff",
    "Type:\tx\n",
    "\nOptions:\n",
)


def event(random: random.Random, number: int) -> dict[str, Any]:
    kinds = (_depot, _client, _client_shown, _submit, _other, *([random_views.event] * 5))
    time_s = START_S + random.randrange(DAYS) * 86_400 + 43_200
    document = random.choice(kinds)(random) | _sender(random)
    document = {"facts": _facts(random)} | document | {"id": number, "time": time_s}
    if random.random() < 0.05:
        document["trial"] = True
    return {name: value for name, value in document.items() if value is not None}


def _sender(random: random.Random) -> dict[str, Any]:
    return {
        "user": random.choice(USERS),
        "groups": random.sample(GROUPS, random.choice((0, 0, 1, 2))),
        "client": random.choice(CLIENTS[:5] if random.random() < 0.9 else CLIENTS),
        "ip": random.choice(("10.0.0.1", "10.1.2.3", "", "fe80::1")),
        "prog": random.choice(PROGRAMS[:5] if random.random() < 0.9 else PROGRAMS),
    }


def _facts(random: random.Random) -> dict[str, Any] | None:
    if random.random() < 0.05:
        return None
    facts: dict[str, Any] = {"depots": _depots(random)}
    if random.random() < 0.9:
        facts["case_sensitive"] = random.random() < 0.6
    if facts.get("case_sensitive") is False:
        # Such a server has no two depots whose names differ in case only.
        names = {fold(name, case_sensitive=False): name for name in facts["depots"]}
        facts["depots"] = {name: facts["depots"][name] for name in names.values()}
    if random.random() < 0.5:
        facts["unicode"] = random.random() < 0.7
    if random.random() < 0.3:
        facts["client_exists"] = random.choice((True, False, None))
    if random.random() < 0.1:
        facts["used"] = ["//depot/main/", "//x/\udcff/"]
    return facts


def _depots(random: random.Random) -> dict[str, Any]:
    depots: dict[str, Any] = {}
    for name in random.sample(DEPOTS, random.choice((0, 1, 3, 5, 8))):
        directories = random.sample(DIRECTORIES, random.choice((0, 1, 3, 6)))
        depots[name] = {"type": random.choice(TYPES), "directories": directories}
        if random.random() < 0.15:
            depots[name] |= {"directories": None, "count": random.randint(0, 9_999)}
    return depots


def _depot(random: random.Random) -> dict[str, Any]:
    name = random.choice((*DEPOTS, *CLIENTS))
    rows = [f"Depot:\t{name}", "Owner:\tann"]
    if random.random() < 0.8:
        rows.append(f"Type:\t{random.choice(TYPES)} {random.choice(('', '', 'x'))}")
    return _saved(random, "depot", name, rows)


def _client(random: random.Random) -> dict[str, Any]:
    name = random.choice(CLIENTS[:5] if random.random() < 0.9 else CLIENTS)
    return _saved(random, "client", name, _client_rows(random, name))


def _client_shown(random: random.Random) -> dict[str, Any]:
    return _client(random) | {"event": "form-out"}


def _client_rows(random: random.Random, name: str) -> list[str]:
    rows = [
        "Update:\t2026/01/01 10:00:00",
        "Access:\t2026/02/01 10:00:00",
        f"Host:\t{random.choice(HOSTS)}",
        f"Options:\t{random.choice(OPTIONS if random.random() < 0.97 else ODD_OPTIONS)}",
        f"options:\t{random.choice(OPTIONS)}",
        f"SubmitOptions:\t{random.choice(('submitunchanged', 'LeaveUnchanged', '', 'x'))}",
        f"LineEnd:\t{random.choice(('local', 'Unix', 'win', ''))}",
        f"Type:\t{random.choice(('writeable', 'ReadOnly', 'partitioned', '', 'été'))}",
        "Description:\n\tCreated by ann.",
        "View:\n\t//depot/main/... //ws/...",
    ]
    kept = [row for row in rows if random.random() < 0.5]
    random.shuffle(kept)
    return [f"Client:\t{name}", *kept]


def _saved(random: random.Random, form_type: str, name: str, rows: list[str]) -> dict[str, Any]:
    text = random.choice(("\n", "\n\n", "\n", "\r\n")).join([*rows, ""])
    if random.random() < 0.1:
        text = _mutated(random, text)
    form = None if random.random() < 0.03 else text
    return {"event": "form-save", "type": form_type, "name": name, "form": form}


def _other(random: random.Random) -> dict[str, Any]:
    form_type = random.choice(("branch", "label", "stream", "depot", "client", "user", None))
    event = _saved(random, "client", "x", ["Branch:\tx", "View:\n\t//depot/... //x/..."])
    return event | {"event": random.choice(("form-save", "form-out")), "type": form_type}


def _submit(random: random.Random) -> dict[str, Any]:
    change = random.choice(("12", 740, "", None, "1x", "default", "\udcff"))
    if random.random() < 0.03:
        return {"event": "change-submit", "change": change}
    used = random.sample(DEPOTS, random.choice((1, 1, 2, 3)))
    files = [
        {"path": _path(random, random.choice(used)), "action": random.choice(ACTIONS)}
        for _ in range(random.choice((0, 1, 3, 8, 150)))
    ]
    return {"event": "change-submit", "change": change, "files": files}


def _path(random: random.Random, depot: str) -> str:
    # Beside common names, so many that a depot's limit is exceeded more than MAX_FINDINGS times.
    top = f"new-{random.randrange(400)}" if random.random() < 0.3 else random.choice(DIRECTORIES)
    return random.choice((f"//{depot}/{top}/a.c", f"//{depot}/{top}/b/c.d", f"//{depot}/{top}"))


def _mutated(random: random.Random, text: str) -> str:
    for _ in range(random.randint(1, 3)):
        at, size = random.randrange(len(text) + 1), random.choice((0, 1, 1, 2, 8))
        piece = random.choice((random.choice(FRAGMENTS), "", text[at : at + size]))
        text = text[:at] + piece + text[at + random.choice((0, size)) :]
    return text
