"""Tests of `p4warden rightsize`, which proposes narrower views for clients with wide ones.

The input is a running server or its checkpoint; both must give the same views.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from p4warden.workbench.rightsize.directory_lists import Directories
from support.small_index import small_index
from support.whole_checkpoint import whole

if TYPE_CHECKING:
    from P4 import P4

    from support.servers import ClientFactory, Server
    from support.warden import Warden

PROGRAM = Path(sys.executable).with_name("p4warden-index")
pytestmark = [pytest.mark.touches("table", "unchanged-form", "form-fields")]
FLAGS = {"-": 1, "+": 2, "&": 5}
POLICY = """\
version: 1
contact: "admins@example.com"
rules:
  - {name: deep, rule: limit_view_scope, mode: observe, min_depth: 1}
"""
VIEWS = {
    "whole": ["//depot/... //{}/..."],
    "moved": ["//depot/... //{}/...", "//depot/x/y/... //{}/elsewhere/..."],
    "overlaid": ["//depot/x/... //{}/x/...", "-//depot/x/y/a/src/... //{}/x/y/a/src/..."],
}
HAS = {
    "whole": ["//depot/x/y/a/...", "//depot/main/README"],
    "moved": ["//depot/x/y/...", "//depot/x/z/src/net/..."],
    "overlaid": ["//depot/x/y/...", "//depot/x/z/README"],
}


def client(p4: P4, name: str, root: Path, lines: list[str]) -> None:
    p4.client = name
    form = p4.fetch_client(name)
    p4.save_client(form | {"Root": str(root), "View": [line.format(name) for line in lines]})


@pytest.fixture
def ann(server: Server, connect: ClientFactory, tmp_path: Path) -> P4:
    """Fixture: ann's connection to a server with three wide clients that have synced files."""
    p4 = connect(server)
    for place in ("x/y/a", "x/y/b", "x/z", "other/one", "other/two"):
        p4.run("populate", "-d", "more", "//depot/main/...", f"//depot/{place}/...")
    for name, lines in VIEWS.items():
        client(p4, name, tmp_path / name, lines)
        p4.run("sync", *HAS[name])
    return p4


def checkpoint(p4: P4, folder: Path) -> Path:
    """Write the test server's clients and files as a checkpoint file; return its path."""
    records = []
    for name in VIEWS:
        records.append(f"@pv@ 6 @db.domain@ @{name}@ 99 @@ @/w@ @@ @@ @ann@ 1 1 0 @@ @@ @@ 0 ")
        for number, line in enumerate(p4.fetch_client(name)["View"]):
            depot, place = line.lstrip("-+&").split(" ")
            flag = FLAGS.get(line[0], 0)
            records.append(f"@pv@ 1 @db.view@ @{name}@ {number} {flag} @{place}@ @{depot}@ ")
        p4.client = name
        for row in p4.run("have"):
            paths = f"@{row['clientFile']}@ @{row['depotFile']}@"
            records.append(f"@pv@ 3 @db.have@ {paths} 1 0 0 ")
        for row in p4.run("opened"):
            paths = f"@{row['clientFile']}@ @{row['depotFile']}@"
            records.append(f"@pv@ 10 @db.working@ {paths} @{name}@ @ann@ 1 1 ")
    for row in p4.run("files", "//..."):
        kind = "dx" if row["action"].endswith("delete") else "hx"
        records.append(f"@pv@ 9 @db.rev{kind}@ @{row['depotFile']}@ 1 0 0 1 1 1 00 1 ")
    file = folder / "checkpoint"
    file.write_text(whole("\n".join([*records, ""])))
    return file


def answers(warden: Warden, *words: str | Path) -> tuple[dict[str, Any], str]:
    """Run `p4warden rightsize --json`; return JSON results by client, and other output lines."""
    report = warden.must("rightsize", "--json", *map(str, words)).splitlines()
    results = {one["client"]: one for one in map(json.loads, (x for x in report if x[0] == "{"))}
    return results, "\n".join(x for x in report if x[0] != "{")


