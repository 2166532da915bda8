"""Tests of the sandbox's forms of depots, streams, branches, labels, groups and users."""

import pytest
from P4 import P4Exception

from p4warden_sandbox import Sandbox, ServerVersion, Settings
from support.servers import ClientFactory, Server


def refusal(*arguments: str, user: str, connect: ClientFactory, server: Server) -> str:
    with pytest.raises(P4Exception) as error:
        connect(server, user).run(*arguments)
    return error.value.errors[0]


def test_the_default_branch_view_maps_every_depot_to_itself(
    server: Server, connect: ClientFactory
) -> None:
    p4 = connect(server)
    spec = p4.fetch_branch("b")

    assert "//depot/... //depot/..." in spec["View"]
    spec["View"] = ["//depot/main/... //depot/rel/..."]
    assert p4.save_branch(spec) == ["Branch b saved."]
    assert [branch["branch"] for branch in p4.run("branches")] == ["b"]
    assert p4.run("branch", "-d", "b") == ["Branch b deleted."]


def test_a_branch_with_the_default_view_is_refused(server: Server, connect: ClientFactory) -> None:
    p4 = connect(server)

    with pytest.raises(P4Exception, match="You cannot use the default branch view"):
        p4.save_branch(p4.fetch_branch("b"))
    assert p4.run("branches") == []


def test_a_branch_view_with_an_unknown_target_depot_is_refused(
    sandbox: Sandbox, connect: ClientFactory
) -> None:
    with pytest.raises(P4Exception, match=r"Mapping '//no/\.\.\.' is not under"):
        connect(sandbox).save_branch({"Branch": "b", "View": ["//depot/... //no/..."]})


def test_the_default_view_of_a_new_label_contains_all_depots(
    server: Server, connect: ClientFactory
) -> None:
    p4 = connect(server)
    spec = p4.fetch_label("l")

    assert "//depot/..." in spec["View"]
    assert p4.save_label(spec) == ["Label l saved."]
    assert p4.save_label(spec) == ["Label l not changed."]
    assert [label["label"] for label in p4.run("labels")] == ["l"]


@pytest.mark.state(protections="filled")
def test_only_the_super_user_can_create_depots(server: Server, connect: ClientFactory) -> None:
    admin = connect(server, server.super_user)
    spec = admin.fetch_depot("extra")

    assert spec["Map"] == "extra/..."
    with pytest.raises(P4Exception, match="You don't have permission for this operation"):
        connect(server).save_depot(spec)
    assert admin.save_depot(spec) == ["Depot extra saved."]
    assert [d["type"] for d in admin.run("depots") if d["name"] == "extra"] == ["local"]
    assert admin.run("depot", "-d", "extra") == ["Depot extra deleted."]


def test_a_depot_of_an_unknown_type_is_refused(sandbox: Sandbox, connect: ClientFactory) -> None:
    with pytest.raises(P4Exception, match="Invalid depot type 'fast'"):
        connect(sandbox, sandbox.super_user).save_depot(
            {"Depot": "d", "Type": "fast", "Map": "d/..."}
        )


def test_depots_filters_by_type_and_name_and_limits_the_count(
    server: Server, connect: ClientFactory
) -> None:
    p4 = connect(server)

    assert [depot["name"] for depot in p4.run("depots", "-t", "stream")] == ["streams"]
    assert [depot["name"] for depot in p4.run("depots", "-e", "third*")] == ["thirdparty"]
    assert [depot["name"] for depot in p4.run("depots", "-m", "1")] == ["depot"]


def test_a_new_stream_shares_all_paths_by_default(server: Server, connect: ClientFactory) -> None:
    p4 = connect(server)
    spec = p4.fetch_stream("-t", "development", "-P", "//streams/main", "//streams/fix")

    assert spec["Paths"] == ["share ..."]
    assert p4.save_stream(spec) == ["Stream //streams/fix saved."]
    assert [s["Stream"] for s in p4.run("streams")] == [
        "//streams/dev",
        "//streams/fix",
        "//streams/main",
    ]


@pytest.mark.parametrize(("release", "is_there"), [("2020.2", False), ("2021.1", True)])
def test_stream_forms_have_a_parent_view_from_release_2021_1_on(
    connect: ClientFactory, release: str, *, is_there: bool
) -> None:
    version = ServerVersion.of(release)
    with Sandbox(Settings(server_version=version)) as sandbox:
        p4 = connect(sandbox)
        fields = p4.run("spec", "-o", "stream")[0]["Fields"]
        assert any(field.split()[1] == "ParentView" for field in fields) is is_there
        for name in ("main", "new"):
            spec = p4.fetch_stream(f"//streams/{name}")
            assert ("ParentView" in spec) is is_there
            p4.save_stream({**spec, "Paths": ["share src/..."]})


