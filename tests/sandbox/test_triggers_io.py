"""Tests of triggers that exchange dictionaries with the sandbox server (triggers.io=1).

This protocol is derived from published trigger scripts, and a real server may differ; therefore
the tests do not run against a real p4d.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from P4 import P4, P4Exception

from p4warden_sandbox import Sandbox, Settings
from p4warden_sandbox.trigger_dictionary import dictionary
from support.servers import ClientFactory
from support.triggers import Install, Script


@pytest.fixture
def dictionary_sandbox() -> Iterator[Sandbox]:
    with Sandbox(Settings(triggers_io=True)) as sandbox:
        yield sandbox


@pytest.fixture
def p4(dictionary_sandbox: Sandbox, connect: ClientFactory) -> P4:
    return connect(dictionary_sandbox)


def refusal(p4: P4) -> str:
    with pytest.raises(P4Exception) as error:
        p4.run("key", "x")
    (message,) = error.value.errors
    return message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("echo action:fail; echo message:not%20now%0Aask%20ops", "not now\nask ops"),
        ("echo action:fail; echo message: 100% plain: yes", "100% plain: yes"),
        ("echo action:fail; exit 7", "no error message"),
    ],
)
def test_action_fail_refuses_the_command_with_its_message(
    dictionary_sandbox: Sandbox, p4: P4, install: Install, script: Script, text: str, message: str
) -> None:
    install(dictionary_sandbox, f"t command pre-user-key {script(text)}")

    assert refusal(p4) == f"'t' validation failed: {message}"


@pytest.mark.parametrize(
    ("text", "messages"),
    [
        ("echo action:pass", []),
        ("echo action:pass; exit 1", []),
        ("echo action:pass; echo message:by%20the%20way", ["by the way"]),
    ],
)
def test_action_pass_allows_the_command_and_shows_its_message(
    dictionary_sandbox: Sandbox,
    p4: P4,
    install: Install,
    script: Script,
    text: str,
    messages: list[str],
) -> None:
    install(dictionary_sandbox, f"t command pre-user-key {script(text)}")

    assert p4.run("key", "x")[:-1] == messages


@pytest.mark.parametrize(
    "text",
    ["exit 0", "exit 1", "echo no", "echo action:maybe", "echo action:pass; echo oops >&2"],
)
def test_invalid_trigger_output_refuses_the_command(
    dictionary_sandbox: Sandbox, p4: P4, install: Install, script: Script, text: str
) -> None:
    install(dictionary_sandbox, f"t command pre-user-key {script(text)}")

    assert refusal(p4) == ("A server-side trigger ('t') produced indecipherable output (command)")


def test_trigger_variables_are_sent_on_standard_input(
    dictionary_sandbox: Sandbox, p4: P4, install: Install, script: Script, tmp_path: Path
) -> None:
    values = tmp_path / "seen"
    install(
        dictionary_sandbox,
        f"t command pre-user-key {script(f'cat > {values}; echo action:pass')}",
    )

    p4.run("key", "x")

    lines = values.read_text().splitlines()
    assert {"user:ann", "command:user-key", "args:x", "triggerMeta_name:t"} <= set(lines)
    assert not any(line.startswith(("clienthost:", "peerhost:")) for line in lines)


def test_a_trigger_may_leave_its_standard_input_unread(
    dictionary_sandbox: Sandbox, p4: P4, install: Install, script: Script
) -> None:
    install(dictionary_sandbox, f"t command pre-user-key {script('exec <&-; echo action:pass')}")

    assert p4.run("key", "x" * 200_000)[0]["value"] == "0"


def test_line_breaks_in_variable_values_are_percent_encoded() -> None:
    assert dictionary({"args": "a\nuser:root\r%", "user": "ann"}) == (
        b"args:a%0Auser:root%0D%25\nuser:ann\n"
    )


@pytest.mark.parametrize(
    ("notation", "values", "content"),
    [
        ("colon", "encoded", b"args:a%25%0Ab\n"),
        ("colon-blank", "encoded", b"args: a%25%0Ab\n"),
        ("colon", "plain", b"args:a%\nb\n"),
        ("colon-blank", "plain", b"args: a%\nb\n"),
    ],
)
def test_variants_determine_the_notation_of_the_dictionary(
    notation: str, values: str, content: bytes
) -> None:
    assert dictionary({"args": "a%\nb"}, notation, values) == content


def test_the_built_in_actions_pass_and_fail_work_with_triggers_io(
    dictionary_sandbox: Sandbox, p4: P4, install: Install
) -> None:
    install(
        dictionary_sandbox,
        "a command pre-user-key pass",
        'b command pre-user-key "fail no"',
    )

    assert refusal(p4) == "'b' validation failed: no"
