"""Tests that the advice for views of stream depots can be followed on a server."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from P4 import P4Exception

from p4warden_sandbox import Sandbox, ServerVersion, Settings
from support.servers import refusal_of_view
from support.warden import Warden

if TYPE_CHECKING:
    from pathlib import Path

    from support.servers import ClientFactory

POLICY = """\
version: 1
contact: "admins@example.com"
on_error: deny
rules:
  - {name: no-whole-depot, rule: limit_view_scope, mode: enforce}
  - {name: proposed-views, rule: suggest_client_view, mode: enforce}
"""
COMMAND = re.compile(r"^  p4 client -S (//\S+) NAME$", re.MULTILINE)
LIMIT = re.compile(r"in the LimitView of that client, such as (//\S+)$", re.MULTILINE)
READING = re.compile(r"^  (//streams/\S+ //\S+)$", re.MULTILINE)


@pytest.mark.parametrize("release", ["2024.2", "2025.2"])
def test_the_proposed_stream_client_and_the_lines_to_read_are_accepted(
    release: str, tmp_path: Path, connect: ClientFactory
) -> None:
    with Sandbox(Settings(server_version=ServerVersion.of(release))) as server:
        warden = Warden(server, tmp_path)
        warden.install(POLICY)
        warden.must("refresh")
        p4 = connect(server)
        text = refusal_of_view(p4, "ws", "//streams/... //ws/...")
        [stream] = COMMAND.findall(text)
        assert {row["Stream"] for row in p4.run("streams", "//streams/...")} >= {stream}
        assert 'p4 streams "//streams/..."' in text

        form = p4.fetch_client("-S", stream, "of-stream")
        p4.save_client({**form, "Root": str(tmp_path / "of-stream")})
        limits = LIMIT.findall(text)
        assert bool(limits) == (release == "2025.2")
        for limit in limits:
            form = p4.fetch_client("of-stream")
            p4.save_client({**form, "LimitView": [limit.replace("DIRECTORY", "src")]})
        lines = READING.findall(text)
        assert "//streams/main/... //ws/main/..." in lines
        p4.save_client({**p4.fetch_client("ws"), "View": lines, "Root": str(tmp_path / "ws")})

        p4.client = "of-stream"
        p4.run("sync")
        p4.run("edit", f"{stream}/src/app.c")
        assert "submittedChange" in p4.run("submit", "-d", "from the stream's client")[-1]

        p4.client = "ws"
        p4.run("sync")
        p4.run("edit", "//streams/dev/src/app.c")
        with pytest.raises(P4Exception):
            p4.run("submit", "-d", "from a classic client")


def test_the_form_of_a_new_client_says_how_to_change_files_of_streams(
    tmp_path: Path, connect: ClientFactory
) -> None:
    with Sandbox() as server:
        warden = Warden(server, tmp_path)
        warden.install(POLICY)
        warden.must("refresh")
        p4 = connect(server, client="new")
        with p4.while_tagged(t=False):
            form = "\n".join(p4.run("client", "-o"))
    note = (
        "# Lines for //streams are only to read its files. To change them, make a client of the "
    )
    assert f"{note}stream: p4 client -S //streams/main NAME" in form
