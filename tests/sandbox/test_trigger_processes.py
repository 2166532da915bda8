"""Tests of the sandbox's trigger processes: exit codes, signals, programs that cannot be started.

Also of the words that they receive, and of child processes that hold their output pipe open.
"""

import os
import sys
from pathlib import Path
from threading import Thread

import pytest
from P4 import P4, P4Exception

from p4warden_sandbox import Sandbox
from support.servers import ClientFactory, Server
from support.triggers import Install, Script

MAX_ARGUMENT_BYTES = 128 * 1024


@pytest.fixture
def p4(server: Server, connect: ClientFactory) -> P4:
    return connect(server)


def refusal(p4: P4) -> str:
    """Run `p4 depots`, which a trigger refuses; return the text of the refusal."""
    with pytest.raises(P4Exception) as error:
        p4.run("depots")
    (message,) = error.value.errors
    assert message.startswith("'t' validation failed: ")
    return message.removeprefix("'t' validation failed: ")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("echo no; exit 1", "no"),
        ("echo no; echo why >&2; exit 255", "no\nwhy"),
        ("exit 3", "no error message"),
        ("printf 'no\\n\\n'; exit 1", "no\n"),
        ("printf 'no\\r\\n'; exit 1", "no"),
        ("exec no-such-program", "{script}: 2: exec: no-such-program: not found"),
    ],
)
def test_a_nonzero_exit_code_refuses_the_command_with_the_output(
    server: Server, p4: P4, install: Install, script: Script, text: str, message: str
) -> None:
    program = script(text)
    install(server, f"t command pre-user-depots {program}")

    assert refusal(p4) == message.format(script=program)


@pytest.mark.parametrize(
    ("text", "messages"),
    [
        ("exit 0", []),
        ("echo fine", ["fine"]),
        (f"exec {sys.executable} -c 'import os; os._exit(256)'", []),
    ],
)
def test_exit_code_0_allows_the_command_and_shows_the_output(
    server: Server, p4: P4, install: Install, script: Script, text: str, messages: list[str]
) -> None:
    install(server, f"t command pre-user-depots {script(text)}")

    *output, _, _, _ = p4.run("depots")

    assert output == messages


@pytest.mark.parametrize(
    ("text", "messages"),
    [("kill -9 $$", []), ("echo dying; kill -SEGV $$", ["dying"]), ("kill -TERM $$", [])],
)
def test_a_trigger_killed_by_a_signal_allows_the_command_by_default(
    sandbox: Sandbox,
    connect: ClientFactory,
    install: Install,
    script: Script,
    text: str,
    messages: list[str],
) -> None:
    install(sandbox, f"t command pre-user-depots {script(text)}")

    *output, _, _, _ = connect(sandbox).run("depots")

    assert output == messages


def test_a_trigger_with_a_traceback_refuses_the_command_and_shows_it(
    server: Server, p4: P4, install: Install, script: Script
) -> None:
    install(server, f"t command pre-user-depots {script(f'exec {sys.executable} -c 1/0')}")

    report = refusal(p4).splitlines()

    assert (report[0], report[-1]) == (
        "Traceback (most recent call last):",
        "ZeroDivisionError: division by zero",
    )


def test_a_missing_trigger_program_refuses_the_command(
    server: Server, p4: P4, install: Install
) -> None:
    install(server, 't command pre-user-depots "/no/such --user=%user%"')

    assert refusal(p4) == "Execution Failed: /no/such --user=ann: No such file or directory"


def test_a_trigger_program_that_is_not_executable_refuses_the_command(
    server: Server, p4: P4, install: Install, tmp_path: Path
) -> None:
    (tmp_path / "plain").write_text("#!/bin/sh\n")
    install(server, f"t command pre-user-depots {tmp_path}/plain")

    assert refusal(p4) == f"Execution Failed: {tmp_path}/plain: Permission denied"


def test_a_missing_script_interpreter_refuses_the_command(
    server: Server, p4: P4, install: Install, tmp_path: Path
) -> None:
    program = tmp_path / "program"
    program.write_text("#!/no/such/python\n")
    program.chmod(0o700)
    install(server, f"t command pre-user-depots {program}")

    assert refusal(p4) == f"Execution Failed: {program}: No such file or directory"


def test_a_trigger_script_without_a_shebang_is_run_by_the_shell(
    server: Server, p4: P4, install: Install, tmp_path: Path
) -> None:
    program = tmp_path / "program"
    program.write_text('echo "$1"; exit 1\n')
    program.chmod(0o700)
    install(server, f't command pre-user-depots "{program} %user%"')

    assert refusal(p4) == "ann"


def test_a_trigger_program_without_a_folder_is_found_on_the_path(
    server: Server, p4: P4, install: Install
) -> None:
    install(server, "t command pre-user-depots false")

    assert refusal(p4) == "no error message"


def test_an_empty_trigger_command_refuses_the_user_command(
    sandbox: Sandbox, connect: ClientFactory, install: Install
) -> None:
    install(sandbox, 't command pre-user-depots ""')

    assert refusal(connect(sandbox)) == "Missing command!"


@pytest.mark.parametrize(("count", "is_run"), [(1022, True), (1023, False)])
def test_a_trigger_command_of_more_than_1023_words_is_not_run(
    sandbox: Sandbox, connect: ClientFactory, install: Install, *, count: int, is_run: bool
) -> None:
    install(sandbox, f't command pre-user-depots "false{" x" * count}"')

    report = refusal(connect(sandbox))

    assert report == ("no error message" if is_run else "Too many options on command!")


@pytest.mark.parametrize(
    ("size_bytes", "message"),
    [
        (MAX_ARGUMENT_BYTES - 1, "no error message"),
        (MAX_ARGUMENT_BYTES, "Execution Failed: false {argument}: Argument list too long"),
    ],
)
def test_a_trigger_argument_of_128_kib_is_too_long_to_run(
    sandbox: Sandbox, connect: ClientFactory, install: Install, size_bytes: int, message: str
) -> None:
    argument = "x" * size_bytes
    install(sandbox, f't command pre-user-depots "false {argument}"')

    assert refusal(connect(sandbox)) == message.format(argument=argument)


def test_a_trigger_command_is_not_interpreted_by_a_shell(
    server: Server, p4: P4, install: Install, script: Script
) -> None:
    show = script('printf "<%s>" "$@"; exit 1')
    install(server, f"t command pre-user-depots \"{show} $(id) `id` ; 'a b' > x\"")

    assert refusal(p4) == "<$(id)><`id`><;><'a><b'><>><x>"


def test_a_trigger_starts_in_the_server_root_with_empty_standard_input(
    server: Server, p4: P4, install: Install, script: Script
) -> None:
    show = script('pwd; echo "$1"; cat; exit 1')
    install(server, f't command pre-user-depots "{show} %serverroot%"')

    where, root = refusal(p4).splitlines()

    assert Path(where).samefile(root)


def test_a_command_waits_for_child_processes_that_hold_the_output_pipe(
    server: Server, p4: P4, install: Install, script: Script, tmp_path: Path
) -> None:
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    install(server, f"t command pre-user-depots {script(f'cat {gate} & exit 1')}")
    report: list[str] = []
    thread = Thread(target=lambda: report.append(refusal(p4)))
    thread.start()

    # The trigger left a child process behind that still holds its output pipe; the user's command
    # ends only when the child closes the pipe.
    gate.write_text("late")
    thread.join()

    assert report == ["late"]
