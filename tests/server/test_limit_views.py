"""Tests that the LimitView proposed to a client of a stream is accepted, and keeps its files."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest
from P4 import P4Exception

from p4warden.home import trusted_files
from p4warden.home.trusted_files import INDEX
from p4warden_sandbox import Sandbox, ServerVersion, Settings
from support.small_index import small_index
from support.warden import Warden
from support.whole_checkpoint import whole

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from P4 import P4

    from support.servers import ClientFactory

POLICY = """\
version: 1
contact: "admins@example.com"
on_error: deny
rules:
  - {name: narrow, rule: limit_view_scope, mode: enforce, max_files: 9}
"""
SYNCS = "limit_scanned_rows, mode: enforce, commands: [sync], max_files: 2000"
MAIN = "//streams/main"
LINES = [f"{MAIN}/lib/src/net/...", f"{MAIN}/src/..."]
REFUSED = {
    "type": "client",
    "name": "ws",
    "owner": "ann",
    "verdict": "refuse",
    "rule": "narrow",
    "detail": "The view covers about 900 files",
}


@pytest.fixture(params=["2025.2"])
def site(
    request: pytest.FixtureRequest, tmp_path: Path, connect: ClientFactory
) -> Iterator[tuple[P4, Warden]]:
    """Fixture: a server whose client `ws` of a stream has some of the stream's files."""
    with Sandbox(Settings(server_version=ServerVersion.of(request.param))) as server:
        p4 = connect(server, client="ws")
        p4.save_client({**p4.fetch_client("-S", MAIN, "ws"), "Root": str(tmp_path / "ws")})
        for place in ("lib", "docs", "more"):
            p4.run("populate", "-d", "more", "//depot/main/...", f"{MAIN}/{place}/...")
        p4.run("sync", *LINES)
        warden = Warden(server, tmp_path, connect)
        warden.install(POLICY)
        yield p4, warden


def checkpoint(p4: P4, folder: Path) -> str:
    """Write the client and the files of the stream as a checkpoint; return its path."""
    records = [f"@pv@ 6 @db.domain@ @ws@ 99 @@ @/w@ @@ @@ @ann@ 1 1 0 @@ @{MAIN}@ @@ 0 "]
    for number, line in enumerate(p4.fetch_client("ws")["View"]):
        depot, place = line.split(" ")
        records.append(f"@pv@ 1 @db.view@ @ws@ {number} 0 @{place}@ @{depot}@ ")
    has = p4.run("have")
    records += [
        f"@pv@ 3 @db.have@ @{one['clientFile']}@ @{one['depotFile']}@ 1 0 0 " for one in has
    ]
    names = [row["depotFile"] for row in p4.run("files", f"{MAIN}/...")]
    records += [f"@pv@ 9 @db.revhx@ @{name}@ 1 0 0 1 1 1 00 1 " for name in names]
    file = folder / "checkpoint"
    file.write_text(whole("\n".join([*records, ""])))
    return str(file)


def pasted(p4: P4, lines: list[str]) -> list[str]:
    """Save the lines as the LimitView; return the files that the client maps then."""
    p4.save_client({**p4.fetch_client("ws"), "LimitView": lines})
    mapped = sorted(row["depotFile"] for row in p4.run("fstat", "//ws/..."))
    with p4.at_exception_level(p4.RAISE_ERROR):
        assert p4.run("sync", "-n") == []
    p4.save_client({**p4.fetch_client("ws"), "LimitView": []})
    return mapped


def indented(text: str, heading: str, indent: str) -> list[str]:
    """Return the lines after a heading that begin with an indent."""
    _, _, rest = text.partition(heading)
    lines = rest.split("\n")[1:]
    end = next(number for number, line in enumerate(lines) if not line.startswith(indent))
    return [line.removeprefix(indent) for line in lines[:end]]


LIVE = "rightsize", "--client", "ws", "--max-files", "9", "--max-per-second", "5000"


