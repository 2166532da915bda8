"""Tests of the sandbox server's `p4 info`, case and Unicode modes, counters and configurables.

Also of protections, unknown commands, command tracking, form definitions and untagged lists.
"""

import socket

import pytest
from P4 import P4, P4Exception

from p4warden_sandbox import Sandbox, ServerVersion, Settings
from p4warden_sandbox.wire import Message, Wire
from support.servers import ClientFactory, Server


def test_info_returns_user_client_host_address_and_case_handling(
    server: Server, connect: ClientFactory
) -> None:
    (info,) = connect(server, client="ann-ws").run("info")

    assert (info["userName"], info["clientHost"] != "") == ("ann", True)
    assert info["serverAddress"] == server.port
    assert info["caseHandling"] == "sensitive"


def test_info_identifies_the_server_as_a_sandbox(sandbox: Sandbox, connect: ClientFactory) -> None:
    p4 = connect(sandbox)

    assert p4.run("info")[0]["serverVersion"] == "P4D/P4WARDEN-SANDBOX/2024.2/0 (2024/01/01)"
    with p4.while_tagged(t=False):
        assert "Case Handling: sensitive" in p4.run("info")


def test_the_client_receives_server_level_unicode_and_case_modes(connect: ClientFactory) -> None:
    with Sandbox(Settings(server_version=ServerVersion.of("2021.1"))) as sandbox:
        p4 = connect(sandbox)
        p4.run("info")

        assert (p4.server_level, p4.server_unicode, p4.server_case_insensitive) == (
            52,
            False,
            False,
        )


@pytest.mark.parametrize("text", ["2018.2", "2024", "2024.3", "r24.2", ""])
def test_an_unknown_or_invalid_server_release_is_an_error(text: str) -> None:
    with pytest.raises(Exception, match=r"write a release from 2019\.1 on, such as 2024\.2"):
        ServerVersion.of(text)


def test_client_names_match_case_insensitively_on_a_case_insensitive_server(
    connect: ClientFactory,
) -> None:
    with Sandbox(Settings(case_sensitive=False)) as sandbox:
        p4 = connect(sandbox)
        p4.save_client("Client: WS\nRoot: /r\nView: //DEPOT/... //ws/...\n")

        assert p4.run("info")[0]["caseHandling"] == "insensitive"
        assert p4.server_case_insensitive
        assert p4.fetch_client("ws")["Client"] == "WS"
        assert p4.run("client", "-d", "wS") == ["Client wS deleted."]


def test_client_names_match_case_sensitively_on_a_case_sensitive_server(
    sandbox: Sandbox, connect: ClientFactory
) -> None:
    p4 = connect(sandbox)
    p4.save_client("Client: WS\nRoot: /r\n")

    assert [client["client"] for client in p4.run("clients", "-e", "ws")] == []
    assert [client["client"] for client in p4.run("clients", "-e", "WS")] == ["WS"]


def test_a_unicode_server_refuses_clients_without_a_charset(connect: ClientFactory) -> None:
    with Sandbox(Settings(unicode=True)) as sandbox:
        p4 = connect(sandbox, charset="utf8")
        p4.save_client("Client: ws\nRoot: /caf\xe9\n")

        assert p4.server_unicode
        assert connect(sandbox, charset="iso8859-1").fetch_client()["Root"] == "/caf\xe9"
        with pytest.raises(P4Exception) as error:
            connect(sandbox, charset="none").run("info")
        assert error.value.errors == ["Unicode server permits only unicode enabled clients."]


def test_a_server_without_unicode_refuses_clients_with_a_charset(
    server: Server, connect: ClientFactory
) -> None:
    with pytest.raises(P4Exception) as error:
        connect(server, charset="utf8").run("info")

    assert error.value.errors == ["Unicode clients require a unicode enabled server."]


def test_a_charset_set_after_connecting_is_accepted_by_a_server_without_unicode(
    server: Server, connect: ClientFactory
) -> None:
    p4 = connect(server)
    p4.run("info")

    p4.charset = "utf8"

    assert p4.run("info")[0]["userName"] == "ann"


def test_a_client_with_tracking_receives_the_duration_of_its_command(server: Server) -> None:
    with P4(port=server.port, user="ann", track=1).connect() as p4:
        p4.run("info")

        assert p4.track_output[0].startswith("lapse ")


def test_a_client_with_charset_auto_connects_to_a_unicode_server(connect: ClientFactory) -> None:
    with Sandbox(Settings(unicode=True)) as sandbox:
        p4 = connect(sandbox, charset="auto")

        assert p4.run("info")[0]["unicode"] == "enabled"


def test_a_flush1_message_is_answered_by_a_flush2_message(sandbox: Sandbox) -> None:
    host, _, number = sandbox.port.partition(":")
    with socket.create_connection((host, int(number))) as connection:
        wire = Wire(connection)
        wire.write(Message.of("flush1", {"himark": "795416", "fseq": "7", "rseq": "0"}))
        wire.flush()

        assert wire.read() == Message.of("flush2", {"himark": "795416", "fseq": "7", "rseq": "0"})
        wire.close()


