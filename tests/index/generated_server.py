"""Generate a small server with content that is hard to count, for tests of the index.

The server is written as a checkpoint and a journal. It has, for example, names with common
beginnings, revisions that are replaced and deleted, and values with line ends and doubled `@`.
"""

from __future__ import annotations

import random
from typing import NamedTuple

NAMES = "src lib libs lib-old Main main docs a%40b caf\u00e9 x_y Z".split()
END = b"@nx@ 1 1573645381 @41@ 0 0 0 0 0 @@ @@ @@ @@ @@ \n@ex@ 1 1573645381\n"


class GeneratedServer(NamedTuple):
    """The text of a generated checkpoint, and of the journal after it."""

    checkpoint: bytes
    journal: bytes


def generated_server(
    seed: int, *, folds: bool, twice: bool = False, files: int = 6000
) -> GeneratedServer:
    """Return the checkpoint and journal of a generated server with `files` files at first.

    Tables are sorted without case if `folds`. With `twice` some checkpoint records occur twice.
    The same arguments give the same server.
    """
    rnd = random.Random(seed)  # noqa: S311 - reproducible test data
    paths = _paths(rnd, files, folds=folds)
    counts = {path: 1 + int(rnd.random() ** 3 * 12) for path in paths}
    deletions = {path for path in paths if rnd.random() < 0.1}
    tables = [
        *_domains(folds=folds),
        *_views(rnd, paths, folds=folds),
        *(
            f"@pv@ 3 @db.have@ @//ws{n % 9}/{path[2:]}@ @{path}@ 1 0 1 \n"
            for n, path in _have_rows(paths)
        ),
        *(_rev("rev", path, rev) for path in paths for rev in range(counts[path], 0, -1)),
        *(_rev("revdx", path, counts[path]) for path in paths if path in deletions),
        *(_rev("revhx", path, counts[path]) for path in paths if path not in deletions),
    ]
    if twice:
        tables = [line for n, line in enumerate(tables) for _ in range(1 + (n % 5 == 0))]
    start = "@nx@ 0 1573645381 @41@ 1 0 0 0 0 @/root@ @journal@ @@ @@ @@ \n"
    depot = "@pv@ 1 @db.depot@ @depot@ 0 @@ @depot/...@ \n@pv@ 1 @db.counters@ @change@ @77@ \n"
    text = "".join([start, depot, *tables]).encode() + END
    journal = "".join(_later(rnd, paths, counts, deletions, folds=folds))
    return GeneratedServer(text, journal.encode())


def _order(text: str, *, folds: bool) -> bytes:
    return text.encode().lower() if folds else text.encode()


def _upper(text: str) -> str:
    return text.encode().upper().decode()


def _paths(rnd: random.Random, files: int, *, folds: bool) -> list[str]:
    results: dict[bytes, str] = {}
    while len(results) < files:
        depth = int(rnd.random() ** 2 * 5)
        folder = "/".join(rnd.choice(NAMES) for _ in range(depth))
        name = f"{rnd.choice(NAMES)}{int(rnd.random() ** 2 * files)}.c"
        path = f"//depot{rnd.choice(['', '2'])}/{folder}/{name}".replace("//", "/").replace(
            "/", "//", 1
        )
        results[_order(path, folds=folds)] = path
    return [results[key] for key in sorted(results)]


def _rev(table: str, path: str, rev: int, operation: str = "pv") -> str:
    return f"@{operation}@ 9 @db.{table}@ @{path}@ {rev} 0 1 9 9 9 00 1 0 0 @{path}@ @1.1@ 0 \n"


def _domains(*, folds: bool) -> list[str]:
    options = {5: 0x10000, 6: 0x110000}
    rows = {
        f"{'WS' if n % 2 else 'ws'}{n}": (
            f"@h@ @/home/{n}@ @@ @@ @ann@ 1 1 {options.get(n, 0)} "
            f"@See a@@b:\n@@pv@@ 9 @@db.rev@@ @@//x@@\n@ @@ @{'edge' if n == 7 else ''}@ 0 \n"
        )
        for n in range(60)
    }
    return [
        f"@pv@ 6 @db.domain@ @{name}@ 99 {rows[name]}"
        for name in sorted(rows, key=lambda name: _order(name, folds=folds))
    ]


def _views(rnd: random.Random, paths: list[str], *, folds: bool) -> list[str]:
    lines = []
    for number in sorted(
        range(60), key=lambda n: _order(f"{'WS' if n % 2 else 'ws'}{n}", folds=folds)
    ):
        name = f"{'WS' if number % 2 else 'ws'}{number}"
        for seq in range(int(rnd.random() * 9)):
            path = rnd.choice(paths)
            folder = path.rpartition("/")[0]
            end = rnd.choice(["...", "*", "lib*", "*/...", ".../x/...", "lib...", "%%1", ""])
            depot_path = f"{folder}/{end}" if end else path
            depot_path = depot_path.upper() if folds and rnd.random() < 0.3 else depot_path
            flag = rnd.choice([0, 0, 0, 0, 1, 2, 3, 5])
            lines.append(
                f"@pv@ 1 @db.view@ @{name}@ {seq} {flag} @//{name}/{seq}/...@ @{depot_path}@ \n"
            )
    return lines


def _have_rows(paths: list[str]) -> list[tuple[int, str]]:
    return [(n, path) for n in (0, 5, 8) for path in paths[:: 7 + n]]


def _later(
    rnd: random.Random,
    paths: list[str],
    counts: dict[str, int],
    deletions: set[str],
    *,
    folds: bool,
) -> list[str]:
    lines = []
    for path in rnd.sample(paths, len(paths) // 4):
        rev, head = counts[path], "revdx" if path in deletions else "revhx"
        file = _upper(path) if folds and rnd.random() < 0.5 else path
        draw = rnd.random()
        if draw < 0.4:
            lines += [_rev("rev", file, rev + 1), _rev(head, file, rev, "dv")]
            lines.append(_rev("revhx", file, rev + 1))
        elif draw < 0.6:
            lines += [_rev("rev", file, rev, "rv"), _rev(head, file, rev, "rv")]
        elif draw < 0.8:
            lines.append(_rev(head, file, rev, "dv"))
            lines += [_rev("rev", file, number, "dv") for number in range(rev, 0, -1)]
        else:
            lines += [_rev("rev", f"{path}.new", 1), _rev("revhx", f"{path}.new", 1)]
            lines.append(f"@vv@ 9 @db.rev@ @{path}@ {rev} 0 \n@mx@ 1 2\n")
        lines.append("@ex@ 27916 1573649999\n")
    lines.append("@dv@ 1 @db.view@ @ws2@ 0 0 @//ws2/0/...@ @//depot/...@ \n")
    lines.append("@rv@ 1 @db.view@ @ws4@ 0 0 @//ws4/...@ @//depot/...@ \n")
    return lines
