"""Random views and long paths in forms and submits, facts about depots, and rules about them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

    Settings = Callable[[random.Random], dict[str, Any]]

FIELDS = {"client": "View", "branch": "View", "label": "View", "stream": "Paths"}
NAMES = (
    *("a", "b", "c", "ab", "abc", "B", "my docs", "é", "É", "DIRECTORY", "SHORT", "DEPOT"),
    *("a.b", "%40", "$x", "x" * 20, "\udcff", "日本"),
)
DEPOTS = ("a", "a", "a", "b", "*", "...", "DEPOT", "A", "a*", "é", "c", "%%1", "b...")
WILDCARDS = ("*", "...", "%%1", "a...", "a*", "*.c", "....c", "%%0%%1", "b*c")
ODD_NAMES = ("a", "", ".", "*", "......", "..", "\t")
FLAGS = ("", "", "", "-", "+", "&")
OTHER_FIELDS = ("", "", "Client:\tws\n", "Stream:\t//a/s\n", "Parent:\t//a/p\n")
ACTIONS = ("add", "add", "branch", "move/add", "edit")


def event(random: random.Random) -> dict[str, Any]:
    roll = random.random()
    if roll < 0.1:
        return _submit(random) | {"facts": _facts(random)}
    if roll < 0.15:
        text, name = f"Depot:\tx\nMap:\t{_path(random)}\n", "n" * random.randint(1, 40)
        return _form("form-save", "depot", name, text) | {"facts": _facts(random)}
    form_type = random.choice(tuple(FIELDS))
    lines = "".join(f"\t{_line(random, form_type)}\n" for _ in range(random.randint(0, 6)))
    if form_type == "stream" and random.random() < 0.2:
        lines += f"Components:\n\treadonly lib //a{random.choice(('', '/lib', '/x@5'))}\n"
    text = f"{random.choice(OTHER_FIELDS)}{FIELDS[form_type]}:\n{lines}"
    names = ("//a/ws",) if form_type == "stream" else ("ws", "ws", "é ws", None)
    kind = "form-out" if form_type == "client" and random.random() < 0.4 else "form-save"
    return _form(kind, form_type, random.choice(names), text) | {"facts": _facts(random)}


def _form(kind: str, form_type: str, name: str | None, text: str) -> dict[str, Any]:
    return {"event": kind, "type": form_type, "name": name, "form": text}


def _submit(random: random.Random) -> dict[str, Any]:
    paths = (_path(random) for _ in range(random.randint(0, 3)))
    files = [{"action": random.choice(ACTIONS), "path": _of_file(path)} for path in paths]
    return {"event": "change-submit", "change": random.choice(("12", "x")), "files": files}


def _of_file(path: str) -> str:
    """Return a path without wildcards, which no file's path has."""
    return path.replace("*", "q").replace("...", "q.q")


def _line(random: random.Random, form_type: str) -> str:
    path, flag = _path(random), random.choice(FLAGS)
    tail = path[2:].partition("/")[2]
    side = random.choice((tail, path[2:], f"c/{tail}", "...", "c/..."))
    kind = random.choice(("import", "import", "share", "Import+", "exclude", "isolate"))
    words = {
        "client": [f"{flag}{path}", f"//ws/{side}"],
        "branch": [f"{flag}{path}", random.choice((f"//b/{side}", _path(random), f"//{side}"))],
        "label": [f"{flag}{path}"],
        "stream": [kind, side, f"{path}{random.choice(('', '', '@5'))}"],
    }[form_type]
    if random.random() < 0.03:
        words = random.choice((words[:-1], [*words, "x"]))
    return " ".join(f'"{word}"' if random.random() < 0.95 else word for word in words)


def _path(random: random.Random) -> str:
    return f"//{random.choice(DEPOTS)}/{_tail(random)}"


def _tail(random: random.Random) -> str:
    roll = random.random()
    if roll < 0.3:
        return "..."
    if roll < 0.87:
        kinds = (NAMES, NAMES, WILDCARDS)
        return "/".join(
            random.choice(random.choice(kinds)) for _ in range(random.choice((1, 1, 2, 3, 4)))
        )
    return "/".join(random.choice(ODD_NAMES) for _ in range(random.randint(0, 3)))


def _facts(random: random.Random) -> dict[str, Any]:
    names = [name for name in ("a", "b", "ab", "DEPOT", "é") if random.random() < 0.5]
    facts: dict[str, Any] = {"depots": {name: _depot(random) for name in names}}
    facts["case_sensitive"] = random.random() < 0.5
    facts["unicode"] = random.random() < 0.5
    if random.random() < 0.5:
        facts["used"] = [_directory(random) for _ in range(random.choice((1, 2, 5)))]
    if random.random() < 0.3:
        facts["view"] = _spanned(random)
    return facts


def _depot(random: random.Random) -> dict[str, Any]:
    kind = random.choice(("local", "stream", "remote", "graph", "spec"))
    if random.random() < 0.2:
        return {"type": kind, "directories": None, "count": random.choice((0, 1, 5000))}
    return {"type": kind, "directories": random.sample(NAMES, random.choice((0, 1, 1, 2, 5, 9)))}


def _directory(random: random.Random) -> str:
    names = (random.choice((*NAMES, "*")) for _ in range(random.randint(1, 4)))
    return f"//{random.choice(('a', 'b', 'A'))}/{'/'.join(names)}/"


def _spanned(random: random.Random) -> dict[str, Any]:
    def wide() -> dict[str, Any]:
        narrower = [[_directory(random), 5] for _ in range(random.choice((0, 1, 3)))]
        files = random.choice((700, 12_345))
        return {"line": random.randint(0, 4), "files": files, "narrower": narrower}

    return {
        "files": random.choice((10, 700, 12_345_678)),
        "wide": [wide() for _ in range(random.choice((0, 1, 3)))],
    }


def _view_scope(random: random.Random) -> dict[str, Any]:
    settings: dict[str, Any] = {"forms": [*FIELDS], "min_depth": random.randint(0, 3)}
    if random.random() < 0.4:
        settings["depots"] = {name: random.randint(0, 3) for name in random.sample("abé", 2)}
    if random.random() < 0.3:
        settings["max_share"] = random.choice((0.1, 0.3333, 0.5, 0.8, 1.0))
        settings["min_directories"] = random.randint(1, 4)
    if random.random() < 0.3:
        settings["max_lines"] = random.randint(1, 9)
    if random.random() < 0.3:
        settings["max_embedded"] = random.randint(0, 3)
    if random.random() < 0.3:
        settings["max_files"] = random.choice((1, 500, 1_000_000))
    return settings


def _path_length(random: random.Random) -> dict[str, Any]:
    settings: dict[str, Any] = {"max_leading": random.randint(10, 40)}
    if random.random() < 0.3:
        settings["depots"] = {random.choice("abé"): random.randint(10, 40)}
    if random.random() < 0.3:
        settings["max_client_leading"] = random.randint(10, 30)
    if random.random() < 0.2:
        settings["submits"] = False
    return settings


def _client_view(random: random.Random) -> dict[str, Any]:
    own = {"groups": ["dev*"], "view": ['"//a/my docs/..." "//CLIENT/q/..."']}
    views = random.choice(([], [], [own], [own, {"view": ["//a/x/... //CLIENT/x/..."]}]))
    return {"min_depth": random.randint(1, 3), "views": views}


KINDS: dict[str, Settings] = {
    "limit_view_scope": _view_scope,
    "limit_path_length": _path_length,
    "suggest_client_view": _client_view,
}
