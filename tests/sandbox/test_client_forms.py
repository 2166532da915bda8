"""Tests of `p4 client` forms on the sandbox server: saving, listing, deleting, refusing."""

import pytest
from P4 import P4Exception

from p4warden_sandbox import DepotSeed, Sandbox, Settings
from support.servers import ClientFactory, Server


def errors(error: pytest.ExceptionInfo[P4Exception]) -> list[str]:
    return error.value.errors


def test_the_default_view_of_a_new_client_maps_every_depot(
    server: Server, connect: ClientFactory
) -> None:
    spec = connect(server, client="fresh").fetch_client()

    assert spec["View"] == [
        "//depot/... //fresh/depot/...",
        "//streams/... //fresh/streams/...",
        "//thirdparty/... //fresh/thirdparty/...",
    ]
    assert spec["Owner"] == "ann"
    assert spec["Description"] == "Created by ann.\n"
    assert "Access" not in spec
    assert "Update" not in spec


def test_the_default_view_maps_a_single_depot_to_the_root_of_the_client(
    connect: ClientFactory,
) -> None:
    with Sandbox(Settings(depots=(DepotSeed("depot"),), streams=())) as sandbox:
        assert connect(sandbox).fetch_client()["View"] == ["//depot/... //ws/..."]


def test_saving_an_unchanged_client_again_reports_not_changed(
    server: Server, connect: ClientFactory
) -> None:
    p4 = connect(server, client="ann-ws")
    spec = p4.fetch_client()

    assert p4.save_client(spec) == ["Client ann-ws saved."]
    assert p4.save_client(spec) == ["Client ann-ws not changed."]
    assert "Access" in p4.fetch_client()


def test_a_saved_client_is_listed_and_deleted(server: Server, connect: ClientFactory) -> None:
    p4 = connect(server, client="ann-ws")
    p4.save_client(p4.fetch_client())

    assert [client["client"] for client in p4.run("clients", "-u", "ann")] == ["ann-ws"]
    assert p4.run("client", "-d", "ann-ws") == ["Client ann-ws deleted."]
    assert p4.run("clients", "-e", "ann*") == []


def test_saving_a_client_adds_defaults_for_missing_fields_and_options(
    sandbox: Sandbox, connect: ClientFactory
) -> None:
    p4 = connect(sandbox)
    p4.save_client("Client: ws\nRoot: /r\nOptions: clobber\nView: //depot/... //ws/...\n")

    spec = p4.fetch_client()

    assert (spec["Owner"], spec["LineEnd"], spec["SubmitOptions"]) == (
        "ann",
        "local",
        "submitunchanged",
    )
    assert spec["Options"].startswith("noallwrite clobber nocompress unlocked nomodtime normdir")
    assert "Host" not in spec


def test_comments_with_two_hash_signs_are_kept_in_a_client_view(
    server: Server, connect: ClientFactory
) -> None:
    p4 = connect(server)
    p4.save_client(
        "Client: ws\nRoot: /r\nView:\n\t//depot/main/... //ws/... ## why\n"
        "\t## alone\n\t//depot/rel/... //ws/rel/... # gone\n"
    )

    assert p4.fetch_client()["View"] == [
        "//depot/main/... //ws/... ## why",
        "## alone",
        "//depot/rel/... //ws/rel/...",
    ]


@pytest.mark.parametrize(
    ("form", "message"),
    [
        (
            "Client: ws\nView: //depot/... //ws/...\n",
            "Error in client specification.\nMissing required field 'Root'.",
        ),
        (
            "Client: ws\nRoot: /r\nFoo: x\n",
            "Error in client specification.\nError detected at line 3.\nUnknown field name 'Foo'.",
        ),
        (
            "Client: ws\nRoot: /r\nView:\n\t//depot/...\n",
            (
                "Error in client specification.\nError detected at line 4.\n"
                "Wrong number of words for field 'View'."
            ),
        ),
        (
            "Client: ws\nRoot: /r\nView:\n\t//depot/... //other/...\n",
            "Error in client specification.\nMapping '//other/...' is not under '//ws/...'.",
        ),
        (
            'Client: ws\nRoot: /r\nView:\n\t//depot/... ""\n',
            "Error in client specification.\nMapping '' is not under '//ws/...'.",
        ),
        (
            "Client: ws\nRoot: /r\nView:\n\t//depot/... //ws/*\n",
            "Error in client specification.\nIncompatible wildcards '//depot/...' <-> '//ws/*'.",
        ),
        (
            "Client: ws\nRoot: /r\nView:\n\t//depot/**/a //ws/**/a\n",
            (
                "Error in client specification.\n"
                "Senseless juxtaposition of wildcards in '//depot/**/a'."
            ),
        ),
        (
            "Client: ws\nRoot: /r\nOptions: fast\n",
            "Error in client specification.\nInvalid option 'fast' in client option field.",
        ),
    ],
)
def test_an_invalid_client_form_is_refused(
    server: Server, connect: ClientFactory, form: str, message: str
) -> None:
    with pytest.raises(P4Exception) as error:
        connect(server).save_client(form)

    assert errors(error) == [message]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("-ws", "Initial dash character not allowed in '-ws'."),
        ("a/b", "Slashes (/) not allowed in 'a/b'."),
        ("a@b", "Revision chars (@, #) not allowed in 'a@b'."),
        ("a*", "Wildcards (*, %%x, ...) not allowed in 'a*'."),
        ("123", "Purely numeric name not allowed - '123'."),
    ],
)
def test_an_invalid_client_name_is_refused(
    sandbox: Sandbox, connect: ClientFactory, name: str, message: str
) -> None:
    p4 = connect(sandbox)
    with pytest.raises(P4Exception) as error:
        p4.save_client(f"Client: {name}\nRoot: /r\n")

    assert errors(error) == [f"Error in client specification.\n{message}"]


