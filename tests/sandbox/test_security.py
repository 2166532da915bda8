"""Tests of the sandbox server's security levels 0 to 4 and of its secure-by-default mode.

Also of configurables, of automatic creation of users, and of the limits without a license.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from P4 import P4, P4Exception

from p4warden_sandbox import Sandbox, Settings

STRONG = "Strong!pw1"
OTHER = "Other!pw2"
WEAK = "weakpassword"
MUST_SET = "Password must be set before access can be granted."
BAD = "Perforce password (P4PASSWD) invalid or unset."
Client = Callable[..., P4]
New = Callable[..., Client]


@pytest.fixture
def new(tmp_path: Path) -> Iterator[New]:
    """Fixture: `new("4")` starts a server at security level 4; `new("4")("ann")` connects to it.

    The server has no users, groups, streams or files at first.
    """
    servers: list[Sandbox] = []
    clients: list[P4] = []

    def start(security: str, **configurables: str) -> Client:
        blank = Settings(super_user="", users=(), groups=(), streams=(), files=())
        variants = {"security": security}
        server = Sandbox(blank._replace(variants=variants, configurables=configurables))
        servers.append(server.start())

        def connect(user: str, password: str = "") -> P4:
            p4 = P4(port=server.port, user=user, password=password, charset="none")
            p4.ticket_file = str(tmp_path / f"tickets-{user}-{len(clients)}")
            clients.append(p4.connect())
            return p4

        return connect

    yield start
    for p4 in clients:
        p4.disconnect()
    for server in servers:
        server.stop()


def refusal(p4: P4, *command: str) -> str:
    with pytest.raises(P4Exception) as error:
        p4.run(*command)
    return str(error.value.errors[0])


def password(p4: P4, *answers: str, user: str = "") -> list[str]:
    p4.input = list(answers)
    output: list[str] = p4.run("passwd", user) if user else p4.run("password")
    return output


def logged_in(p4: P4, secret: str) -> P4:
    p4.password = secret
    p4.run_login()
    return p4


def bootstrapped(client: Client) -> P4:
    """Set the first user's password; return that user's connection.

    With dm.user.autoprotections the first user is the super user.
    """
    root = client("root")
    assert password(root, STRONG, STRONG) == ["Password updated."]
    logged_in(root, STRONG)
    assert root.run("protects", "-m") == [{"permMax": "super"}]
    return root


def test_security_level_0_requires_no_password(new: New) -> None:
    assert new("0")("ann").run("clients") == []


@pytest.mark.parametrize("level", ["1", "2", "3", "4"])
def test_security_levels_1_to_4_require_a_password(new: New, level: str) -> None:
    ann = new(level)("ann")

    assert refusal(ann, "clients") == MUST_SET
    assert refusal(ann, "login") == MUST_SET
    assert password(ann, STRONG, STRONG) == ["Password updated."]
    assert logged_in(ann, STRONG).run("clients") == []


@pytest.mark.parametrize(
    ("level", "message"), [("2", None), ("3", "Password not allowed at this")]
)
def test_security_level_2_accepts_a_password_and_level_3_only_a_ticket(
    new: New, level: str, message: str | None
) -> None:
    client = new(level)
    password(client("ann"), STRONG, STRONG)
    ann = client("ann", password=STRONG)

    if message is None:
        assert ann.run("clients") == []
    else:
        assert refusal(ann, "clients").startswith(message)
    assert logged_in(ann, STRONG).run("clients") == []


def test_security_level_2_refuses_a_password_in_a_user_form(new: New) -> None:
    ann = new("2")("ann")
    password(ann, STRONG, STRONG)
    logged_in(ann, STRONG)

    with pytest.raises(P4Exception, match="Passwords can only be set by 'p4 passwd'"):
        ann.save_user({**ann.fetch_user(), "Password": OTHER})
    assert ann.save_user({**ann.fetch_user(), "FullName": "Ann"}) == ["User ann saved."]


def test_a_password_change_needs_the_old_password_and_invalidates_tickets(new: New) -> None:
    client = new("4")
    ann = client("ann")
    password(ann, STRONG, STRONG)
    logged_in(ann, STRONG)

    with pytest.raises(P4Exception, match="Password invalid"):
        password(client("ann"), WEAK, OTHER, OTHER)
    with pytest.raises(P4Exception, match="Passwords don't match"):
        password(client("ann"), STRONG, OTHER, STRONG)
    assert password(ann, STRONG, OTHER, OTHER) == ["Password updated."]
    assert refusal(ann, "clients") == BAD
    assert logged_in(ann, OTHER).run("clients") == []


def test_secure_by_default_refuses_commands_before_the_first_password(new: New) -> None:
    client = new("by-default")
    root = client("root")

    for command in (["clients"], ["users"], ["user", "-o"], ["passwd", "bob"], ["protect", "-o"]):
        assert refusal(root, *command) == MUST_SET
    assert "serverRoot" not in root.run("info")[0]
    root = bootstrapped(client)
    assert "serverRoot" in root.run("info")[0]
    assert [user["User"] for user in root.run("users")] == ["root"]


def test_secure_by_default_refuses_unknown_users_as_if_they_had_a_password(new: New) -> None:
    client = new("by-default")
    bootstrapped(client)
    eve = client("eve", password=STRONG)

    for command in (["clients"], ["users"], ["user", "-o"]):
        assert refusal(eve, *command) == BAD
    with pytest.raises(P4Exception, match="Password invalid"):
        eve.run_login()
    with pytest.raises(P4Exception, match="Initial passwords can only be set by a super-user"):
        password(eve, STRONG, STRONG)


def test_secure_by_default_requires_new_users_to_change_their_password(new: New) -> None:
    client = new("by-default")
    root = bootstrapped(client)
    root.save_user(root.fetch_user("ann"), "-f")
    assert password(root, STRONG, STRONG, user="ann") == ["Password updated."]
    ann = client("ann")

    with pytest.raises(P4Exception, match="Your password has expired"):
        logged_in(ann, STRONG)
    assert password(ann, STRONG, OTHER, OTHER) == ["Password updated."]
    assert logged_in(ann, OTHER).run("clients") == []


def test_saving_a_user_again_as_super_user_cancels_the_password_reset(new: New) -> None:
    client = new("by-default")
    root = bootstrapped(client)
    root.save_user(root.fetch_user("ann"), "-f")
    password(root, STRONG, STRONG, user="ann")
    root.save_user(root.fetch_user("ann"), "-f")

    assert logged_in(client("ann"), STRONG).run("clients") == []


def test_a_refused_save_as_super_user_does_not_cancel_the_password_reset(new: New) -> None:
    client = new("by-default")
    root = bootstrapped(client)
    root.save_user(root.fetch_user("ann"), "-f")
    password(root, STRONG, STRONG, user="ann")
    root.save_triggers({"Triggers": ["no form-save user \"sh -c 'exit 1'\""]})
    form = {**root.fetch_user("ann"), "FullName": "Ann Other"}
    with pytest.raises(P4Exception, match="'no' validation failed"):
        root.save_user(form, "-f")

    with pytest.raises(P4Exception, match="Your password has expired"):
        logged_in(client("ann"), STRONG)


@pytest.mark.parametrize(
    ("level", "message"),
    [
        ("0", None),
        ("1", "Access for user 'bob' has not been enabled by 'p4 protect'."),
        ("2", "Access for user 'bob' has not been enabled by 'p4 protect'."),
    ],
)
def test_noautocreate_determines_whether_a_first_command_creates_the_user(
    new: New, level: str, message: str | None
) -> None:
    client = new("0", **{"dm.user.noautocreate": level})
    root = client("root")
    if level == "0":
        assert root.run("clients") == []
    else:
        root = client("bob")
        assert refusal(root, "clients") == message


def test_with_noautocreate_1_saving_the_user_form_creates_the_user(new: New) -> None:
    bob = new("0", **{"dm.user.noautocreate": "1"})("bob")

    assert bob.save_user(bob.fetch_user()) == ["User bob saved."]
    assert bob.run("clients") == []


def test_run_users_authorize_requires_a_login_for_the_users_command(new: New) -> None:
    client = new("1")
    password(client("ann"), STRONG, STRONG)
    assert len(client("ann").run("users")) == 1
    ann = logged_in(client("ann"), STRONG)
    assert ann.run("configure", "set", "run.users.authorize=1")

    assert refusal(client("ann"), "users") == BAD


def test_configurables_are_set_shown_and_unset(new: New) -> None:
    root = new("0")("root")

    root.run("configure", "set", "security=3")
    rows = root.run("configure", "show", "security")
    assert [(row["Type"], row["Value"]) for row in rows] == [("configure", "3"), ("default", "0")]
    assert [row["Name"] for row in root.run("configure", "show")] == ["security"]
    root.run("configure", "unset", "security")
    (row,) = root.run("configure", "show", "security")
    assert (row["Type"], row["Value"]) == ("default", "0")


def test_a_value_for_the_servers_id_precedes_one_for_any_server(new: New) -> None:
    root = new("0")("root")
    assert root.run("serverid", "main") == [{"serverID": "main"}]
    for setting in ("main#monitor=2", "edge#monitor=3", "monitor=1"):
        root.run("configure", "set", setting)

    rows = root.run("configure", "show", "monitor")

    expected = [("main", "2"), ("any", "1"), ("any", "0")]
    assert [(row["ServerName"], row["Value"]) for row in rows] == expected


@pytest.mark.parametrize(
    ("security", "values"), [("0", ("0", "0", "256")), ("by-default", ("1", "180", "1024"))]
)
def test_a_new_server_of_2026_1_has_other_defaults(
    new: New, security: str, values: tuple[str, str, str]
) -> None:
    client = new(security)
    root = bootstrapped(client) if security == "by-default" else client("root")
    names = ("dm.user.autoprotections", "net.keepalive.idle", "db.monitor.shared")

    shown = [root.run("configure", "show", name)[0]["Value"] for name in names]

    assert tuple(shown) == values


def test_a_new_server_of_2026_1_has_configurables_that_are_new_in_it(new: New) -> None:
    root = bootstrapped(new("by-default"))
    new_ones = {
        "dm.have.preload": "0",
        "dm.obliterate.skiphave": "1",
        "dm.obliterate.skiplabel": "1",
        "dm.reopen.batch": "1000",
        "net.nagle": "2",
        "net.quickack": "0",
        "rpl.filter.expand": "1",
        "rpl.filter.restrict": "1",
    }
    shown = {name: root.run("configure", "show", name)[0]["Value"] for name in new_ones}
    assert shown == new_ones


@pytest.mark.parametrize("words", [("show", "net.nagle"), ("set", "net.nagle=1")])
def test_an_older_server_has_no_configurable_of_2026_1(new: New, words: tuple[str, str]) -> None:
    assert "net.nagle" in refusal(new("0")("root"), "configure", *words)


def test_the_first_user_of_a_secure_server_fills_the_protections_table(new: New) -> None:
    root = bootstrapped(new("by-default"))

    assert root.fetch_protect()["Protections"] == [
        "write user * * //...",
        "super user root * //...",
    ]


def test_a_server_without_protections_answers_an_error_to_p4_protects(new: New) -> None:
    for command in (["protects", "-m"], ["protects"]):
        assert refusal(new("0")("root"), *command) == "Protections table is empty."


def test_a_sandbox_at_security_level_4_has_tickets_for_all_users_but_carol() -> None:
    with Sandbox(Settings(variants={"security": "4"})) as server:
        for user in ("p4admin", "ann", "build"):
            with P4(port=server.port, user=user, ticket_file=str(server.tickets_file)) as p4:
                p4.connect()
                assert p4.run("clients") == []
        with P4(port=server.port, user="carol", ticket_file=str(server.tickets_file)) as p4:
            p4.connect()
            assert refusal(p4, "clients") == BAD


def test_without_a_license_more_than_5_users_or_20_clients_are_refused() -> None:
    with (
        Sandbox(Settings(variants={"license": "none"})) as server,
        P4(port=server.port, user="ann", client="ws").connect() as p4,
    ):
        for number in range(20):
            p4.save_client(p4.fetch_client(f"ws{number}"))
        with pytest.raises(P4Exception, match="Can't add client - over license quota"):
            p4.save_client(p4.fetch_client("ws20"))
        p4.user = "sixth"
        assert refusal(p4, "clients") == "Can't create a new user - over license quota."
