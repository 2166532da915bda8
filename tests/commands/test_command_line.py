"""Tests of the `p4warden` command: its output and its exit code.

Most run it in the test's process, which takes a tenth of a start of Python.
"""

from __future__ import annotations

import contextlib
import io
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree as ET

import click
import pytest

from p4warden import cli
from p4warden.asking import gate_program
from p4warden.core.subcommands import SUBCOMMANDS
from p4warden.home import active_policy, trusted_files
from p4warden.home.summed_file import summed, text
from p4warden.policy import compiled

POLICY = Path(__file__).parents[2] / "policies" / "default.yaml"
WIDE = "Client:\tws\nView:\n\t//depot/... //ws/...\n"
REFUSAL = """\
View line 1 of your client ws (//depot/... //ws/...) maps all of //depot; name at least one \
directory below it.
Name only the directories you work on, for example:
  //depot/main/... //ws/main/...
Questions: Perforce admins <p4-admins@example.com>
The policy: https://wiki.example.com/p4-policy
p4warden: rule=no-whole-depot limit=1 value=0 id=9wkwd5sh
"""
EVENT = {"id": 7, "event": "form-save", "type": "client", "name": "ws", "user": "ann"}


class CommandResult(NamedTuple):
    code: int
    output: str
    errors: str


def run(*arguments: str, input_bytes: bytes = b"") -> CommandResult:
    """Run `p4warden` in this process."""
    given, output, errors = (
        io.TextIOWrapper(io.BytesIO(text)) for text in (input_bytes, b"", b"")
    )
    own_input, sys.stdin = sys.stdin, given
    try:
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
            code = cli.run([*arguments])
    finally:
        sys.stdin = own_input
    output.seek(0)
    errors.seek(0)
    return CommandResult(code, output.read(), errors.read())


def run_process(*arguments: str, input_bytes: bytes = b"") -> CommandResult:
    """Run `p4warden` as a person does."""
    process = subprocess.run(
        [sys.executable, "-m", "p4warden", *arguments],
        input=input_bytes,
        capture_output=True,
        check=False,
    )
    return CommandResult(process.returncode, process.stdout.decode(), process.stderr.decode())


def evaluate(*events: dict[str, Any] | str, policy: Path = POLICY) -> list[dict[str, Any]]:
    lines = "".join(f"{e if isinstance(e, str) else json.dumps(e)}\n" for e in events)
    result = run("evaluate", "--policy", str(policy), input_bytes=lines.encode())
    assert result.code == 0, result.errors
    return [json.loads(line) for line in result.output.splitlines()]


def test_check_reports_the_counts_of_rules_and_exemptions_of_a_valid_policy() -> None:
    output = (
        f"{POLICY}:4:10: warning: contact: example.com is an example that reaches nobody "
        "(write your own)\n"
        f"{POLICY}:5:11: warning: help_url: wiki.example.com is an example that reaches nobody "
        "(write your own)\n"
        f"{POLICY}: 2 rules, 2 exemptions: 2 warnings\n"
    )
    assert run_process("check", str(POLICY)) == CommandResult(0, output, "")


def test_activate_uses_p4warden_home_unless_the_option_home_is_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("P4WARDEN_HOME", str(tmp_path / "one"))
    assert run("activate", str(POLICY)).output.startswith(f"{tmp_path}/one: policy ")
    result = run("activate", str(POLICY), "--home", str(tmp_path / "two"))
    assert result.output.startswith(f"{tmp_path}/two: policy ")


def test_check_reports_a_mistake_with_its_file_line_and_column(tmp_path: Path) -> None:
    file = tmp_path / "bad.yaml"
    file.write_text("version: 1\ncontact: x\nrules: 5\n")
    result = run("check", str(file))
    problem = "rules: 5 is not a list (a list, each item: name:, rule:, mode:)"
    assert result == CommandResult(1, f"{file}:3:8: {problem}\n", "")


