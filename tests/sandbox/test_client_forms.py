"""Client workspaces as a developer handles them, and the triggers that watch."""

import pytest
from P4 import P4Exception

from support.servers import Connect, Server


def test_a_new_client_maps_every_depot_whole(server: Server, connect: Connect) -> None:
    spec = connect(server, client="fresh").fetch_client()

    assert spec["View"] == [
        "//depot/... //fresh/depot/...",
        "//streams/... //fresh/streams/...",
        "//thirdparty/... //fresh/thirdparty/...",
    ]
    assert "Access" not in spec


def test_a_client_is_saved_once_and_then_unchanged(server: Server, connect: Connect) -> None:
    p4 = connect(server, client="ann-ws")
    spec = p4.fetch_client()

    assert p4.save_client(spec) == ["Client ann-ws saved."]
    assert p4.save_client(spec) == ["Client ann-ws not changed."]


def test_a_refused_form_save_leaves_no_client(server: Server, connect: Connect) -> None:
    admin = connect(server, server.super_user)
    admin.save_triggers({"Triggers": ['no-ws form-save client "fail not %formname% today"']})
    p4 = connect(server, client="ann-ws")
    spec = p4.fetch_client()

    with pytest.raises(P4Exception) as refusal:
        p4.save_client(spec)

    assert refusal.value.errors == [
        "Error in client specification.\n'no-ws' validation failed: not ann-ws today"
    ]
    assert p4.run("clients", "-e", "ann-ws") == []
