"""Tests of `p4 unload` and `p4 reload` in the sandbox; the texts are Perforce's (msgs/)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from P4 import P4Exception

if TYPE_CHECKING:
    from P4 import P4

    from p4warden_sandbox import Sandbox
    from support.servers import ClientFactory


@pytest.fixture
def admin(sandbox: Sandbox, connect: ClientFactory) -> P4:
    p4 = connect(sandbox, user=sandbox.super_user)
    view = ["//depot/main/... //old/..."]
    for name, options in (("old", "unlocked"), ("shut", "locked")):
        lines = [line.replace("//old/", f"//{name}/") for line in view]
        p4.save_client(
            {"Client": name, "Owner": "ann", "Root": "/w", "Options": options, "View": lines}
        )
    return p4


def add_unload_depot(p4: P4) -> None:
    p4.save_depot({"Depot": "unload", "Type": "unload", "Map": "unload/..."})


def test_clients_are_unloaded_and_reloaded(admin: P4) -> None:
    add_unload_depot(admin)
    names = {row["client"] for row in admin.run("clients")}
    with admin.while_tagged(t=False):
        assert admin.run("unload", "-f", "-c", "old") == ["Client old unloaded."]
        assert admin.run("unload", "-f", "-L", "-c", "shut") == ["Client shut unloaded."]
    assert names - {row["client"] for row in admin.run("clients")} == {"old", "shut"}
    admin.run("reload", "-f", "-c", "old")
    assert admin.fetch_client("old")["Owner"] == "ann"


def test_clients_of_a_date_are_unloaded_together(admin: P4) -> None:
    add_unload_depot(admin)
    assert admin.run("unload", "-f", "-L", "-ac", "-d", "2001/01/31") == []
    admin.run("unload", "-f", "-L", "-ac", "-d", "2037/01/31")
    assert admin.run("clients") == []


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("-f", "-c", "none"), "Client 'none' doesn't exist."),
        (("-f", "-ac"), "Usage: unload"),
    ],
)
def test_refusals_have_the_texts_of_p4d(admin: P4, words: tuple[str, ...], message: str) -> None:
    with pytest.raises(P4Exception, match="No unload depot has been defined"):
        admin.run("unload", *words)
    add_unload_depot(admin)
    with pytest.raises(P4Exception) as error:
        admin.run("unload", *words)
    assert message in str(error.value)