@pytest.mark.parametrize(("most", "proposals"), [(1, 0), (8, 1), (9, 3), (12, 3), (100, 3)])
def test_a_server_and_its_checkpoint_give_the_same_proposals(
    ann: P4, warden: Warden, tmp_path: Path, most: int, proposals: int
) -> None:
    warden.prepare(POLICY)
    ann.client = "whole"
    ann.run("edit", "//depot/x/y/a/src/net/...")
    file = checkpoint(ann, tmp_path)
    words = [word for name in VIEWS for word in ("--client", name)]
    words += ["--max-files", str(most)]
    live, notes = answers(warden, *words, "--max-per-second", "5000")
    offline, _ = answers(warden, *words, "--checkpoint", file)
    assert live.keys() == offline.keys() == VIEWS.keys()
    for name in VIEWS:
        keys = "needed", "unused", "moved", "outside", "view"
        assert [live[name][key] for key in keys] == [offline[name][key] for key in keys], name
        # Without an index nobody knows what a proposal from the server saves.
        if not (offline[name]["reason"] or "").startswith("its view is already narrow"):
            assert live[name]["proposal"] == offline[name]["proposal"], name
            assert bool(live[name]["reason"]) == bool(offline[name]["reason"])
    assert sum(bool(one["proposal"]) for one in live.values()) == proposals
    assert "asked the server 3 x have, 3 x opened, " in notes


@pytest.mark.usefixtures("ann")
def test_an_index_gives_the_same_proposal_with_fewer_p4_files_queries(
    warden: Warden, tmp_path: Path
) -> None:
    warden.prepare(POLICY)
    words = "--client", "whole", "--max-files", "10", "--max-per-second", "5000"
    results, notes = answers(warden, *words)
    assert results["whole"]["files"] is None
    assert "files; " in notes
    index = small_index(tmp_path, {"//depot/x": 9_000}, {"whole": ["//depot/... //whole/..."]})
    other_results, other_notes = answers(warden, *words, "--index", index)
    assert other_results["whole"]["proposal"] == results["whole"]["proposal"]
    assert other_results["whole"]["files"] == 9_000
    assert int(other_notes.split(" x files")[0].split()[-1]) < int(
        notes.split(" x files")[0].split()[-1]
    )


def test_keep_used_omits_files_that_were_neither_submitted_nor_synced(
    ann: P4, warden: Warden, tmp_path: Path
) -> None:
    warden.prepare(POLICY)
    ann.client = "whole"
    ann.run("edit", "//depot/main/README")
    (tmp_path / "whole/main/README").write_text("new\n")
    ann.run("submit", "-d", "used")
    log = tmp_path / "log"
    now = time.strftime("%Y/%m/%d %H:%M:%S")
    log.write_text(
        f"Perforce server info:\n\t{now} pid 7 ann@whole 10.0.0.1 [p4/v96] "
        "'user-sync //depot/x/y/a/src/net/...#head'\n"
        f"Perforce server info:\n\t{now} pid 7 completed .1s\n"
    )
    words = "--client", "whole", "--max-files", "5", "--max-per-second", "5000"
    keep_options = "--keep", "used", "--since", "1d"
    (answer,) = answers(warden, *words, *keep_options)[0].values()
    assert answer["proposal"]["view"] == ["//depot/main/... //whole/main/..."]
    assert (answer["needed"], answer["unused"]) == (1, 4)
    assert sorted(answer["leaving"]) == [
        f"//depot/x/y/a/{name}"
        for name in ("README", "src/engine.c", "src/engine.h", "src/net/socket.c")
    ]
    (synced,) = answers(warden, *words, *keep_options, "--log", log)[0].values()
    assert (synced["needed"], synced["unused"]) == (2, 3)
    assert "//depot/x/y/a/src/net/socket.c" not in synced["leaving"]


def test_rightsize_on_a_server_requires_existing_clients_and_a_file_limit(
    ann: P4, warden: Warden
) -> None:
    warden.prepare(POLICY)
    assert "--wide needs a checkpoint" in warden.must("rightsize", "--wide", code=2)
    report = warden.must("rightsize", "--client", "whole", code=1)
    assert (
        "the policy has no limit on the files of a view (client whole); set one with "
        "--max-files N" in report
    )
    report = warden.must("rightsize", "--client", "nobody", "--max-files", "9", code=1)
    assert "the server has no client nobody" in report
    assert ann.run("clients", "-e", "nobody") == []


def test_subdirectories_are_queried_only_below_directories_with_too_many_files() -> None:
    directories = Directories()
    for path in (b"//d/a/b/f", b"//d/a/c/f", b"//d/e/g/h/f", b"//d/e/f"):
        directories.add(path)
    sizes = {b"//d/": 99, b"//d/a/": 5, b"//d/e/": 50, b"//d/e/g/": 2}
    query: list[bytes] = []

    def listed(directory: bytes) -> int:
        query.append(directory)
        return sizes[directory]

    wide = list(directories.incomplete(listed, 9, lambda path: path == b"//d/"))
    assert query == [b"//d/a/", b"//d/e/", b"//d/e/g/"]
    assert wide == [b"//d/", b"//d/e/"]
