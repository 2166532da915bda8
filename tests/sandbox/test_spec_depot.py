"""Tests of the sandbox's spec depot, in which saved forms become file revisions."""

import contextlib
import secrets

import pytest
from P4 import P4, P4Exception

from support.servers import ClientFactory, Server

TABLE = ["one form-save client pass"]

SECRET = secrets.token_urlsafe(9)


@pytest.fixture
def admin(server: Server, connect: ClientFactory) -> P4:
    p4 = connect(server, server.super_user, charset="none")
    p4.save_depot(p4.fetch_depot("-t", "spec", "spec"))
    return p4


def content(p4: P4, file: str) -> str:
    _, text = p4.run("print", file)
    return str(text)


def test_a_new_spec_depot_form_has_a_suffix_and_a_specmap(
    server: Server, connect: ClientFactory
) -> None:
    form = connect(server, server.super_user).fetch_depot("-t", "spec", "spec")

    assert (form["Type"], form["Suffix"], form["SpecMap"]) == ("spec", ".p4s", ["//spec/..."])


def test_every_save_of_the_triggers_table_creates_a_revision(admin: P4) -> None:
    admin.save_triggers({"Triggers": TABLE})
    admin.save_triggers({"Triggers": []})

    (row,) = admin.run("files", "//spec/triggers/triggers.p4s")
    assert (row["rev"], row["action"]) == ("2", "edit")
    assert "\tone form-save client pass\n" in content(admin, "//spec/triggers/triggers.p4s#1")
    assert "form-save" not in content(admin, "//spec/triggers/triggers.p4s")


def test_a_form_from_the_spec_depot_can_be_saved_again(admin: P4) -> None:
    admin.save_triggers({"Triggers": TABLE})
    stored_text = content(admin, "//spec/triggers/triggers.p4s")
    admin.save_triggers({"Triggers": []})

    assert admin.save_triggers(stored_text) == ["Triggers saved."]
    assert admin.fetch_triggers()["Triggers"] == TABLE


def test_forms_are_stored_under_their_type_and_name(
    admin: P4, server: Server, connect: ClientFactory
) -> None:
    connect(server).save_client({"Client": "ws", "Root": "/r", "View": []})
    admin.save_depot(admin.fetch_depot("new-one"))

    depot_files = [row["depotFile"] for row in admin.run("files", "//spec/...")]

    assert {"//spec/client/ws.p4s", "//spec/depot/new-one.p4s"} <= set(depot_files)
    assert "Client:\tws\n" in content(admin, "//spec/client/ws.p4s")


def test_specmap_exclusions_determine_which_forms_are_stored(
    admin: P4, server: Server, connect: ClientFactory
) -> None:
    form = admin.fetch_depot("spec")
    form["SpecMap"] = ["//spec/...", "-//spec/client/build_*"]
    admin.save_depot(form)
    for name in ("build_1", "mine"):
        connect(server).save_client({"Client": name, "Root": "/r", "View": []})

    depot_files = [row["depotFile"] for row in admin.run("files", "//spec/client/...")]

    assert depot_files == ["//spec/client/mine.p4s"]


def test_saving_an_unchanged_form_creates_no_revision(admin: P4) -> None:
    admin.save_triggers({"Triggers": TABLE})
    assert admin.save_triggers({"Triggers": TABLE}) == ["Triggers not changed."]

    assert admin.run("files", "//spec/triggers/triggers.p4s")[0]["rev"] == "1"


def test_passwords_are_not_stored_in_the_spec_depot(
    admin: P4, server: Server, connect: ClientFactory
) -> None:
    bob = connect(server, "bob")
    form = {**bob.fetch_user(), "FullName": "Bob"}
    with contextlib.suppress(P4Exception):
        # From security level 2 on the server refuses a user form that sets a password.
        bob.save_user({**form, "Password": SECRET})
    bob.password = SECRET
    bob.save_user({**form, "Email": "bob@example.com"})

    stored_text = content(admin, "//spec/user/bob.p4s")
    assert "bob@example.com" in stored_text
    assert SECRET not in stored_text


def test_a_second_spec_depot_and_a_specmap_of_another_depot_are_refused(admin: P4) -> None:
    with pytest.raises(P4Exception, match="There is already a spec depot called 'spec'"):
        admin.save_depot(admin.fetch_depot("-t", "spec", "second"))
    with pytest.raises(P4Exception, match="SpecMap entries may only be added for a depot of type"):
        admin.save_depot({**admin.fetch_depot("other"), "SpecMap": ["//other/..."]})