def test_stream_paths_determine_the_view_of_a_stream_client(
    sandbox: Sandbox, connect: ClientFactory
) -> None:
    p4 = connect(sandbox)
    p4.save_stream(
        {
            "Stream": "//streams/lib",
            "Name": "lib",
            "Parent": "none",
            "Type": "mainline",
            "ParentView": "inherit",
            "Paths": ["share ...", "import+ zip/... //depot/libs/zip/...@3", "exclude old/..."],
            "Remapped": ["zip/... archive/zip/..."],
            "Ignored": [".tmp"],
        }
    )

    assert p4.fetch_client("-S", "//streams/lib", "ws")["View"] == [
        "//streams/lib/... //ws/...",
        "//depot/libs/zip/... //ws/archive/zip/...",
        "-//streams/lib/old/... //ws/old/...",
        "-//streams/lib/.tmp //ws/.tmp",
    ]


def test_a_client_of_a_child_stream_maps_inherited_imports(
    sandbox: Sandbox, connect: ClientFactory
) -> None:
    p4 = connect(sandbox)
    main = p4.fetch_stream("//streams/main")
    main["Paths"] = ["share ...", "import zip/... //depot/libs/zip/...", "share doc/..."]
    p4.save_stream(main)

    assert p4.fetch_client("-S", "//streams/dev", "ws")["View"] == [
        "//depot/libs/zip/... //ws/zip/...",
        "//streams/dev/doc/... //ws/doc/...",
        "//streams/dev/... //ws/...",
    ]


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"Stream": "//depot/x"}, "Depot 'depot' unknown - use 'depot' to create it."),
        (
            {"Stream": "//streams/a/b"},
            "Stream '//streams/a/b' must reside in first folder below depot level.",
        ),
        ({"Parent": "//streams/none"}, "Invalid stream parent '//streams/none'."),
        (
            {"Type": "release", "Parent": "//streams/none"},
            "Stream '//streams/none' doesn't exist.",
        ),
        ({"Paths": ["shared ..."]}, "Invalid path type 'shared'."),
    ],
)
def test_an_invalid_stream_form_is_refused(
    sandbox: Sandbox, connect: ClientFactory, fields: dict[str, str], message: str
) -> None:
    p4 = connect(sandbox)
    with pytest.raises(P4Exception) as error:
        p4.save_stream({**p4.fetch_stream("//streams/new"), **fields})

    assert error.value.errors == [f"Error in stream specification.\n{message}"]


@pytest.mark.state(protections="filled")
def test_groups_are_created_updated_listed_and_deleted(
    server: Server, connect: ClientFactory
) -> None:
    admin = connect(server, server.super_user)
    spec = {**admin.fetch_group("qa"), "Users": ["bob"]}

    assert admin.save_group(spec) == ["Group qa created."]
    assert admin.save_group({**spec, "Users": ["ann", "bob"]}) == ["Group qa updated."]
    assert [group["group"] for group in admin.run("groups", "-u", "ann")] == ["qa"]
    assert [group["group"] for group in admin.run("groups", "build")] == ["build-farm"]
    assert admin.run("group", "-d", "qa") == ["Group qa deleted."]
    with pytest.raises(P4Exception, match="You don't have permission for this operation"):
        connect(server).save_group(spec)


def test_a_group_saved_without_members_is_deleted(
    sandbox: Sandbox, connect: ClientFactory
) -> None:
    admin = connect(sandbox, sandbox.super_user)

    assert admin.save_group({"Group": "build-farm"}) == ["Group build-farm deleted."]
    assert admin.run("groups") == []


@pytest.mark.state(protections="filled")
def test_only_a_super_user_can_save_another_users_form(
    server: Server, connect: ClientFactory
) -> None:
    p4 = connect(server)
    spec = p4.fetch_user()
    spec["FullName"] = "Ann Example"

    assert p4.save_user(spec) == ["User ann saved."]
    with pytest.raises(P4Exception):
        p4.save_user({**spec, "User": "bob"})
    admin = connect(server, server.super_user)
    assert admin.save_user({**spec, "User": "bob"}, "-f") == ["User bob saved."]
    assert admin.run("user", "-d", "-f", "bob") == ["User bob deleted."]
    assert "bob" not in [user["User"] for user in admin.run("users")]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["depot", "-d", "none"], "Depot 'none' doesn't exist."),
        (["group", "-d", "none"], "Group 'none' doesn't exist."),
        (["label", "-d", "none"], "Label 'none' doesn't exist."),
        (["user", "-d", "none"], "User none doesn't exist."),
    ],
)
def test_deleting_an_unknown_depot_group_label_or_user_is_an_error(
    server: Server, connect: ClientFactory, arguments: list[str], message: str
) -> None:
    assert refusal(*arguments, user=server.super_user, connect=connect, server=server) == message
