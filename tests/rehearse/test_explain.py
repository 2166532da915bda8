"""Tests of `p4warden explain`: its explanation of a verdict agrees with the evaluator's."""

from __future__ import annotations

import io
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from gate.program import policy as gate_policy
from p4warden import cli
from p4warden.policy import compiled
from p4warden.rehearse.explanation import explain
from support.home_files import facts_file
from support.refusal_text import without_id
from support.small_index import small_index

FOLDER = Path(__file__).parents[1] / "cases" / "exemptions"
WIDE = "Client:\tann-ws\nView:\n\t//depot/... //ann-ws/...\n"
POLICY = """\
version: 1
contact: admins@example.com
exemptions:
  - {users: [p4admin, "svc_*"], rules: [fstat-polling], reason: serves, owner: scm}
  - groups: [build]
    clients: ["b*"]
    programs: [p4]
    until: 2026-11-20
    reason: builds
    owner: ci
  - {users: [carol], reason: writes the policy, owner: scm}
  - {users: [dave], reason: never needed, owner: scm}
rules:
  - {name: labels, rule: limit_view_scope, mode: enforce, forms: [label, branch]}
  - {name: no-whole-depot, rule: limit_view_scope, mode: enforce}
  - {name: deeper, rule: limit_view_scope, mode: "off", min_depth: 2}
  - name: fstat-polling
    rule: limit_command_rate
    mode: enforce
    commands: [fstat, files]
    limits: [{per: [user], allow: 1 per 10s}]
"""

ANN = """\
form-save of client ann-ws
  user: ann
  groups: dev, qa
  client: laptop
  facts: none given; no depot is known, names are case-sensitive

labels (limit_view_scope, enforce): does not apply
  it judges form-save of label, branch; this is form-save of client

no-whole-depot (limit_view_scope, enforce): refuse
  exemption 1, serves (owner: scm), does not match:
    rules fstat-polling: does not name no-whole-depot
    users p4admin, svc_*: ann is none of them
  exemption 2, builds (owner: ci), does not match:
    until 2026-11-20: has passed, the event is of 2026-11-21
    groups build: none of dev, qa is one of them
    clients b*: none of laptop, ann-ws is one of them
    programs p4: the event has no program
  exemption 3, writes the policy (owner: scm), does not match:
    users carol: ann is none of them
  exemption 4, never needed (owner: scm), does not match:
    users dave: ann is none of them
  finds: View line 1 (//depot/... //ann-ws/...) maps all of //depot; \
name at least one directory below it
    //depot/DIRECTORY/... //ann-ws/DIRECTORY/...

deeper (limit_view_scope, off): does not apply
  its mode is off

fstat-polling (limit_command_rate, enforce): does not apply
  it judges the command fstat, files; this is form-save of client

Outcome: refuse, by no-whole-depot
The user sees:
  View line 1 of your client ann-ws (//depot/... //ann-ws/...) maps all of //depot; name at \
least one directory below it.
  Name only the directories you work on, for example:
    //depot/DIRECTORY/... //ann-ws/DIRECTORY/...
  Put a name in place of DIRECTORY; this lists the names: p4 dirs "//depot/*"
  Questions: admins@example.com
  p4warden: rule=no-whole-depot limit=1 value=0
"""

POLLING = """\
the command fstat //depot/main/... -m 1
  user: svc_x
  facts: none given; no depot is known, names are case-sensitive
  rate counters start empty; this is request 2 at the same time

labels (limit_view_scope, enforce): does not apply
  it judges form-save of label, branch; this is the command fstat

no-whole-depot (limit_view_scope, enforce): does not apply
  it judges form-save of client, stream, branch; this is the command fstat

deeper (limit_view_scope, off): does not apply
  its mode is off

fstat-polling (limit_command_rate, enforce): allow
  exemption 1, serves (owner: scm), exempts this event

Outcome: allow
The user sees no message.
"""


@pytest.fixture
def policy(tmp_path: Path) -> str:
    file = tmp_path / "policy.yaml"
    file.write_text(POLICY)
    return str(file)


@pytest.fixture
def saving(tmp_path: Path) -> str:
    """Fixture: the path of the event that Ann saves a wide client."""
    return written(tmp_path, event="form-save", type="client", name="ann-ws", form=WIDE)


