"""Tests of user-chosen names that break a trigger line apart: other users are unaffected."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from P4 import P4, P4Exception

from p4warden_sandbox import Sandbox, Settings
from support.warden import Warden

if TYPE_CHECKING:
    from pathlib import Path

    from support.servers import ClientFactory

TEXT = "cannot be used on this server, because it contains "
POLICY = """\
version: 1
contact: "admins@example.com"
exemptions:
  - {{users: [p4admin], reason: administration, owner: scm}}
  - {{groups: [build-farm], reason: builds, owner: ci}}
rules:
  - {{name: scope, rule: limit_command_scope, mode: {mode}, commands: [fstat], min_depth: 1}}
  - name: polling
    rule: limit_command_rate
    mode: {mode}
    commands: [fstat]
    limits:
      - {{per: [user], allow: 60 per 1h, burst: 60}}
      - {{per: [user, client, args], allow: 1 per 1h, burst: 2}}
      - {{per: [user, client, shape], allow: 1 per 1h, burst: 20}}
  - {{name: views, rule: limit_view_scope, mode: {mode}}}
"""
NARROW, WIDE = ("fstat", "//depot/main/README"), ("fstat", "//...")
BREAKING = [
    {"prog": 'x"'},
    {"prog": 'x" "--args='},
    {"prog": 'x" "--cwd=" "--args=//depot/main/a" "--end=.'},
    {"prog": 'p4 "v" --version='},
    {"prog": "x --args=//depot/main/a --end=."},
    {"client": 'ws"'},
    {"client": 'ws"\t"--version=1'},
    {"client": 'w"s" "--prog=build-agent" "--cwd='},
    {"user": 'eve"'},
    {"user": 'p4admin" "--client=ws" "--version=" "--prog=p4" "--cwd=" "--args=x" "--end=.'},
    {"user": 'eve" --groups=build-farm "'},
]


def refusal(p4: P4, *command: str) -> str:
    """Run a p4 command; return the refusal by a trigger, or an empty text if it passes."""
    with p4.at_exception_level(P4.RAISE_NONE):
        p4.run(*command)
    return "\n".join(text for text in p4.errors if "validation failed" in text)


@pytest.mark.parametrize("names", BREAKING, ids=lambda names: next(iter(names.values())))
def test_a_name_that_breaks_the_trigger_line_is_refused_for_any_path(
    sandbox: Sandbox, tmp_path: Path, connect: ClientFactory, names: dict[str, str]
) -> None:
    warden = Warden(sandbox, tmp_path)
    warden.install(POLICY.format(mode="enforce"))
    p4 = connect(sandbox, **names)
    assert TEXT in refusal(p4, *WIDE)
    for _ in range(3):
        assert TEXT in refusal(p4, *NARROW)
    assert [refusal(connect(sandbox), *NARROW) for _ in range(2)] == ["", ""]
    report = [record for record in warden.log() if record["user"] == "(tampered line)"]
    assert len(report) == 1
    assert report[0]["tampered"] is True
    assert report[0]["ip"] == "127.0.0.1"


def test_many_names_that_break_the_trigger_line_give_one_log_record_and_use_no_rate(
    sandbox: Sandbox, tmp_path: Path, connect: ClientFactory
) -> None:
    warden = Warden(sandbox, tmp_path)
    warden.install(POLICY.format(mode="enforce"))
    for number in range(20):
        p4 = connect(sandbox, user="ann", client="ws", prog=f'x{number}"')
        text = refusal(p4, *NARROW)
        assert f"Your program's name (x{number}" in text
        assert f") {TEXT}" in text
    assert [refusal(connect(sandbox), *NARROW) for _ in range(2)] == ["", ""]
    assert {record["user"] for record in warden.log()} == {"(tampered line)"}
    assert len(warden.log()) == 1


def test_rules_in_observe_mode_log_a_broken_trigger_line_and_refuse_nothing(
    sandbox: Sandbox, tmp_path: Path, connect: ClientFactory
) -> None:
    warden = Warden(sandbox, tmp_path)
    warden.install(POLICY.format(mode="observe"))
    p4 = connect(sandbox, prog='x"')
    assert [refusal(p4, *NARROW) for _ in range(10)] == [""] * 10
    [record] = warden.log()
    assert (record["verdict"], record["summary"]) == (
        "observe",
        "a name breaks the trigger line apart",
    )
    assert warden.counts()["observed"] == 10


def test_exemptions_by_values_before_the_break_of_a_trigger_line_apply(
    sandbox: Sandbox, tmp_path: Path, connect: ClientFactory
) -> None:
    Warden(sandbox, tmp_path).install(POLICY.format(mode="enforce"))
    assert refusal(connect(sandbox, user="build", prog='x"'), *WIDE) == ""
    assert refusal(connect(sandbox, user="build", client='x"'), *WIDE) == ""
    forgery = 'p4admin" "--client=ws" "--version=" "--prog='
    assert TEXT in refusal(connect(sandbox, user=forgery), *WIDE)


@pytest.mark.touches("args", "unknown-variables", "groups", "triggers-io", "version")
@pytest.mark.parametrize(
    "prog",
    [
        "P4V/NTX64/2024.1/123 (v86)",
        "a=b --fast [1] {2}",
        "\u00dcbersetzer \u7ffb\u8bd1",
        "it's; $(id) `id` | x",
        "C:\\tools\\",
    ],
)
def test_valid_names_with_special_characters_are_judged_normally(
    sandbox: Sandbox, tmp_path: Path, connect: ClientFactory, prog: str
) -> None:
    warden = Warden(sandbox, tmp_path)
    warden.install(POLICY.format(mode="enforce"))
    p4 = connect(sandbox, prog=prog, client="w(s)=[1]")
    assert [refusal(p4, *NARROW)[:8] for _ in range(2)] == ["", ""]
    assert "was sent too often: " in refusal(p4, *NARROW)
    assert "Argument 1 of your command" in refusal(p4, *WIDE)
    assert "tampered" not in warden.log()[0]


@pytest.mark.touches("args", "unknown-variables", "triggers-io", "version")
@pytest.mark.parametrize(
    "arguments",
    [
        ("-T", " ", "//..."),
        ("-T", '"', "//..."),
        ("-F", "", "//..."),
        ("-m", "", "//depot/..."),
        ("-A", '""', "//depot/..."),
    ],
)
def test_a_wide_path_after_an_empty_or_quoted_option_value_is_refused(
    sandbox: Sandbox, tmp_path: Path, connect: ClientFactory, arguments: tuple[str, ...]
) -> None:
    Warden(sandbox, tmp_path).install(POLICY.format(mode="enforce"))
    p4 = connect(sandbox)
    assert "rule=scope" in refusal(p4, "fstat", *arguments)


@pytest.mark.touches("args", "triggers-io")
def test_a_file_name_with_quotation_marks_is_allowed(
    sandbox: Sandbox, tmp_path: Path, connect: ClientFactory
) -> None:
    Warden(sandbox, tmp_path).install(POLICY.format(mode="enforce"))
    p4 = connect(sandbox)
    names = ('//depot/main/a"b.c', '//depot/main/"a b"', '//depot/main/""', '//depot/main/a"')
    assert [refusal(p4, "fstat", name) for name in names] == [""] * 4
    assert refusal(p4, "fstat", "-T", "depotFile", *names) == ""


@pytest.mark.parametrize("names", [{"prog": 'x"'}, {"client": 'ws"'}, {"user": 'eve"'}])
def test_a_form_is_refused_if_a_name_breaks_the_trigger_line(
    sandbox: Sandbox, tmp_path: Path, connect: ClientFactory, names: dict[str, str]
) -> None:
    warden = Warden(sandbox, tmp_path)
    warden.install(POLICY.format(mode="enforce"))
    p4 = connect(sandbox, **names)
    form = "Client: ws2\nOwner: ann\nRoot: /tmp\nView:\n\t//depot/main/... //ws2/...\n"
    with pytest.raises(P4Exception, match="contains a quotation mark"):
        save(p4, form)
    [record] = warden.log()
    assert (record["user"], record["event"], record["tampered"]) == (
        "(tampered line)",
        "form-save",
        True,
    )


def save(p4: P4, form: str) -> None:
    p4.input = form
    p4.run("client", "-i")


@pytest.mark.parametrize(
    ("names", "problem"),
    [
        ({"user": "ann"}, ""),
        ({"prog": "P4V/NTX64/2024.1/123 (v86): 100%"}, ""),
        ({"user": 'a"n"n'}, 'Your user name (a"n"n'),
        ({"prog": 'p"4"'}, 'Your program\'s name (p"4"'),
        ({"client": 'w"s"'}, 'Your client name (ws"'),
        ({"prog": 'x"'}, "Your program's name (x"),
    ],
)
def test_with_triggers_io_names_with_paired_quotation_marks_are_refused(
    tmp_path: Path, connect: ClientFactory, names: dict[str, str], problem: str
) -> None:
    with Sandbox(Settings(triggers_io=True)) as sandbox:
        warden = Warden(sandbox, tmp_path)
        warden.install(POLICY.format(mode="enforce"))
        p4 = connect(sandbox, **names)
        text = refusal(p4, *NARROW)
        assert (TEXT in text) == bool(problem)
        assert problem in text
        form = "Client: ws2\nOwner: ann\nRoot: /tmp\nView:\n\t//depot/main/... //ws2/...\n"
        if problem:
            with pytest.raises(P4Exception, match="contains a quotation mark"):
                save(p4, form)
        else:
            save(p4, form)
