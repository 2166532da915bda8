"""Tests that users get the answer declared in the policy if a worker fails, never a traceback.

The policy's `on_error` declares the answer. The rows are ways in which a worker process can end.
p4d itself would treat death by a signal as success, wait for ever for a hanging process, and show
all output.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

import pytest
from P4 import P4, P4Exception

from p4warden.asking import gate_program
from p4warden.home import trusted_files
from p4warden.policy import compiled
from support.triggers import write

if TYPE_CHECKING:
    from pathlib import Path

    from support.servers import ClientFactory, Server
    from support.warden import Warden

pytestmark = [pytest.mark.touches("killed", "form-file-mode", fast=False)]

POLICY = """\
version: 1
contact: admins@example.com
on_error: {on_error}
rules:
  - {{name: no-whole-depot, rule: limit_view_scope, mode: enforce}}
"""


class Row(NamedTuple):
    """Row of the failure matrix: a worker's Python code, its logged fault, and the user's answer.

    `fault` is a part of the fault that p4warden logs, None if it logs none. `answer` is `allow`,
    `refuse`, or `declared`: the answer to faults that the policy's `on_error` declares.
    """

    worker: str
    fault: str | None
    answer: str = "declared"


ROWS = {
    "exit 0, silent": Row("", None, "allow"),
    "exit 0, output": Row("print('chatter')", None, "allow"),
    "exit 0, output on the error stream": Row("sys.stderr.write('chatter')", None, "allow"),
    "exit 1, output": Row("print('no, because'); sys.exit(1)", None, "refuse"),
    "exit 1, silent": Row("sys.exit(1)", "refused without a text"),
    "exit 2, output": Row("print('text'); sys.exit(2)", "ended with exit code 2"),
    "exit 255": Row("os._exit(255)", "ended with exit code 255"),
    "exit 256, which the system cuts to 0": Row("os._exit(256)", None, "allow"),
    "a traceback": Row("raise ValueError('secret')", "ValueError: secret"),
    "a package that is not there": Row("import p4warden_that_is_gone", "ModuleNotFoundError"),
    "no Python": Row("not python at all (", "SyntaxError"),
    "killed": Row("os.kill(os.getpid(), 9)", "ended by signal 9"),
    "a broken memory": Row("os.kill(os.getpid(), 11)", "ended by signal 11"),
    "aborted": Row("os.abort()", "ended by signal 6"),
    "over its processor time": Row(
        "import resource; resource.setrlimit(resource.RLIMIT_CPU, (0, 0))\nwhile True: pass",
        "ended by signal",
    ),
    "hangs": Row("import signal; signal.pause()", "took over 5 s"),
    "a flood": Row("while True: os.write(1, b'x' * 65536)", "wrote over"),
    "no UTF-8": Row("os.write(1, b'\\xff\\xfe'); sys.exit(1)", "is not UTF-8"),
    "leaves a child that holds the output": Row(
        "if os.fork() == 0:\n    import signal; signal.pause()", None, "allow"
    ),
}


def put_worker(warden: Warden, folder: Path, text: str) -> None:
    """Replace the worker that the running policy names by the Python code `text`."""
    worker = folder / "worker.py"
    worker.write_text(f"import os, sys\n{text}\n")
    document = json.loads((warden.home / compiled.FILE_NAME).read_text())
    content = json.dumps(document | {"worker": str(worker)}).encode()
    trusted_files.replace(str(warden.home), compiled.FILE_NAME, content)


def save(p4: P4) -> list[str]:
    client = p4.fetch_client()
    client["View"] = ["//depot/main/... //ws/..."]
    return p4.save_client(client)


@pytest.mark.parametrize("on_error", ["allow", "deny"])
@pytest.mark.parametrize("row", ROWS)
def test_a_worker_gives_the_answer_and_logged_fault_of_the_failure_matrix(
    server: Server, warden: Warden, connect: ClientFactory, tmp_path: Path, row: str, on_error: str
) -> None:
    worker, fault, answer = ROWS[row]
    warden.install(POLICY.format(on_error=on_error))
    put_worker(warden, tmp_path, worker)
    p4 = connect(server)
    expected = on_error if answer == "declared" else answer
    if expected == "allow":
        assert save(p4) == ["Client ws saved."]
    else:
        with pytest.raises(P4Exception) as error:
            save(p4)
        assert ("has failed" in str(error.value)) == (expected == "deny")
        assert "Traceback" not in str(error.value)
        assert "secret" not in str(error.value)
    if fault:
        assert fault in warden.log()[-1]["fault"]
        assert warden.log()[-1]["user"] == "ann"


@pytest.mark.parametrize("damage", ["gone", "no program", "not executable"])
def test_the_server_refuses_if_the_gate_program_cannot_run(
    server: Server, warden: Warden, connect: ClientFactory, tmp_path: Path, damage: str
) -> None:
    warden.install(POLICY.format(on_error="allow"))
    admin = connect(server, user=server.super_user)
    form = admin.run("triggers", "-o", tagged=False)[0]
    program = tmp_path / "gate"
    if damage != "gone":
        program.write_text("no program")
        program.chmod(0o600 if damage == "not executable" else 0o700)
    write(admin, form.replace(str(gate_program.find()), str(program)))
    with pytest.raises(P4Exception, match=r"validation failed|Execution Failed"):
        save(connect(server))
