"""Tests of command triggers (pre-user-, post-user-) on the sandbox server."""

import pytest
from P4 import P4

from support.servers import ClientFactory, Server, refusal
from support.triggers import Install, Script


@pytest.fixture
def p4(server: Server, connect: ClientFactory) -> P4:
    return connect(server)


def test_a_pre_user_trigger_refuses_its_command_and_no_other(
    server: Server, p4: P4, install: Install
) -> None:
    install(server, 'lim command pre-user-depots$ "fail %user% may not %command%"')

    assert refusal(p4, "depots") == ["'lim' validation failed: ann may not user-depots"]
    assert p4.run("depot", "-o", "depot")[0]["Depot"] == "depot"


def test_a_trigger_path_without_a_dollar_sign_matches_longer_command_names(
    server: Server, p4: P4, install: Install
) -> None:
    install(server, 'lim command pre-user-depot "fail no"')

    assert refusal(p4, "depots") == ["'lim' validation failed: no"]
    assert refusal(p4, "depot", "-o", "depot") == ["'lim' validation failed: no"]


def test_one_trigger_line_with_alternatives_matches_several_commands(
    server: Server, p4: P4, install: Install
) -> None:
    install(server, 'lim command pre-user-(fstat|files)$ "fail no"')

    assert refusal(p4, "fstat", "//depot/...") == ["'lim' validation failed: no"]
    assert refusal(p4, "files", "//depot/...") == ["'lim' validation failed: no"]


def test_the_output_of_passing_command_triggers_is_shown_to_the_user(
    server: Server, p4: P4, install: Install, script: Script
) -> None:
    install(
        server,
        f'pre command pre-user-key$ "{script("echo before")}"',
        f'post command post-user-key$ "{script("echo after")}"',
    )

    before, row, after = p4.run("key", "x")

    assert (before, row["value"], after) == ("before", "0", "after")


def test_post_user_info_triggers_run_and_pre_user_info_triggers_do_not(
    server: Server, p4: P4, install: Install, script: Script
) -> None:
    install(
        server,
        'pre command pre-user-info "fail no"',
        f'post command post-user-info "{script("echo after")}"',
    )

    assert p4.run("info")[-1] == "after"


def test_command_triggers_run_for_p4_commands_that_the_sandbox_lacks(
    server: Server, p4: P4, install: Install
) -> None:
    install(server, 'ban command pre-user-obliterate$ "fail not on this server"')

    assert refusal(p4, "obliterate", "//depot/...") == [
        "'ban' validation failed: not on this server"
    ]
    assert refusal(p4, "nonsense") == ["Unknown command.  Try 'p4 help' for info."]


# The accepted texts of `%args%` and `%argsQuoted%` for one command: no source documents which
# format a real server uses. tests/sandbox/test_variant_arguments.py tests each format by its name.
ARGS = (
    "<--args=-m 1 //depot/a b,c>",
    '<--args=-m 1 //depot/a><b,c">',
    '<--args=-m 1 "//depot/a b,c">',
)
ARGS_QUOTED = (
    "<-m,1,//depot/a><b%2Cc>",
    "<-m,1,%2F%2Fdepot%2Fa%20b%2Cc>",
    "<-m,1,//depot/a b,c>",
)


def test_a_trigger_receives_the_arguments_of_the_command_in_variables(
    server: Server, p4: P4, install: Install, script: Script
) -> None:
    show = script('printf "<%s>" "$@"; exit 1')
    install(
        server,
        f'lim command pre-user-fstat$ "{show} %argc% %quote%--args=%args%%quote% %argsQuoted%"',
    )

    (output,) = refusal(p4, "fstat", "-m", "1", "//depot/a b,c")
    assert output in {
        f"'lim' validation failed: <3>{args}{quoted}" for args in ARGS for quoted in ARGS_QUOTED
    }