@pytest.mark.parametrize(
    "arguments", [["check"], ["check", "a", "b"], ["nothing"], ["check", "--nothing", "x"]]
)
def test_a_wrong_command_line_ends_with_exit_code_2(arguments: list[str]) -> None:
    result = run(*arguments)
    assert result.code == 2
    assert result.errors.count("\n") == 1
    assert result.errors.startswith("p4warden: ")
    assert result.errors.endswith(" --help\n")


def test_evaluate_answers_a_refused_event_with_rule_finding_and_fix() -> None:
    facts = {"depots": {"depot": {"type": "local", "directories": ["main"]}}}
    [answer] = evaluate({**EVENT, "form": WIDE, "facts": facts, "time": 1795262355.5, "new": 1})
    problem = "maps all of //depot; name at least one directory below it"
    fix = "//depot/main/... //ws/main/..."
    assert answer == {
        "id": 7,
        "verdict": "refuse",
        "rule": "no-whole-depot",
        "value": None,
        "summary": "a view maps more of a depot than the policy allows",
        "detail": f"View line 1 (//depot/... //ws/...) {problem}",
        "fix": fix,
        "delay_s": None,
        "retry_after_s": None,
        "exemption": None,
        "form": None,
        "findings": [
            {
                "rule": "no-whole-depot",
                "verdict": "refuse",
                "item": "//depot/... //ws/...",
                "place": "View line 1",
                "problem": problem,
                "value": 0,
                "limit": 1,
                "fix": [fix],
                "more": 0,
            }
        ],
        "would": [],
        "unknown": [],
        "text": REFUSAL,
    }


def test_evaluate_answers_an_exempt_event_with_its_exemption_and_no_rule() -> None:
    [answer] = evaluate({**EVENT, "form": WIDE, "groups": ["build-farm"]})
    assert answer["verdict"] == "allow"
    assert answer["rule"] is None
    assert answer["exemption"] == "builds whole releases (owner: ci-team)"


def test_evaluate_keeps_surrogate_escapes_of_bytes_that_are_not_utf8() -> None:
    [answer] = evaluate({**EVENT, "form": "Client:\tws\nView:\n\t//d\udce9/... //ws/...\n"})
    assert answer["findings"][0]["item"] == "//d\udce9/... //ws/..."


@pytest.mark.parametrize("event", ["form-out", "command", "change-submit"])
def test_evaluate_allows_an_event_that_no_rule_judges(event: str) -> None:
    [answer] = evaluate({"id": "x", "event": event, "command": "files", "args": ["//..."]})
    assert (answer["id"], answer["verdict"]) == ("x", "allow")


BAD_LINES = {
    "{": "invalid JSON",
    "[" * 100_000: "invalid JSON",
    "\xff": "invalid JSON",
    "5": "the line is not a JSON object",
    '{"event": "x"}': "event is 'x', not one of form-save",
    '{"event": "form-save", "user": 5}': "user is not text",
    '{"event": "form-save", "groups": "dev"}': "groups is not a list of names",
    '{"event": "form-save", "time": "now"}': "time is not a number",
    '{"event": "form-save", "time": -1}': "time is not a number",
    '{"event": "form-save", "facts": {"depots": 1}}': "facts: depots is not an object",
}


def test_evaluate_reports_and_skips_a_line_that_is_not_an_event() -> None:
    good = json.dumps({**EVENT, "form": WIDE})
    lines = [*BAD_LINES, "", good]
    result = run_process(
        "evaluate", "--policy", str(POLICY), input_bytes="\n".join(lines).encode("latin-1")
    )
    assert result.code == 1
    assert json.loads(result.output)["verdict"] == "refuse"
    errors = result.errors.splitlines()
    assert len(errors) == len(BAD_LINES)
    for number, (error, problem) in enumerate(zip(errors, BAD_LINES.values(), strict=True), 1):
        assert error.startswith(f"stdin:{number}:1: {problem}")


