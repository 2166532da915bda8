"""Tests that users get the answer declared in the policy if p4warden fails.

The policy's `on_error` declares the answer, also in the trigger line. The failures of the program
that asks the server are in `gate/test_server_answers.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import pytest
from P4 import P4, P4Exception

from p4warden.asking import gate_program
from support.triggers import write as write_table

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from support.servers import ClientFactory, Server
    from support.warden import Warden

pytestmark = [pytest.mark.touches("killed", "form-file-mode")]

POLICY = """\
version: 1
contact: admins@example.com
on_error: {on_error}
rules:
  - {{name: no-whole-depot, rule: limit_view_scope, mode: enforce, baseline: true}}
"""


class Row(NamedTuple):
    """Row of the failure matrix: a damage to the home, and a part of the fault that is logged."""

    spoil: Callable[[Path], object]
    fault: str


def write(name: str, text: str) -> Callable[[Path], object]:
    def spoil(home: Path) -> None:
        (home / name).unlink(missing_ok=True)
        (home / name).write_text(text)
        (home / name).chmod(0o600)

    return spoil


def remove(name: str) -> Callable[[Path], object]:
    return lambda home: (home / name).unlink(missing_ok=True)


ROWS = {
    "no policy": Row(remove("policy.json"), "policy.json: No such file"),
    "a damaged policy": Row(write("policy.json", "{"), "policy.json: it cannot be read"),
    "damaged facts": Row(write("facts.json", "{"), "facts.json: it cannot be read"),
    "no baseline": Row(remove("baseline.json"), "; run p4warden census --write-baseline"),
    "a damaged line of the baseline": Row(
        write("baseline.json", '{"format": 3, "specs": {\n"client/ws": [7, []]\n}}\n'),
        "baseline.json: it cannot be read: it is not as p4warden wrote it",
    ),
    "a folder of others": Row(lambda home: home.chmod(0o777), "others have write access to it"),
}


def save(p4: P4) -> list[str]:
    client = p4.fetch_client()
    client["View"] = ["//depot/... //ws/..."]
    return p4.save_client(client)


@pytest.mark.parametrize("on_error", ["allow", "deny"])
@pytest.mark.parametrize("row", ROWS)
def test_a_damaged_home_gives_the_declared_answer_and_a_logged_fault(
    server: Server, warden: Warden, connect: ClientFactory, row: str, on_error: str
) -> None:
    spoil, fault = ROWS[row]
    warden.install(POLICY.format(on_error=on_error))
    spoil(warden.home)
    p4 = connect(server)
    if on_error == "allow":
        assert save(p4) == ["Client ws saved."]
    else:
        with pytest.raises(P4Exception, match="has failed"):
            save(p4)
    record = warden.log()[-1]
    # The log cuts a long text, as with the long path of this home.
    logged = record["fault"].removesuffix("... (cut)")
    assert fault in logged or logged.endswith(fault[: len(logged) - logged.rfind(fault[:8])])
    assert record["user"] == "ann"


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
    write_table(admin, form.replace(str(gate_program.find()), str(program)))
    with pytest.raises(P4Exception, match=r"validation failed|Execution Failed"):
        save(connect(server))