@pytest.mark.parametrize("arguments", [{}, {"specstring": ""}])
def test_a_form_is_sent_with_its_field_definitions_only_on_request(
    sandbox: Sandbox, arguments: dict[str, str]
) -> None:
    host, _, number = sandbox.port.partition(":")
    with socket.create_connection((host, int(number))) as connection:
        wire = Wire(connection)
        query = (
            ("tag", ""),
            ("", "-o"),
            ("client", "ws"),
            ("user", "ann"),
            ("func", "user-client"),
        )
        wire.write(Message.of("protocol", arguments), Message(query))
        wire.flush()

        assert wire.read().func == "protocol"
        row = wire.read()
        assert (row.get("Client"), row.get("specdef") is None) == ("ws", not arguments)
        wire.close()


def test_an_unknown_command_is_an_error(server: Server, connect: ClientFactory) -> None:
    with pytest.raises(P4Exception) as error:
        connect(server).run("nonsense")

    assert error.value.errors == ["Unknown command.  Try 'p4 help' for info."]


def test_a_p4_command_that_the_sandbox_lacks_is_an_error(
    sandbox: Sandbox, connect: ClientFactory
) -> None:
    with pytest.raises(P4Exception) as error:
        connect(sandbox).run("resolve")

    assert error.value.errors == ["The p4warden sandbox does not do 'resolve'."]


@pytest.mark.parametrize("words", [(), ("client",), ("-k", "sync")])
def test_help_is_one_line_about_the_sandbox(
    sandbox: Sandbox, connect: ClientFactory, words: tuple[str, ...]
) -> None:
    [line] = connect(sandbox).run("help", *words)
    assert line.startswith("This is p4warden's sandbox, without p4d's help texts: ")


def test_the_command_workspace_is_a_synonym_of_client(
    sandbox: Sandbox, connect: ClientFactory
) -> None:
    p4 = connect(sandbox)
    p4.input = p4.run("workspace", "-o")[0]

    assert p4.run("workspace", "-i") == ["Client ws saved."]
    assert p4.run("workspaces") == p4.run("clients")


@pytest.mark.state(protections="filled")
def test_protects_lists_the_protections_of_each_user(
    server: Server, connect: ClientFactory
) -> None:
    admin = connect(server, server.super_user)

    assert connect(server).run("protects", "-m")[0]["permMax"] == "write"
    assert admin.run("protects", "-m")[0]["permMax"] == "super"
    assert [line["perm"] for line in admin.run("protects", "-u", "ann")] == ["write"]
    assert [line["perm"] for line in admin.run("protects")] == ["write", "super"]


@pytest.mark.state(protections="filled")
def test_only_a_super_user_can_configure_triggers_io(
    server: Server, connect: ClientFactory
) -> None:
    admin = connect(server, server.super_user)

    assert admin.run("configure", "set", "triggers.io=1") == [
        "For server 'any', configuration variable 'triggers.io' set to '1'"
    ]
    assert admin.run("configure", "show", "triggers.io")[0]["Value"] == "1"
    with pytest.raises(P4Exception, match="You don't have permission"):
        connect(server).run("configure", "set", "triggers.io=0")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["set", "triggers.io=2"], "Configuration variable 'triggers.io' may not be set to '2'."),
        (["set", "security=7"], "Configuration variable 'security' may not be set to '7'."),
        (["set", "dmc=1"], "The p4warden sandbox does not do 'configure set dmc'."),
        (["unset", "dmc"], "The p4warden sandbox does not do 'configure unset dmc'."),
    ],
)
def test_invalid_and_unsupported_configurables_are_refused(
    sandbox: Sandbox, connect: ClientFactory, arguments: list[str], message: str
) -> None:
    with pytest.raises(P4Exception) as error:
        connect(sandbox, sandbox.super_user).run("configure", *arguments)
    assert error.value.errors == [message]


@pytest.mark.state(protections="filled")
def test_untagged_rows_are_lines_of_fields(sandbox: Sandbox, connect: ClientFactory) -> None:
    p4: P4 = connect(sandbox)
    with p4.while_tagged(t=False):
        assert p4.run("protects", "-m") == ["... permMax write\n"]


@pytest.mark.parametrize(
    "command",
    [
        ("configure", "set", "security=" + "9" * 5000),
        ("files", "-m", "9" * 5000, "//..."),
        ("files", "//depot/...#" + "9" * 5000),
        ("files", "//depot/...@" + "9" * 5000),
    ],
)
def test_a_number_with_thousands_of_digits_is_refused(
    sandbox: Sandbox, connect: ClientFactory, command: tuple[str, ...]
) -> None:
    p4 = connect(sandbox, sandbox.super_user)
    with pytest.raises(P4Exception) as error:
        p4.run(*command)
    assert len(error.value.errors) == 1
    assert p4.run("info")