def written(folder: Path, **event: Any) -> str:
    file = folder / "event.json"
    file.write_text(json.dumps(event))
    return str(file)


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    """Run `p4warden explain`; return its exit code, and its output or its error message.

    The last line of stderr is the error; a warning about an expired exemption is not tested here.
    """
    code = cli.run(["explain", *arguments])
    capture = capsys.readouterr()
    return code, without_id(capture.out) if code == 0 else capture.err.splitlines()[-1]


def test_an_event_from_a_file_is_explained_by_every_rule_and_exemption(
    capsys: pytest.CaptureFixture[str], policy: str, tmp_path: Path
) -> None:
    noon = 1795262400  # time of the explained event: 2026-11-21 12:00 UTC
    identity = {"user": "ann", "groups": ["dev", "qa"], "client": "laptop", "name": "ann-ws"}
    event = {"event": "form-save", "type": "client", "form": WIDE, "time": noon, **identity}
    file = tmp_path / "event.json"
    file.write_text(json.dumps(event))
    assert run(capsys, str(file), "--policy", policy) == (0, ANN)


def test_options_add_the_sender_of_an_event(
    capsys: pytest.CaptureFixture[str], policy: str, saving: str
) -> None:
    options = ["--user", "ann", "--groups", "dev,qa", "--client", "laptop"]
    code, text = run(capsys, "--policy", policy, saving, *options)
    assert code == 0
    assert text.partition("2026-11-20")[0] == ANN.partition("2026-11-20")[0]
    assert text.rpartition("Outcome")[2] == ANN.rpartition("Outcome")[2]


def test_a_command_event_is_explained_with_the_gates_verdict(
    capsys: pytest.CaptureFixture[str], policy: str
) -> None:
    polling = ["--policy", policy, "--repeat", "2"]
    typed = 'p4 fstat "//depot/main/..." -m 1'
    assert run(capsys, *polling, "--typed", typed, "--user", "svc_x") == (0, POLLING)
    code, text = run(capsys, *polling, "--typed", "p4 fstat", "--user", "ann")
    assert code == 0
    assert text.endswith(
        "  finds: Command (fstat) was sent too often: the limit for each user is one every "
        "10 seconds\n"
        "    Run this command less often; a program that polls can ask at longer intervals, "
        "or once for all its jobs.\n\n"
        "Outcome: refuse, by fstat-polling\n"
        "The user sees:\n"
        "  Your command p4 fstat was sent too often: the limit for each user is one every "
        "10 seconds. Try again in 10 seconds.\n"
        "  Run this command less often; a program that polls can ask at longer intervals, or once "
        "for all its jobs.\n"
        "  Questions: admins@example.com\n"
        "  p4warden: rule=fstat-polling limit=1/10s value=2 retry-after=10.0\n"
    )


def test_a_form_event_without_a_form_is_explained_as_unknown(
    capsys: pytest.CaptureFixture[str], policy: str, tmp_path: Path
) -> None:
    event = written(tmp_path, event="form-save", type="client")
    code, text = run(capsys, "--policy", policy, event, "--user", "ann")
    assert code == 0
    assert "no-whole-depot (limit_view_scope, enforce): unknown\n" in text
    assert "  the event or the index lacks facts that the rule needs" in text


def test_facts_from_a_file_are_used_for_proposed_view_lines(
    capsys: pytest.CaptureFixture[str], policy: str, saving: str, tmp_path: Path
) -> None:
    facts = tmp_path / "facts.json"
    facts.write_text('{"depots": {"depot": {"type": "local", "directories": ["main"]}}}')
    code, text = run(capsys, "--policy", policy, saving, "--facts", str(facts))
    assert code == 0
    assert "    //depot/main/... //ann-ws/main/...\n" in text
    assert "facts: none given" not in text


def test_the_active_policy_is_explained_with_the_facts_of_its_home(
    capsys: pytest.CaptureFixture[str], policy: str, saving: str, tmp_path: Path
) -> None:
    home = str(tmp_path / "home")
    assert cli.run(["activate", policy, "--home", home]) == 0
    query = ["--home", home, saving, "--json"]
    capsys.readouterr()
    code, text = run(capsys, *query)
    assert code == 0
    assert json.loads(text)["answer"]["fix"] == "//depot/DIRECTORY/... //ann-ws/DIRECTORY/..."
    (tmp_path / "home" / "facts.json").write_bytes(
        facts_file(
            {
                "case_sensitive": False,
                "depots": {"DEPOT": {"type": "local", "directories": ["x"]}},
            }
        )
    )
    code, text = run(capsys, *query)
    assert code == 0
    assert json.loads(text)["answer"]["fix"] == "//depot/x/... //ann-ws/x/..."