def test_activate_keeps_the_pressure_limits_of_the_policy(tmp_path: Path) -> None:
    file = tmp_path / "policy.yaml"
    file.write_text(POLICY.read_text() + "\npressure: {medium: 40, high: 80}\n")
    assert run("activate", str(file), "--home", str(tmp_path / "home")).code == 0
    policy = compiled.loads(trusted_files.read(str(tmp_path / "home"), "policy.json"))
    assert policy.pressure == {"medium": 40, "high": 80}


def test_a_policy_that_the_gate_refuses_changes_no_file(tmp_path: Path) -> None:
    trusted_files.replace(str(tmp_path), "policy.json", b"{}")
    rule = {"name": "deep", "rule": "limit_command_scope", "mode": "enforce", "min_depth": 21}
    document = {"contact": "admins", "rules": [rule | {"commands": ["fstat"]}]}
    with pytest.raises(gate_program.GateError) as error:
        active_policy.replace(str(tmp_path), compiled.compile_policy(document, "0" * 64))
    assert str(error.value) == "policy.json: rule deep: 21 directories are over 20"
    assert (tmp_path / "policy.json").read_bytes() == b"{}"


def contents(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def test_activate_without_a_policy_writes_the_active_policy_again(tmp_path: Path) -> None:
    assert run("activate", "--home", str(tmp_path)).code == 1
    run("activate", str(POLICY), "--home", str(tmp_path))
    before = contents(tmp_path)
    policy = tmp_path / "policy.json"
    policy.write_bytes(summed(text(policy.read_bytes()).replace('"format"', ' "format"')))
    result = run("activate", "--home", str(tmp_path))
    assert result.output.endswith(" is now active; rules: 1 enforce, 1 observe\n")
    assert contents(tmp_path) == before


def test_evaluate_uses_the_policy_that_activate_wrote(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "home"
    result = run("activate", str(POLICY), "--home", str(folder))
    assert result.code == 0
    assert result.output.endswith(" is now active; rules: 1 enforce, 1 observe\n")
    policy = compiled.loads(trusted_files.read(str(folder), "policy.json"))
    assert [rule.name for rule in policy.rules] == ["no-whole-depot", "fstat-polling"]
    event = {**EVENT, "form": WIDE}
    answer = run("evaluate", "--home", str(folder), input_bytes=json.dumps(event).encode())
    assert json.loads(answer.output)["rule"] == "no-whole-depot"


def test_activate_refuses_an_invalid_policy_and_keeps_the_active_policy(tmp_path: Path) -> None:
    run("activate", str(POLICY), "--home", str(tmp_path))
    before = (tmp_path / "policy.json").read_bytes()
    (tmp_path / "bad.yaml").write_text("version: 1\n")
    result = run("activate", str(tmp_path / "bad.yaml"), "--home", str(tmp_path))
    assert result.code == 1
    assert "contact is missing" in result.errors
    assert (tmp_path / "policy.json").read_bytes() == before


@pytest.mark.parametrize(
    "policy", sorted(POLICY.parent.glob("*.cases.yaml")), ids=lambda p: p.stem
)
def test_a_shipped_policy_passes_its_cases(policy: Path, tmp_path: Path) -> None:
    junit = tmp_path / "junit.xml"
    yaml_file = policy.with_name(policy.name.replace(".cases", ""))
    result = run("test", str(yaml_file), "--junit", str(junit))
    assert result.code == 0, result.output
    assert result.output.endswith(" cases, 0 failed\n")
    assert ET.parse(junit).getroot().get("failures") == "0"


def test_results_of_cases_with_odd_names_are_xml(tmp_path: Path) -> None:
    policy, junit = tmp_path / "\udcff.yaml", tmp_path / "junit.xml"
    policy.write_bytes(POLICY.read_bytes())
    cases = 'cases:\n  - {name: "a\\x01\\e", view: [], verdict: refuse}\n'
    policy.with_suffix(".cases.yaml").write_text(cases)
    run("test", str(policy), "--junit", str(junit))
    [case] = ET.parse(junit).getroot()
    assert (case.get("classname"), case.get("name")) == (f"{tmp_path}/\\xff.yaml", "a\\x01\\x1b")


def test_a_policy_whose_path_is_not_utf_8_is_the_active_one(tmp_path: Path) -> None:
    policy = tmp_path / "\udcff.yaml"
    rule = "{name: wide, rule: limit_view_scope, mode: observe}"
    policy.write_text(f"version: 1\ncontact: a@p4.org\nrules: [{rule}]\n")
    home = str(tmp_path / "home")
    assert run("activate", str(policy), "--home", home).code == 0
    assert active_policy.source_path(home) == str(policy)


def test_a_failed_case_is_reported_with_its_file_line_and_column(tmp_path: Path) -> None:
    cases = tmp_path / "cases.yaml"
    cases.write_text(
        "cases:\n"
        "  - {name: wide, view: ['//depot/... //ws/...'], verdict: allow}\n"
        "  - {name: narrow, view: ['//depot/a/... //ws/...'], verdict: allow}\n"
    )
    result = run("test", str(POLICY), str(cases))
    assert result.code == 1
    first, last = result.output.splitlines()
    assert first.startswith(f"{cases}:2:5: wide: the verdict is refuse, not allow: View line 1 (")
    assert last == "2 cases, 1 failed"


def test_a_policy_without_a_case_file_is_reported(tmp_path: Path) -> None:
    policy = tmp_path / "policy.yaml"
    policy.write_bytes(POLICY.read_bytes())
    result = run("test", str(policy))
    assert result.code == 1
    beside = tmp_path / "policy.cases.yaml"
    assert result.errors == (
        f"p4warden: {policy} has no test cases: {beside} does not exist; write some there\n"
    )


def test_a_missing_or_empty_case_file_is_reported(tmp_path: Path) -> None:
    cases = tmp_path / "cases.yaml"
    result = run("test", str(POLICY), str(cases))
    assert result.code == 1
    assert result.errors == (
        f"p4warden: {cases} does not exist; name an existing file of test cases\n"
    )
    cases.write_text("# no cases yet\n")
    result = run("test", str(POLICY), str(cases))
    assert result.errors.endswith(f"{cases}:1:1: the file is empty (start it with cases:)\n")


def test_a_missing_policy_is_reported_before_its_cases(tmp_path: Path) -> None:
    result = run("test", str(tmp_path / "policy.yaml"))
    assert "policy.yaml:1:1: cannot be read: No such file or directory" in result.errors


def test_evaluate_without_an_active_policy_suggests_activate(tmp_path: Path) -> None:
    result = run("evaluate", "--home", str(tmp_path))
    assert result.code == 1
    assert "run p4warden activate POLICY --home" in result.errors


def report_of(defect: Exception, capsys: pytest.CaptureFixture[str]) -> str:
    """Return the report about a command with a defect, of which stderr has only the file."""

    @click.command()
    def fail() -> None:
        raise defect

    assert cli.run([], fail) == 3
    output = capsys.readouterr().err
    assert output.count("\n") == 1
    report = Path(output.split()[-1])
    text = report.read_text("utf-8")
    report.unlink()
    return text


def test_the_traceback_of_a_defect_is_written_to_a_file_and_not_to_stderr(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert "Traceback" in report_of(ZeroDivisionError("a defect"), capsys)


def test_the_report_of_a_defect_escapes_a_path_that_is_not_utf8(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert "/home/caf\\udce9" in report_of(ValueError("/home/caf\udce9"), capsys)


def test_every_subcommand_has_a_module_and_a_help_text() -> None:
    group = cli.p4warden
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        assert command.help
    assert run("--help").output.count("\n  ") >= len(SUBCOMMANDS)


@pytest.mark.parametrize("name", SUBCOMMANDS)
def test_a_help_names_ranges_in_words(name: str) -> None:
    command = cli.p4warden.get_command(click.Context(cli.p4warden), name)
    assert command is not None
    parts = command.commands.values() if isinstance(command, click.Group) else ()
    helps = [one.get_help(click.Context(one)) for one in (command, *parts)]
    assert not [text for text in helps if re.search(r"[<>]=?x|x[<>]=?", text)]


def test_the_help_has_five_groups_for_people_and_one_for_programs_at_the_end() -> None:
    groups = [part.split(":\n") for part in run("--help").output.split("\n\n")[3:]]
    assert [title for title, _ in groups] == [
        "Rehearse, before anything is installed",
        "Write a policy",
        "Put it on the server, and take it off",
        "Every day",
        "Several servers",
        "For programs, timers and tests",
    ]
    assert "\n  evaluate " in f"\n{groups[-1][1]}"
    assert "\n  sandbox " in groups[-1][1]


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (("reprot",), "report"),
        (("notify",), "notify-owners"),
        (("notify_owners",), "notify-owners"),
        (("disable",), "off"),
        (("sandbx",), "sandbox"),
        (("deploy", "unistall"), "uninstall"),
        (("log", "repor"), "report"),
        (("log", "lod"), "load"),
        (("check", "--hom"), "--home"),
        (("census", "--jsn"), "--json"),
    ],
)
def test_a_mistyped_command_or_option_is_refused_with_the_one_that_was_meant(
    words: tuple[str, ...], meant: str
) -> None:
    result = run(*words)
    assert result.code == 2
    assert f"{words[-1]}' (did you mean {meant}?); for help: p4warden" in result.errors


@pytest.mark.parametrize("message", ["No such option: --jsn", "No such option '--jsn'."])
@pytest.mark.parametrize("possible", [(), ("--json",), ("--csv", "--json")])
def test_each_release_of_click_is_corrected_in_the_same_words(
    message: str, possible: tuple[str, ...]
) -> None:
    def fails(**_: object) -> None:
        context = click.get_current_context()
        raise click.NoSuchOption("--jsn", message, possible, context)

    command = click.Command("census", callback=fails, params=[click.Option(["--json"])])
    with contextlib.redirect_stderr(io.StringIO()) as errors:
        assert cli.run([], command) == 2
    assert "No such option '--jsn' (did you mean --json?); for help: " in errors.getvalue()


@pytest.mark.parametrize("name", ["xyzzy", "x y z", "xyzzy'xyzzy", "xyzzy."])
def test_a_command_that_is_like_no_other_has_no_proposal(name: str) -> None:
    assert run(name).errors == f"p4warden: No such command {name!r}; for help: p4warden --help\n"


@pytest.mark.parametrize(
    ("program", "problem"),
    [
        ("/missing/p4d", "/missing/p4d: cannot be started: No such file or directory"),
        ("/bin/true", "/bin/true -V prints no P4D release; specify p4d with --p4d"),
    ],
)
def test_prove_without_a_p4d_ends_with_one_line_and_writes_no_report(
    tmp_path: Path, program: str, problem: str
) -> None:
    result = run("prove", "--p4d", program, "--json", str(tmp_path / "report.json"))
    assert result == CommandResult(2, "", f"p4warden: {problem}\n")
    assert [*tmp_path.iterdir()] == []


def test_the_help_of_a_number_names_no_bound_that_nobody_reaches() -> None:
    for name in SUBCOMMANDS:
        assert "9223372036854775807" not in run(name, "--help").output


@pytest.mark.parametrize(
    "words",
    [
        ("replay", "log", "--suggest", "--headroom", "nan"),
        ("log", "report", "users", "--pid", "99999999999999999999"),
    ],
)
def test_a_number_that_is_none_or_too_large_is_refused(words: tuple[str, ...]) -> None:
    result = run(*words)
    assert (result.code, result.errors.count("\n")) == (2, 1)


@pytest.mark.parametrize("form", ["--csv", "--json"])
def test_a_command_whose_standard_output_is_closed_has_no_defect(
    tmp_path: Path, form: str
) -> None:
    trusted_files.make(str(tmp_path / "home"))
    words = [sys.executable, "-m", "p4warden", "report", "--home", str(tmp_path / "home"), form]
    process = subprocess.run(
        ["sh", "-c", 'exec "$@" >&-', "sh", *words], stderr=subprocess.PIPE, check=False
    )
    assert (process.returncode, process.stderr) == (0, b"")
