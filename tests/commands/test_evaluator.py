"""Tests of `p4warden evaluate`: a line for each event, errors on standard error."""

from __future__ import annotations

import io
import json
import signal
import subprocess
import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from p4warden import cli

if TYPE_CHECKING:
    from pathlib import Path

POLICY = """\
version: 1
contact: admins
rules:
  - {name: wide, rule: limit_view_scope, mode: enforce}
  - name: old
    rule: block_client_program
    mode: enforce
    commands: [fstat]
    programs: [{program: x}]
"""
WIDE = "Client:\tws\nView:\n\t//depot/... //ws/...\n"


def form(**fields: Any) -> dict[str, Any]:
    return {"event": "form-save", "type": "client", "name": "ws", "form": WIDE, **fields}


@pytest.fixture
def policy(tmp_path: Path) -> str:
    file = tmp_path / "policy.yaml"
    file.write_text(POLICY)
    return str(file)


def evaluated(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    policy: str,
    content: bytes,
) -> tuple[int, list[dict[str, Any]], list[str]]:
    """Return the exit code, the answers and the lines of standard error."""
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(content)))
    code = cli.run(["evaluate", "--policy", policy])
    capture = capsys.readouterr()
    return code, [json.loads(line) for line in capture.out.splitlines()], capture.err.splitlines()


def test_forms_and_commands_are_answered_in_order_and_wrong_lines_reported(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, policy: str
) -> None:
    command = {"event": "command", "command": "fstat", "prog": "x", "id": [2]}
    unjudged = {"event": "command", "command": "files", "id": 3}
    lines = [
        json.dumps(form(id=1)),
        "no JSON",
        "",
        json.dumps(command),
        json.dumps({"event": "form-in"}),
        json.dumps(unjudged),
    ]
    content = "\n".join(lines).encode()
    code, answers, errors = evaluated(capsys, monkeypatch, policy, content)
    assert code == 1
    found = [(one["id"], one["verdict"], one["rule"]) for one in answers]
    assert found == [(1, "refuse", "wide"), ([2], "refuse", "old"), (3, "allow", None)]
    assert answers[0]["text"].startswith("View line 1 of your client ws (//depot/... //ws/...)")
    assert answers[1]["text"].startswith("Your program (x) may not send the command p4 fstat")
    assert answers[2]["text"] is None
    assert errors == [
        "stdin:2:1: invalid JSON: expected ident at column 2",
        (
            "stdin:5:1: event is 'form-in', not one of "
            "form-save, form-out, command, running, change-submit, shelve-submit"
        ),
    ]


def test_events_in_other_encodings_are_read_or_named(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, policy: str
) -> None:
    text = f"{json.dumps(form(id=1))}\n{json.dumps(form(id=2))}\n"
    code, answers, errors = evaluated(capsys, monkeypatch, policy, text.encode("utf-8-sig"))
    assert (code, [one["id"] for one in answers], errors) == (0, [1, 2], [])
    code, answers, errors = evaluated(capsys, monkeypatch, policy, text.encode("utf-16"))
    assert (code, answers) == (1, [])
    assert errors == ["p4warden: standard input is UTF-16 (write the events in UTF-8)"]


def test_a_line_over_32_mib_is_one_error_and_the_next_line_is_judged(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, policy: str
) -> None:
    content = b" " * (70 << 20) + b"\n" + json.dumps(form(id=1)).encode()
    code, answers, errors = evaluated(capsys, monkeypatch, policy, b"{" + content)
    assert (code, [one["verdict"] for one in answers]) == (1, ["refuse"])
    assert errors == ["stdin:1:1: it is longer than 33554432 bytes"]


def test_an_event_on_which_the_gate_dies_is_answered_unknown_and_the_next_is_judged(
    policy: str,
) -> None:
    command = [sys.executable, "-m", "p4warden", "evaluate", "--policy", policy]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as child:
        assert child.stdin
        assert child.stdout
        assert child.stderr

        def answer(event: dict[str, Any]) -> Any:
            assert child.stdin
            assert child.stdout
            child.stdin.write(json.dumps(event).encode() + b"\n")
            child.stdin.flush()
            return json.loads(child.stdout.readline())

        assert answer(form(id="a"))["verdict"] == "refuse"
        listed = ["pgrep", "-P", str(child.pid)]
        [gate] = subprocess.run(listed, capture_output=True, check=True).stdout.split()
        subprocess.run(["kill", f"-{signal.SIGKILL.value}", gate], check=True)
        dead = answer(form(id="b"))
        assert (dead["id"], dead["verdict"]) == ("b", "unknown")
        assert dead["detail"].startswith("p4warden failed on this event: ")
        assert answer(form(id="c"))["verdict"] == "refuse"
        child.stdin.close()
        assert child.stderr.read().decode() == f"stdin:2:1: {dead['detail']}\n"
    assert child.returncode == 1