def test_json_output_has_the_fields_of_an_event_alone(
    capsys: pytest.CaptureFixture[str], policy: str
) -> None:
    words = ["--policy", policy, "--typed", "p4 -c ws fstat", "--json"]
    code, text = run(capsys, *words)
    assert code == 0
    assert json.loads(text)["event"].keys() == {"time", "event", "command", "args", "client"}


def test_json_output_explains_an_event_from_standard_input(
    capsys: pytest.CaptureFixture[str], policy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    event = {"event": "form-save", "type": "client", "form": WIDE, "user": "carol", "id": 5}
    values = SimpleNamespace(buffer=io.BytesIO(json.dumps(event).encode()))
    monkeypatch.setattr("sys.stdin", values)
    code, text = run(capsys, "-", "--policy", policy, "--json")
    assert code == 0
    document = json.loads(text)
    assert document["event"]["id"] == document["answer"]["id"] == 5
    labels, scope_rule, off, _ = document["rules"]
    assert labels["answer"] is None
    assert off["not_asked"] == "its mode is off"
    assert [exemption["number"] for exemption in scope_rule["exemptions"]] == [1, 2, 3]
    assert scope_rule["exemptions"][0]["misses"] == [
        {"field": "rules", "asks": "fstat-polling", "why": "does not name no-whole-depot"},
        {"field": "users", "asks": "p4admin, svc_*", "why": "carol is none of them"},
    ]
    assert scope_rule["exemptions"][2]["misses"] == []
    assert scope_rule["answer"]["exemption"] == "writes the policy (owner: scm)"


def test_names_with_control_characters_are_escaped_and_long_names_shortened(
    capsys: pytest.CaptureFixture[str], policy: str, tmp_path: Path
) -> None:
    event = written(tmp_path, event="form-save", type="client", name="a\x1b[2Jb")
    values = ["--user", "x\ny", "--client", "z" * 500]
    code, text = run(capsys, "--policy", policy, event, *values)
    assert code == 0
    assert text.isascii()
    assert "\x1b" not in text
    assert "client a\\x1b[2Jb\n  user: x\\x0ay\n" in text
    assert max(map(len, text.splitlines())) < 200


def test_a_form_that_a_rule_changes_is_printed_as_the_user_sees_it(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "views.yaml"
    rule = "{name: views, rule: suggest_client_view, mode: enforce}"
    file.write_text(f"version: 1\ncontact: x\nrules:\n  - {rule}\n")
    event = written(tmp_path, event="form-out", type="client", name="ann-ws", form=WIDE)
    code, text = run(capsys, "--policy", str(file), event)
    assert code == 0
    assert text.endswith(
        "views (suggest_client_view, enforce): allow\n"
        "  changes the form before it is shown\n\n"
        "Outcome: allow\n"
        "The form that is shown:\n"
        "  Client: ann-ws\n"
        "  View:\n"
        "          //depot/DIRECTORY/... //ann-ws/DIRECTORY/...\n"
        '  # Replace DIRECTORY with a directory in //depot; to list them: p4 dirs "//depot/*"\n'
        "  # To map more directories, add one line for each; delete the lines you do not need.\n"
    )


def test_a_user_outside_a_rules_canary_is_reported(
    capsys: pytest.CaptureFixture[str], policy: str, saving: str
) -> None:
    file = Path(policy)
    heading = "no-whole-depot, rule: limit_view_scope, mode: enforce"
    file.write_text(POLICY.replace(heading, f"{heading}, canary: [{{users: [bob]}}]"))
    words = ["--policy", policy, saving]
    note = "canary: none of its selectors matches this event, so the rule acts in mode observe\n"
    assert note in run(capsys, *words, "--user", "ann")[1]
    code, text = run(capsys, *words, "--user", "bob")
    assert (code, note in text, "Outcome: refuse" in text) == (0, False, True)


@pytest.mark.parametrize(
    ("arguments", "code", "problem"),
    [
        ([], 2, "name one of EVENT.json, --typed, --spec and --decision"),
        (["event.json", "--typed", "p4 fstat"], 2, "name one of EVENT.json, --typed"),
        (["--user", "ann"], 2, "name one of EVENT.json, --typed"),
        (["--typed", 'p4 fstat "'], 2, "--typed: 'p4 fstat \"': No closing quotation"),
        (["--typed", "p4 fstat", "--repeat", "0"], 2, "0 is not in the range 1 to 10,000"),
        (["nothing.json"], 1, "nothing.json: cannot be read: No such file or directory"),
        (["--typed", "p4 fstat", "--facts", "POLICY"], 1, "policy.yaml: invalid JSON: "),
    ],
)
def test_a_wrong_option_or_unreadable_file_is_reported_with_its_exit_code(
    capsys: pytest.CaptureFixture[str], policy: str, arguments: list[str], code: int, problem: str
) -> None:
    words = [policy if word == "POLICY" else word for word in arguments]
    exit_code, text = run(capsys, "--policy", policy, *words)
    assert exit_code == code
    assert problem in text


@pytest.mark.parametrize(
    ("event", "problem"),
    [
        ("[]", "not a JSON object"),
        ('{"event": "x"}', "event is 'x', not one of form-save"),
        ('{"event": "command"}', 'a command event needs a field named "command"'),
        (
            '{"event": "command", "command": "x", "args": "//..."}',
            "args is not a list of words, such",
        ),
    ],
)
def test_a_file_with_an_invalid_event_is_reported_with_its_name(
    capsys: pytest.CaptureFixture[str], policy: str, tmp_path: Path, event: str, problem: str
) -> None:
    file = tmp_path / "event.json"
    file.write_text(event)
    code, text = run(capsys, str(file), "--policy", policy)
    assert code == 1
    assert text.startswith(f"p4warden: {file}: {problem}")


@pytest.mark.parametrize("event", ["command", "form-save"])
def test_a_log_line_that_only_counts_decisions_is_not_explained(
    policy: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], event: str
) -> None:
    tmp_path.chmod(0o700)
    line = {
        "event": event,
        "user": "(many users)",
        "verdict": "refuse",
        "rule": "wide",
        "count": 9,
    }
    (tmp_path / "decisions.jsonl").write_text(f"{json.dumps(line)}\n")
    words = ("--policy", policy, "--home", str(tmp_path), "--decision", "1")
    code, output = run(capsys, *words)
    assert code == 1
    assert "line 1 names no command or form" in output


def test_an_event_that_the_gate_rejects_is_reported_without_a_column(
    capsys: pytest.CaptureFixture[str], policy: str, tmp_path: Path
) -> None:
    file = tmp_path / "event.json"
    file.write_text('{"event": "command", "command": "fstat", "args": null,\n"facts": 1}')
    code, text = run(capsys, str(file), "--policy", policy)
    assert code == 1
    assert text.startswith(f"p4warden: {file}: facts: ")
    assert "column" not in text


@pytest.mark.parametrize("file", sorted(FOLDER.glob("*.json")), ids=lambda file: file.stem)
def test_explained_exemptions_agree_with_the_verdict_of_each_case(file: Path) -> None:
    document = json.loads(file.read_text("utf-8"))
    own = gate_policy(*document["rules"], exemptions=document.get("exemptions", []))
    case_policy = compiled.loads(json.dumps(own))
    form = {"event": "form-save", "type": "client", "name": "a-form", "form": WIDE}
    for case in document["cases"]:
        facts = document.get("facts", {})
        event = {**form, "facts": facts, "time": 1, **case.get("event", {})}
        explanation = explain(case_policy, event)
        for rule in explanation["rules"]:
            if rule["answer"]:
                is_exempt = any(not exemption["misses"] for exemption in rule["exemptions"])
                assert is_exempt == (rule["answer"]["exemption"] is not None), case["name"]
        assert_answers(explanation)


def assert_answers(explanation: dict[str, Any]) -> None:
    """Check that the explained verdicts of single rules agree with that of the whole policy."""
    query = [rule["answer"] for rule in explanation["rules"] if rule["answer"]]
    verdicts = {"allow", *(answer["verdict"] for answer in query)}
    assert explanation["answer"]["verdict"] in verdicts
    decisive = (a["rule"] for a in query if a["verdict"] == explanation["answer"]["verdict"])
    assert explanation["answer"]["rule"] == next(decisive, None)


def test_an_estimate_by_the_index_is_printed_for_commands_and_forms(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    policy = tmp_path / "estimates.yaml"
    rules = (
        "  - {name: few, rule: limit_scanned_rows, mode: enforce, commands: [sync], "
        "max_files: 9}\n"
        "  - {name: narrow, rule: limit_view_scope, mode: enforce, min_depth: 0, max_files: 9}\n"
    )
    policy.write_text(f"version: 1\ncontact: admins\nrules:\n{rules}")
    index = small_index(tmp_path, {"//depot/main": 700}, {"ws": ["//depot/... //ws/..."]})
    words = ["--policy", str(policy), "--typed", "p4 -c ws sync"]
    code, text = run(capsys, *words, "--index", str(index))
    assert code == 0
    assert "few (limit_scanned_rows, enforce): refuse\n  estimate by the index: 700\n" in text
    code, text = run(capsys, *words)
    assert (
        "few (limit_scanned_rows, enforce): unknown\n  the event or the index lacks facts" in text
    )
    form = "Client:\tws\nView:\n\t//depot/main/... //ws/...\n"
    event = written(tmp_path, event="form-save", type="client", name="ws", form=form)
    words = ["--policy", str(policy), event]
    code, text = run(capsys, *words, "--index", str(index))
    assert "narrow (limit_view_scope, enforce): refuse\n  estimate by the index: 700\n" in text


def test_a_logged_refusal_by_a_rate_is_replayed_with_as_many_requests_as_were_counted(
    capsys: pytest.CaptureFixture[str], policy: str, tmp_path: Path
) -> None:
    fields = {"time": 1795262400, "event": "command", "user": "ann", "command": "fstat"}
    verdict = {"verdict": "refuse", "rule": "fstat-polling", "kind": "limit_command_rate"}
    record = {**fields, "args_id": "0a1b2c3d", **verdict, "value": 2, "limit": "1/10s"}
    (tmp_path / "decisions.jsonl").write_text(json.dumps(record) + "\n")
    words = ["explain", "--decision", "1", "--policy", policy, "--home", str(tmp_path)]
    assert cli.run(words) == 0
    output, notes = capsys.readouterr()
    assert "rate counters start empty; this is request 2 at the same time" in output
    assert "Outcome: refuse, by fstat-polling\n" in output
    groups, arguments, rates = [one for one in notes.splitlines() if "note: " in one][-3:]
    assert groups.endswith("the user's groups: add --groups where they matter")
    assert arguments.startswith("note: the log does not contain the arguments (log_arguments: ")
    assert rates.endswith("moment are unknown: 2 requests at once are judged instead")


def test_logged_arguments_are_judged(
    capsys: pytest.CaptureFixture[str], policy: str, tmp_path: Path
) -> None:
    record = {"time": 1795262400, "event": "command", "user": "ann", "command": "fstat"}
    record |= {"args": "-Ob //depot/...", "verdict": "refuse", "rule": "fstat-polling"}
    (tmp_path / "decisions.jsonl").write_text(json.dumps(record) + "\n")
    words = ["explain", "--decision", "1", "--policy", policy, "--home", str(tmp_path)]
    assert cli.run(words) == 0
    output, notes = capsys.readouterr()
    assert output.startswith("the command fstat -Ob //depot/...\n")
    assert "the arguments" not in notes


def test_a_repeated_command_runs_while_the_others_come() -> None:
    kind = {"name": "at-once", "rule": "limit_concurrent_commands", "mode": "enforce"}
    rule = {**kind, "commands": ["sync"], "limits": [{"per": [], "at_most": 2}]}
    policy = compiled.compile_policy({"contact": "admins", "rules": [rule]}, "0" * 64)
    event = {"event": "command", "command": "sync", "user": "ann"}
    verdicts = [explain(policy, event, repeat)["answer"]["verdict"] for repeat in (1, 2, 3)]
    assert verdicts == ["allow", "allow", "refuse"]