def test_a_client_view_of_an_unknown_depot_is_refused(
    sandbox: Sandbox, connect: ClientFactory
) -> None:
    with pytest.raises(P4Exception) as error:
        connect(sandbox).save_client("Client: ws\nRoot: /r\nView: //nosuch/... //ws/...\n")

    assert errors(error) == [
        "Error in client specification.\nMapping '//nosuch/...' is not under '//depot/...'."
    ]


def test_a_stream_client_gets_the_view_of_its_stream(
    server: Server, connect: ClientFactory
) -> None:
    p4 = connect(server)
    spec = p4.fetch_client()
    spec["Stream"] = "//streams/main"
    p4.save_client(spec)

    assert p4.fetch_client()["View"] == ["//streams/main/... //ws/..."]


@pytest.mark.state(protections="filled")
def test_a_locked_client_of_another_user_is_saved_only_by_a_super_user_with_force(
    sandbox: Sandbox, connect: ClientFactory
) -> None:
    form = "Client: ws\nRoot: /r\nOwner: ann\nOptions: locked\n"
    connect(sandbox).save_client(form)
    message = "Locked client 'ws' owned by 'ann'; use -f to force update."

    with pytest.raises(P4Exception) as error:
        connect(sandbox, "bob").save_client(form + "Description: mine\n")

    assert errors(error) == [message]
    with pytest.raises(P4Exception, match="You don't have permission"):
        connect(sandbox, "bob").save_client(form, "-f")
    assert connect(sandbox, sandbox.super_user).save_client(
        form + "Description: mine\n", "-f"
    ) == ["Client ws saved."]


def test_a_client_form_from_a_template_has_its_view_and_options(
    server: Server, connect: ClientFactory
) -> None:
    p4 = connect(server)
    view = '\t//depot/main/... //depot/...\n\t"//depot/a b/..." "//depot/a b/..."\n'
    p4.save_client(f"Client: depot\nRoot: /r\nOptions: clobber\nView:\n{view}")

    spec = p4.fetch_client("-t", "depot", "ws")

    assert spec["View"] == ["//depot/main/... //ws/...", '"//depot/a b/..." "//ws/a b/..."']
    assert "clobber" in spec["Options"].split()


def test_fetching_an_existing_client_with_another_stream_is_refused(
    server: Server, connect: ClientFactory
) -> None:
    p4 = connect(server)
    p4.save_client(p4.fetch_client())

    with pytest.raises(P4Exception, match="Client 'ws' already exists; use a new client or -s"):
        p4.fetch_client("-S", "//streams/main")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-F", "x", "ws"], "The p4warden sandbox does not do 'client -F'."),
        (["-d"], "Client 'ws' doesn't exist."),
        (["-o", "-S", "//streams/none"], "Stream '//streams/none' doesn't exist."),
        (["-o", "-t", "none"], "Client 'none' doesn't exist."),
    ],
)
def test_unsupported_client_options_and_unknown_names_are_refused(
    sandbox: Sandbox, connect: ClientFactory, arguments: list[str], message: str
) -> None:
    with pytest.raises(P4Exception) as error:
        connect(sandbox).run("client", *arguments)

    assert errors(error) == [message]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-z"], "Invalid option: -z."),
        (["--o"], "Invalid option: -o."),
        (["-o", "-t"], "Option: -t needs argument."),
        (["-o", "a", "b"], "Unexpected arguments."),
    ],
)
def test_invalid_client_arguments_are_refused_with_the_usage(
    sandbox: Sandbox, connect: ClientFactory, arguments: list[str], message: str
) -> None:
    with pytest.raises(P4Exception) as error:
        connect(sandbox).run("client", *arguments)

    assert errors(error) == [
        f"Usage: client [ -d -f -i -o -s ] [ -t template | -S stream ] [ name ]\n{message}"
    ]


def test_saving_a_client_without_input_is_an_error(server: Server, connect: ClientFactory) -> None:
    p4 = connect(server)

    with pytest.warns(UserWarning, match="Expected user input"), pytest.raises(P4Exception):
        p4.run("client", "-i")


@pytest.mark.long
def test_a_client_view_of_40000_lines_is_saved_and_returned_unchanged(
    sandbox: Sandbox, connect: ClientFactory
) -> None:
    p4 = connect(sandbox)
    lines = [f"//depot/main/directory-{n}/... //ws/directory-{n}/..." for n in range(40_000)]
    p4.save_client({"Client": "ws", "Root": "/r", "View": lines})

    assert p4.fetch_client()["View"] == lines
