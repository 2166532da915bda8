"""Tests of the form worker as a child process with a form file, as the gate starts it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
import yaml

import p4warden
from p4warden.home import off_mark, trial_client
from p4warden.policy import compiled
from p4warden.rules import EVENTS
from p4warden.worker import main
from support.triggers import line_words

if TYPE_CHECKING:
    from collections.abc import Callable

LAUNCHER = Path(p4warden.__file__).with_name("worker") / "launch.py"
WIDE = b"Client:\tws\nView:\n\t//depot/... //ws/...\n"
NARROW = b"Client:\tws\nView:\n\t//depot/main/... //ws/...\n"
FACTS = '{"depots": {"depot": {"type": "local", "directories": ["main", "rel"]}}}'
RULE = {"name": "no-whole-depot", "rule": "limit_view_scope", "mode": "enforce"}
HEAVY = set(
    "yaml jsonschema P4 click rich dataclasses pathlib subprocess typing contextlib json re enum "
    "functools collections importlib".split()
)
POLICIES = sorted((Path(__file__).parents[2] / "policies").glob("*[!s].yaml"))


class WorkerResult(NamedTuple):
    code: int
    output: str


class Trigger:
    """Home folder, form file and options for a run of the form worker; tests change
    single ones.
    """

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        self.home.mkdir(mode=0o700)
        self.form = folder / "form"
        self.form.write_bytes(WIDE)
        self.dictionary = b""
        self.options = ["--type=client", f"--form={self.form}", "--user=ann", "--name=ws"]
        self.policy(on_error="allow")
        self.write("facts.json", FACTS)

    def policy(self, **fields: Any) -> None:
        document = {"contact": "admins@example.com", "rules": [RULE], **fields}
        self.write("policy.json", compiled.dumps(compiled.compile_policy(document, "d" * 64)))

    def write(self, name: str, text: str) -> None:
        (self.home / name).write_text(text)
        (self.home / name).chmod(0o600)

    def run(
        self, *more: str, python: tuple[str, ...] = ("-I", "-S"), record: int | None = None
    ) -> WorkerResult:
        options = line_words("form-save", f"--home={self.home}", *more, *self.options)
        process = subprocess.run(
            [sys.executable, *python, str(LAUNCHER), *options],
            input=self.dictionary,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
            pass_fds=() if record is None else (record,),
            env={} if record is None else {"P4WARDEN_RECORD": str(record)},
        )
        return WorkerResult(process.returncode, process.stdout.decode("ascii"))

    def log(self) -> list[dict[str, Any]]:
        file = self.home / "decisions.jsonl"
        text = file.read_text() if file.exists() else ""
        return [json.loads(line) for line in text.splitlines()]


@pytest.fixture
def trigger(tmp_path: Path) -> Trigger:
    return Trigger(tmp_path)


REFUSAL = """\
View line 1 of your client ws (//depot/... //ws/...) maps all of //depot; name at least one \
directory below it.
Name only the directories you work on, for example:
  //depot/main/... //ws/main/...
  //depot/rel/... //ws/rel/...
Questions: admins@example.com
p4warden: rule=no-whole-depot limit=1 value=0 retry-after=none
"""


def test_a_whole_depot_is_refused_with_proposed_view_lines_and_logged(trigger: Trigger) -> None:
    assert trigger.run() == WorkerResult(1, REFUSAL)
    [record] = trigger.log()
    assert record.pop("time") > 1_700_000_000
    assert record == {
        "event": "form-save",
        "type": "client",
        "name": "ws",
        "user": "ann",
        "verdict": "refuse",
        "rule": "no-whole-depot",
        "kind": "limit_view_scope",
        "summary": "a view maps more of a depot than the policy allows",
        "detail": "View line 1 (//depot/... //ws/...) maps all of //depot; "
        "name at least one directory below it",
        "value": 0,
        "limit": 1,
        "findings": 1,
        "policy": "dddddddddddd",
    }


@pytest.mark.parametrize("of_line", ["0", "1"])
def test_a_dictionary_on_standard_input_is_answered_with_a_dictionary(
    trigger: Trigger, of_line: str
) -> None:
    option = f"--triggers-io={of_line}"
    trigger.dictionary = b"user:ann\nformname:ws\n"
    result = trigger.run(option)
    assert result == WorkerResult(
        0, f"action:fail\nmessage:{REFUSAL[:-1].replace(chr(10), ' / ')}\n"
    )
    trigger.form.write_bytes(b"Client:\tws\nView:\n\t//depot/%%1/... //ws/%%1/...\n")
    assert "(//depot/%25%251/... //ws/%25%251/...)" in trigger.run(option).output
    trigger.form.write_bytes(NARROW)
    assert trigger.run(option) == WorkerResult(0, "action:pass\n")
    trigger.form.write_bytes(WIDE)
    trigger.dictionary = b""
    assert trigger.run(option) == WorkerResult(1, REFUSAL)


def test_a_narrow_client_view_is_allowed_without_output_or_log_line(trigger: Trigger) -> None:
    trigger.form.write_bytes(NARROW)
    assert trigger.run() == WorkerResult(0, "")
    assert trigger.log() == []


def test_off_for_a_time_allows_forms_only_until_its_end_without_a_gate(trigger: Trigger) -> None:
    now_s = int(time.time())
    off_mark.mark_off(str(trigger.home), now_s + 3600)
    assert trigger.run() == WorkerResult(0, "")
    off_mark.mark_off(str(trigger.home), now_s - 1)
    assert trigger.run().code == 1


def test_an_allowed_form_of_a_trial_client_is_logged(trigger: Trigger) -> None:
    client = f"{trial_client.PREFIX}0"
    trial_client.announce(str(trigger.home), client, int(time.time()))
    trigger.form.write_bytes(NARROW)
    trigger.options.append(f"--client={client}")
    assert trigger.run() == WorkerResult(0, "")
    assert [(record["verdict"], record["trial"]) for record in trigger.log()] == [("allow", True)]


@pytest.mark.parametrize(("form", "verdict"), [(WIDE, "refuse"), (NARROW, "allow")])
def test_the_record_is_written_to_the_gates_pipe_instead_of_the_log(
    trigger: Trigger, form: bytes, verdict: str
) -> None:
    trigger.form.write_bytes(form)
    gate, worker = os.pipe()
    code = trigger.run(record=worker).code
    record = json.loads(os.read(gate, 65536))
    os.close(gate)
    os.close(worker)
    assert (code, record["verdict"]) == (int(verdict == "refuse"), verdict)
    assert (record["event"], record["user"]) == ("form-save", "ann")
    assert trigger.log() == []


def test_the_record_is_logged_if_the_gates_pipe_is_closed(trigger: Trigger) -> None:
    gate, worker = os.pipe()
    os.close(gate)
    trigger.run(record=worker)
    os.close(worker)
    assert [record["verdict"] for record in trigger.log()] == ["refuse"]


def test_a_wide_view_in_mode_observe_is_allowed_and_logged(trigger: Trigger) -> None:
    trigger.policy(rules=[RULE | {"mode": "observe"}])
    assert trigger.run() == WorkerResult(0, "")
    assert [(r["verdict"], r["rule"], r["would"]) for r in trigger.log()] == [
        ("observe", "no-whole-depot", "refuse")
    ]


def test_an_exempt_user_is_allowed_and_the_exemption_is_logged(trigger: Trigger) -> None:
    trigger.policy(exemptions=[{"users": ["a*"], "reason": "builds", "owner": "ci"}])
    assert trigger.run() == WorkerResult(0, "")
    [record] = trigger.log()
    assert (record["verdict"], record["exemption"]) == ("allow", "builds (owner: ci)")


@pytest.mark.parametrize(
    ("form", "problem"),
    [
        (b"", "The form of your client ws is empty"),
        (
            b"View :\n",
            "ws cannot be read: line 1 (View :) is neither indented nor the start of a field",
        ),
        (
            b'Client:\tws\nView:\n\t"//depot\n',
            'the quotation mark in line 3 ("//depot) is left open; add a second one',
        ),
        (
            b"\x1b[2J\xe4\n" + 60 * b"\xc3\xa4",
            r"line 1 (\x1b[2J\xe4) is neither indented",
        ),
        (
            b"Client:\tws\n" + 60 * b"\xc3\xa4" + b"\r\n",
            "line 2 (" + 20 * r"\xe4" + "... (cut)) is neither indented nor the start of a field "
            "(a name followed by a colon, such as View:). Indent it if it belongs to the field "
            "above it, otherwise remove it.\n",
        ),
        (
            b"Client:\tws\nDescription:\n\t" + b"x" * 4194304,
            "The form of your client ws is over 4 MiB",
        ),
    ],
    ids=["empty", "no field", "open quote", "control character", "long line", "over 4 MiB"],
)
def test_a_broken_form_is_refused_with_the_problem_and_without_a_traceback(
    trigger: Trigger, form: bytes, problem: str
) -> None:
    trigger.form.write_bytes(form)
    result = trigger.run()
    assert result.code == 1
    assert problem in result.output
    assert "Traceback" not in result.output


BROKEN_FILES: dict[str, Callable[[Trigger], object]] = {
    "policy missing": lambda t: (t.home / "policy.json").unlink(),
    "policy cut short": lambda t: t.write("policy.json", '{"format": 1, "rules": ['),
    "policy of another format": lambda t: t.write("policy.json", '{"format": 99}'),
    "policy of the wrong shape": lambda t: t.write("policy.json", "[1, 2]"),
    "policy writable by others": lambda t: (t.home / "policy.json").chmod(0o666),
    "facts no JSON": lambda t: t.write("facts.json", "{"),
    "facts of the wrong shape": lambda t: t.write("facts.json", '{"depots": [1]}'),
    "form missing": lambda t: t.form.unlink(),
    "home missing": lambda t: shutil.rmtree(t.home),
}


@pytest.mark.parametrize("on_error", ["allow", "deny"])
@pytest.mark.parametrize("fault", BROKEN_FILES)
def test_a_fault_of_p4warden_gives_the_answer_of_on_error_and_a_log_line(
    trigger: Trigger, fault: str, on_error: str
) -> None:
    trigger.policy(on_error=on_error)
    BROKEN_FILES[fault](trigger)
    result = trigger.run(f"--on-error={on_error}")
    assert result.code == (0 if on_error == "allow" else 1)
    assert (result.output == "") == (on_error == "allow")
    assert "Traceback" not in result.output
    if fault != "home missing":
        [record] = trigger.log()
        assert record["verdict"] == ("allow" if on_error == "allow" else "refuse")
        assert record["fault"]


def test_without_facts_a_form_is_judged_as_on_an_unknown_server(trigger: Trigger) -> None:
    (trigger.home / "facts.json").unlink()
    trigger.form.write_bytes(NARROW)
    assert trigger.run() == WorkerResult(0, "")
    trigger.form.write_bytes(WIDE)
    assert trigger.run().code == 1
    narrow, wide = trigger.log()
    assert (narrow["verdict"], wide["verdict"]) == ("allow", "refuse")
    assert narrow["trouble"] == wide["trouble"] == main.NO_FACTS


def test_facts_that_are_a_dangling_link_are_a_fault(trigger: Trigger) -> None:
    (trigger.home / "facts.json").unlink()
    (trigger.home / "facts.json").symlink_to("nowhere")
    assert trigger.run() == WorkerResult(0, "")
    assert "is a symbolic link" in trigger.log()[0]["fault"]


def test_on_error_of_the_policy_overrides_on_error_of_the_trigger_line(trigger: Trigger) -> None:
    trigger.policy(on_error="deny")
    trigger.write("facts.json", "{")
    assert trigger.run("--on-error=allow").code == 1


def test_a_defect_is_logged_with_its_traceback_and_not_shown_to_the_user(trigger: Trigger) -> None:
    trigger.policy(rules=[RULE | {"min_depth": "1"}])
    result = trigger.run("--on-error=allow")
    assert result == WorkerResult(0, "")
    [record] = trigger.log()
    assert record["fault"].startswith("TypeError")
    assert "Traceback" in record["traceback"]


def test_a_log_that_cannot_be_written_changes_no_verdict(trigger: Trigger) -> None:
    (trigger.home / "decisions.jsonl").mkdir()
    assert trigger.run() == WorkerResult(1, REFUSAL)


def test_the_log_is_accessible_only_to_its_owner(trigger: Trigger) -> None:
    trigger.run()
    assert (trigger.home / "decisions.jsonl").stat().st_mode & 0o777 == 0o600


def test_hostile_names_are_shown_as_printable_ascii_and_logged_unchanged(trigger: Trigger) -> None:
    trigger.form.write_bytes(b"Client:\tws\nView:\n\t//d\x1b[31m\xe9/... //ws/\xc3\xa9...\n")
    trigger.options.append("--prog=\x1b]0;evil\x07")
    result = trigger.run()
    assert result.code == 1
    assert "//d\\x1b[31m\\xe9/... //ws/\\xe9..." in result.output
    assert result.output.replace("\n", "").isprintable()
    assert trigger.log()[0]["prog"] == "\x1b]0;evil\x07"


def test_a_refusal_of_many_long_view_lines_is_short_and_counts_the_rest(trigger: Trigger) -> None:
    wide = b"\t//depot/.../" + b"x" * 100_000 + b" //ws/...\n"
    trigger.form.write_bytes(b"Client:\tws\nView:\n" + wide * 20)
    result = trigger.run()
    assert len(result.output) < 2048
    assert "There are 17 more problems of this kind." in result.output


def test_concurrent_workers_write_complete_log_lines(trigger: Trigger) -> None:
    options = line_words("form-save", f"--home={trigger.home}", *trigger.options)
    command = [sys.executable, "-I", "-S", str(LAUNCHER), *options]
    processes = [subprocess.Popen(command, stdout=subprocess.DEVNULL) for _ in range(16)]
    assert [process.wait() for process in processes] == [1] * 16
    assert [record["verdict"] for record in trigger.log()] == ["refuse"] * 16


def test_a_refusal_imports_no_heavy_modules(trigger: Trigger) -> None:
    trigger.form.write_bytes(b"Client:\tws\nView:\n\t//depot/... //ws/...\n")
    result = trigger.run(python=("-I", "-S", "-X", "importtime"))
    assert result.code == 1
    modules = {line.rpartition("|")[2].strip() for line in result.output.splitlines()}
    assert {"p4warden.judge.refusal", "p4warden.rules.proposals.narrow"} <= modules
    assert not modules & HEAVY


@pytest.mark.parametrize("file", POLICIES, ids=lambda file: file.stem)
def test_a_form_save_imports_no_heavy_modules_under_any_shipped_policy(
    trigger: Trigger, file: Path
) -> None:
    policy = compiled.compile_policy(yaml.safe_load(file.read_text()), "d" * 64)
    trigger.write("policy.json", compiled.dumps(policy))
    trigger.form.write_bytes(b"Client:\tws\nView:\n\t//depot/main/a/b/... //ws/b/...\n")
    result = trigger.run(python=("-I", "-S", "-X", "importtime"))
    assert result.code == 0
    modules = {line.rpartition("|")[2].strip() for line in result.output.splitlines()}
    assert "p4warden.rules.limit_view_scope" in modules
    assert not modules & HEAVY
    others = (name for name, events in EVENTS.items() if "form-save" not in events)
    assert not modules & {f"p4warden.rules.{name}" for name in others}


def test_a_broken_installation_gives_the_answer_of_on_error(tmp_path: Path) -> None:
    copy = tmp_path / "p4warden" / "worker" / "launch.py"
    copy.parent.mkdir(parents=True)
    copy.write_bytes(LAUNCHER.read_bytes())
    for on_error, code in (("allow", 0), ("deny", 1)):
        command = [sys.executable, "-I", "-S", str(copy), "form-save", f"--on-error={on_error}"]
        process = subprocess.run(command, capture_output=True, check=False, env=os.environ)
        assert process.returncode == code
        assert b"Traceback" not in process.stdout + process.stderr
