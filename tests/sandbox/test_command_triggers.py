"""Tests of command triggers (pre-user-, post-user-) on the sandbox server."""

import pytest
from P4 import P4, P4Exception

from support.servers import Connect, Server
from support.triggers import Install, Script


@pytest.fixture
def p4(server: Server, connect: Connect) -> P4:
    return connect(server)


def refusal(p4: P4, *command: str) -> list[str]:
    with pytest.raises(P4Exception) as refused:
        p4.run(*command)
    return refused.value.errors


def test_a_command_is_refused_before_it_runs(server: Server, p4: P4, install: Install) -> None:
    install(server, 'lim command pre-user-depots$ "fail %user% may not %command%"')

    assert refusal(p4, "depots") == ["'lim' validation failed: ann may not user-depots"]
    assert p4.run("depot", "-o", "depot")[0]["Depot"] == "depot"


def test_a_path_is_an_expression_without_an_end(server: Server, p4: P4, install: Install) -> None:
    install(server, 'lim command pre-user-depot "fail no"')

    assert refusal(p4, "depots") == ["'lim' validation failed: no"]
    assert refusal(p4, "depot", "-o", "depot") == ["'lim' validation failed: no"]


def test_one_row_for_several_commands(server: Server, p4: P4, install: Install) -> None:
    install(server, 'lim command pre-user-(fstat|files)$ "fail no"')

    assert refusal(p4, "fstat", "//depot/...") == ["'lim' validation failed: no"]
    assert refusal(p4, "files", "//depot/...") == ["'lim' validation failed: no"]


def test_what_a_trigger_writes_is_shown(
    server: Server, p4: P4, install: Install, script: Script
) -> None:
    install(
        server,
        f'pre command pre-user-counter$ "{script("echo before")}"',
        f'post command post-user-counter$ "{script("echo after")}"',
    )

    before, row, after = p4.run("counter", "x")

    assert (before, row["value"], after) == ("before", "0", "after")


def test_info_can_be_watched_only_afterwards(
    server: Server, p4: P4, install: Install, script: Script
) -> None:
    install(
        server,
        'pre command pre-user-info "fail no"',
        f'post command post-user-info "{script("echo after")}"',
    )

    assert p4.run("info")[-1] == "after"


def test_commands_the_sandbox_lacks_have_triggers_all_the_same(
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


def test_arguments_reach_a_trigger(
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
