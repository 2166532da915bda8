"""Tests of the ways in which a client gets a view: the table in docs/security.md names them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from P4 import P4, P4Exception

from p4warden.home import trusted_files
from p4warden.home.trusted_files import INDEX
from p4warden_sandbox import Sandbox
from support.small_index import small_index

if TYPE_CHECKING:
    from pathlib import Path

    from support.servers import ClientFactory, Server
    from support.warden import Warden

pytestmark = pytest.mark.touches("missing-view", "stream-switch", "form-save-text")

POLICY = """\
version: 1
contact: "admins@example.com"
on_error: deny
exemptions:
  - {groups: [build-farm], reason: builds, owner: ci}
rules:
  - {name: no-whole-depot, rule: limit_view_scope, mode: enforce}
"""
WIDE = ["//depot/... //wide/..."]
NARROW = ["//depot/main/... //ws/..."]


@pytest.fixture
def p4(server: Server, warden: Warden, connect: ClientFactory) -> P4:
    """Return a user's connection; an exempt account has saved the client `wide`."""
    warden.install(POLICY)
    build = connect(server, user="build")
    build.save_client({**build.fetch_client("wide"), "View": WIDE})
    return connect(server)


def test_a_client_from_a_wide_template_is_refused(p4: P4) -> None:
    form = p4.fetch_client("-t", "wide", "ws")
    assert form["View"] == ["//depot/... //ws/..."]
    with pytest.raises(P4Exception, match="no-whole-depot"):
        p4.save_client(form)


def test_an_existing_client_keeps_a_wide_template_only_where_p4d_starts_no_trigger(
    server: Server, p4: P4
) -> None:
    p4.save_client({**p4.fetch_client(), "View": NARROW})
    p4.exception_level = 0
    p4.run("client", "-s", "-t", "wide")
    errors = p4.errors
    assert ["no-whole-depot" in error for error in errors] in ([], [True])
    assert p4.fetch_client()["View"] == (NARROW if errors else ["//depot/... //ws/..."])
    if isinstance(server, Sandbox):
        assert bool(errors) == server.settings.behaves("stream-switch", "fires")


def test_an_empty_view_of_a_client_in_the_index_maps_nothing(
    server: Server, warden: Warden, p4: P4, tmp_path: Path
) -> None:
    index = small_index(tmp_path, {"//depot/main": 1}, {"ws": NARROW})
    trusted_files.replace(str(warden.home), INDEX, index.read_bytes())
    p4.save_client({**p4.fetch_client(), "View": NARROW})
    empty = "Client:\tws\n\nRoot:\t/ws\n\nView:\n"
    p4.exception_level = 0
    p4.save_client(empty)
    # In a text that p4d makes anew, the trigger cannot tell an empty View from none.
    is_refused = any("no-whole-depot" in error for error in p4.errors)
    if isinstance(server, Sandbox):
        assert is_refused == server.settings.behaves("form-save-text", "regenerated")
    assert p4.fetch_client().get("View") == (NARROW if is_refused else None)
    p4.save_client(empty.replace("ws", "new-ws"))
    assert "no-whole-depot" in p4.errors[0]


def test_an_empty_view_of_a_client_that_is_made_anew_is_refused(
    warden: Warden, p4: P4, tmp_path: Path
) -> None:
    index = small_index(tmp_path, {"//depot/main": 1}, {"ws": NARROW})
    trusted_files.replace(str(warden.home), INDEX, index.read_bytes())
    p4.save_client({**p4.fetch_client(), "View": NARROW})
    p4.run("client", "-d", "ws")
    with pytest.raises(P4Exception, match="no-whole-depot"):
        p4.save_client("Client:\tws\n\nRoot:\t/ws\n\nView:\n")


@pytest.mark.parametrize("view", [[], WIDE])
def test_a_client_of_a_stream_is_saved_whatever_view_its_form_has(p4: P4, view: list[str]) -> None:
    form = {"Client": "ws", "Root": "/ws", "Stream": "//streams/main", "View": view}
    assert p4.save_client(form) == ["Client ws saved."]
    assert p4.run("switch", "//streams/dev")


def test_a_stream_that_imports_a_whole_depot_is_refused(p4: P4) -> None:
    form = p4.fetch_stream("//streams/dev")
    with pytest.raises(P4Exception, match="no-whole-depot"):
        p4.save_stream({**form, "Paths": ["share ...", "import all/... //depot/..."]})
