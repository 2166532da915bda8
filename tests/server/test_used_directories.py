"""Tests of refused `p4 client` saves: messages propose directories that the user has synced."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from P4 import P4Exception

from p4warden.home import trusted_files
from p4warden.home.trusted_files import INDEX
from support.small_index import small_index

if TYPE_CHECKING:
    from pathlib import Path

    from support.servers import ClientFactory, Server
    from support.warden import Warden

pytestmark = [pytest.mark.touches("form-save-text", "form-file-mode", "form-fields", "saves")]

POLICY = """\
version: 1
contact: "admins@example.com"
rules:
  - {name: no-whole-depot, rule: limit_view_scope, mode: enforce}
"""


def proposed(server: Server, connect: ClientFactory, client: str) -> list[str]:
    """Try to save a client of a whole depot; return the view lines that the refusal proposes."""
    p4 = connect(server, client=client)
    with pytest.raises(P4Exception, match="no-whole-depot") as error:
        p4.save_client({**p4.fetch_client(), "View": [f"//depot/... //{client}/..."]})
    return [line.strip() for line in str(error.value).splitlines() if line.startswith("  ")]


def test_directories_synced_by_clients_of_the_user_are_proposed(
    server: Server, warden: Warden, connect: ClientFactory, tmp_path: Path
) -> None:
    warden.install(POLICY)
    as_ever = proposed(server, connect, "ws")
    server_files = {"//depot/main/lib": 30, "//depot/rel/1.0": 40, "//depot/zoo": 5}
    clients = {"ws": ["//depot/... //ws/..."], "mine": ["//depot/... //mine/..."]}
    have_counts = {"//ws/rel/1.0": 3, "//mine/main/lib": 9}
    index = small_index(tmp_path, server_files, clients, have_counts=have_counts)
    trusted_files.replace(str(warden.home), INDEX, index.read_bytes())
    own, users = "//depot/rel/... //{}/rel/...", "//depot/main/... //{}/main/..."
    assert proposed(server, connect, "ws") == sorted([own.format("ws"), users.format("ws")])
    assert proposed(server, connect, "fresh") == [users.format("fresh"), own.format("fresh")]
    p4 = connect(server, client="fresh")
    (line,) = [own.format("fresh")]
    assert p4.save_client({**p4.fetch_client(), "View": [line]}) == ["Client fresh saved."]
    trusted_files.replace(str(warden.home), INDEX, index.read_bytes()[:-50])
    assert proposed(server, connect, "ws") == as_ever