def test_the_limit_view_that_rightsize_and_a_letter_propose_is_accepted(
    site: tuple[P4, Warden], tmp_path: Path
) -> None:
    p4, warden = site
    assert indented(warden.must(*LIVE), "\nLimitView:", "\t") == LINES
    offline = warden.must(*LIVE[:5], "--checkpoint", checkpoint(p4, tmp_path), "--json")
    row = next(line for line in offline.splitlines() if line.startswith("{"))
    assert json.loads(row)["proposal"] == {"files": 2, "limit_view": LINES}

    files = {"census": json.dumps(REFUSED), "rightsize": row, "addresses": "ann,ann@example.com"}
    for name, text in files.items():
        (tmp_path / name).write_text(f"{text}\n")
    options = [f"--{name}={tmp_path / name}" for name in files]
    options += ["--deadline=2027-03-31", "--domain=example.com"]
    letter = warden.must("notify-owners", *options, "--contact=admins")
    heading = "  Write in its LimitView (p4 client ws), in place of lines that are there:"
    assert indented(letter, heading, "    ") == LINES

    had = sorted(row["depotFile"] for row in p4.run("have"))
    assert pasted(p4, LINES) == had


def test_an_audit_proposes_a_limit_view_if_facts_tell_that_the_server_has_it(
    site: tuple[P4, Warden], tmp_path: Path
) -> None:
    p4, warden = site
    words = "audit", checkpoint(p4, tmp_path), "--json", "--max-files", "9"
    [without], [row] = (
        json.loads(report.splitlines()[-1])["tables"]["expensive"]["rows"]
        for report in (
            warden.must(*words, home=False),
            warden.must(*words, f"--facts={warden.home / 'facts.json'}", home=False),
        )
    )
    reason = "its view comes from stream //streams/main; narrow the stream's Paths"
    assert (without["proposal_view"], without["reason"]) == ([], reason)
    assert (row["proposal_view"], row["reason"]) == (["LimitView:", *LINES], None)
    assert (row["files"], row["proposal_files"]) == (13, 2)
    assert len(pasted(p4, row["proposal_view"][1:])) == 2


def test_a_limit_view_that_is_there_is_left_to_its_owner(site: tuple[P4, Warden]) -> None:
    p4, warden = site
    p4.save_client({**p4.fetch_client("ws"), "LimitView": [f"{MAIN}/..."]})
    of_stream = "its view comes from stream //streams/main"
    assert f"no proposal: {of_stream}, and it has a LimitView: narrow that" in warden.must(*LIVE)


@pytest.mark.parametrize("site", ["2025.1"], indirect=True)
def test_a_release_without_the_field_gets_no_limit_view(
    site: tuple[P4, Warden], tmp_path: Path
) -> None:
    p4, warden = site
    reason = "its view comes from stream //streams/main; narrow the stream's Paths"
    assert f"no proposal: {reason}" in warden.must(*LIVE)
    assert reason in warden.must(*LIVE, "--checkpoint", checkpoint(p4, tmp_path))


def test_the_sync_that_a_refusal_proposes_and_its_limit_view_are_accepted(
    site: tuple[P4, Warden], tmp_path: Path
) -> None:
    """By an index with more files than the server has, which the rule counts."""
    p4, warden = site
    index = small_index(
        tmp_path,
        {f"{MAIN}/docs": 3_000, f"{MAIN}/src": 600},
        {"ws": [f"{MAIN}/... //ws/..."]},
        streams={"ws": MAIN},
    )
    trusted_files.replace(str(warden.home), INDEX, index.read_bytes())
    warden.activate(POLICY.replace("limit_view_scope, mode: enforce, max_files: 9", SYNCS))
    warden.must("deploy", "plan", code=1)
    warden.must("deploy", "apply", "--no-verify")
    p4.disconnect()
    p4.connect()
    with pytest.raises(P4Exception) as error:
        p4.run("sync")
    text = str(error.value)
    assert "files: p4 sync //ws/src/...\n" in text
    with p4.at_exception_level(p4.RAISE_ERROR):
        assert p4.run("sync", "//ws/src/...") == []
    [limit] = re.findall(r"in the LimitView of your client, such as (//\S+) \(the next sync", text)
    p4.save_client({**p4.fetch_client("ws"), "LimitView": [limit]})
    with p4.at_exception_level(p4.RAISE_ERROR):
        p4.run("sync")
        assert [row["depotFile"] for row in p4.run("fstat", "//ws/...")] == [f"{MAIN}/src/app.c"]
