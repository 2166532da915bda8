"""Tests of the triggers that submits to the sandbox server run."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from P4 import P4Exception

from support.servers import Server
from support.triggers import Install, Script
from support.workspaces import ClientWorkspace, submit_fails

# A trigger script that queries the server about the changelist, as another user and client, and
# writes the answers to a file.
ASK = f"""#!{sys.executable} -I
import json, sys
from P4 import P4
port, change, tickets, file = sys.argv[1:]
known = {{"user": "bob", "ticket_file": tickets}}
p4 = P4(port=port, client="none", exception_level=0, charset="none", **known)
with p4.connect():
    questions = {{
        "files": ["files", f"//...@={{change}}"],
        "opened": ["opened", "-a", "-c", change],
        "describe": ["describe", "-s", change],
        "print": ["print", f"//depot/work/a.c@={{change}}"],
        "head": ["files", "//depot/work/a.c"],
    }}
    answers = {{name: [p4.run(*command), p4.errors] for name, command in questions.items()}}
    open(file, "w").write(json.dumps(answers))
"""


def asking(tmp_path: Path, server: Server) -> tuple[str, Path]:
    """Write the trigger script `ASK`; return its command and the path of its output file.

    The command is quoted as a line of the triggers table requires.
    """
    program, answers = tmp_path / "ask", tmp_path / "answers"
    program.write_text(ASK)
    program.chmod(0o700)
    return f'"{program} %serverport% %change% {server.tickets_file} {answers}"', answers


def test_a_submit_refused_by_a_trigger_leaves_the_changelist_pending(
    disk: ClientWorkspace, server: Server, install: Install
) -> None:
    install(server, 'paths change-submit //depot/... "fail %user% may not submit %change%"')
    disk.add("work/a.c")

    error = submit_fails(disk, "-d", "x")

    (row,) = disk.p4.run("opened")
    number = row["change"]
    assert error == (
        f"Submit validation failed -- fix problems then use 'p4 submit -c {number}'.\n"
        f"'paths' validation failed: ann may not submit {number}"
    )
    assert disk.p4.run("changes", "-s", "pending")[0]["change"] == number
    with pytest.raises(P4Exception, match="no such file"):
        disk.p4.run("files", "//depot/work/a.c")

    install(server, "paths change-submit //none/... fail")
    assert disk.p4.run("submit", "-c", number)[-1] == {"submittedChange": number}


def test_a_change_submit_trigger_refuses_before_files_are_sent(
    disk: ClientWorkspace, server: Server, install: Install
) -> None:
    install(server, 'paths change-submit //depot/... "fail no"')
    disk.add("work/a.c")
    (disk.root / "work" / "a.c").unlink()

    assert submit_fails(disk, "-d", "x").endswith("'paths' validation failed: no")


def test_a_change_submit_trigger_receives_changelist_variables(
    disk: ClientWorkspace, server: Server, install: Install, script: Script, tmp_path: Path
) -> None:
    show = script(f'echo "$@" >> {tmp_path / "seen"}')
    names = "%change% %changelist% %changeroot% %oldchangelist% %user% %client% %command%"
    install(server, f'show change-submit //... "{show} {names} %serverport%"')
    disk.add("work/a.c")
    first = disk.submit("work/sub/b.c")

    values = (tmp_path / "seen").read_text()

    assert values == f"{first} {first} //depot/work/... {first} ann ws user-submit {server.port}\n"


def test_a_change_submit_trigger_can_query_its_pending_changelist(
    disk: ClientWorkspace, server: Server, install: Install, tmp_path: Path
) -> None:
    command, file = asking(tmp_path, server)
    install(server, f"ask change-submit //... {command}", 'no change-submit //... "fail no"')
    disk.add("work/a.c", "work/b.c")
    assert submit_fails(disk, "-d", "asked about").endswith("'no' validation failed: no")

    answers: dict[str, Any] = json.loads(file.read_text())

    names = ["//depot/work/a.c", "//depot/work/b.c"]
    rows, errors = answers["opened"]
    assert ([row["depotFile"] for row in rows], errors) == (names, [])
    # Both answers pass: no source documents whether `p4 files @=CHANGE` lists files before their
    # contents are sent.
    assert [row["depotFile"] for row in answers["files"][0]] in (names, [])
    (description,), _ = answers["describe"]
    assert (description["status"], description["desc"]) == ("pending", "asked about\n")
    assert (description["depotFile"], description["action"]) == (names, ["add", "add"])
    assert answers["head"][0] == []


def test_a_change_content_trigger_can_print_the_submitted_files(
    disk: ClientWorkspace, server: Server, install: Install, tmp_path: Path
) -> None:
    command, file = asking(tmp_path, server)
    install(server, f"ask change-content //... {command}", 'no change-content //... "fail no"')
    disk.add("work/a.c")
    assert submit_fails(disk, "-d", "asked about").endswith("'no' validation failed: no")

    answers: dict[str, Any] = json.loads(file.read_text())

    assert answers["print"][0][1] == "text\n"
    assert answers["head"][0] == []


def test_triggers_of_a_submit_run_from_form_in_to_change_commit(
    disk: ClientWorkspace, server: Server, install: Install, script: Script, tmp_path: Path
) -> None:
    note = script(f'echo "$@" >> {tmp_path / "log"}')
    install(
        server,
        *(f'{e} change-{e} //... "{note} {e}"' for e in ("commit", "content", "submit")),
        f'in form-in change "{note} in"',
        f'save form-save change "{note} save"',
    )

    disk.submit("work/a.c")

    assert (tmp_path / "log").read_text().split() == ["in", "save", "submit", "content", "commit"]


def test_a_failing_change_commit_trigger_does_not_prevent_the_submit(
    disk: ClientWorkspace, server: Server, install: Install
) -> None:
    install(server, 'late change-commit //... "fail too late"')
    disk.add("work/a.c")

    result = disk.p4.run("submit", "-d", "x")

    assert "submittedChange" in result[2]
    assert disk.p4.run("files", "//depot/work/a.c")


def test_the_output_of_a_passing_change_submit_trigger_is_shown(
    disk: ClientWorkspace, server: Server, install: Install, script: Script
) -> None:
    install(server, f'say change-submit //... "{script("echo noted")}"')
    disk.add("work/a.c")

    assert "noted" in disk.p4.run("submit", "-d", "x")


@pytest.mark.parametrize(
    ("rows", "is_refused"),
    [
        (["t change-submit //depot/work/... fail"], True),
        (["t change-submit //depot/rel/... fail"], False),
        (["t change-submit //depot/*/a.c fail"], True),
        (["t change-submit //depot/... fail", "t change-submit -//depot/work/... pass"], False),
        (["t change-submit //depot/rel/... fail", "t change-submit //depot/work/... pass"], True),
        (["t change-submit //depot/rel/... fail", "u change-submit //depot/work/... pass"], False),
        (["t change-submit //depot/work/... pass", "t change-submit //... fail"], False),
    ],
    ids=["path", "elsewhere", "wildcard", "exclusion", "second path", "other name", "one command"],
)
def test_trigger_lines_with_one_name_form_one_trigger_with_the_first_command(
    disk: ClientWorkspace, server: Server, install: Install, rows: list[str], *, is_refused: bool
) -> None:
    install(server, *rows)
    disk.add("work/a.c")

    if is_refused:
        assert "'t' validation failed" in submit_fails(disk, "-d", "x")
    else:
        assert "submittedChange" in disk.p4.run("submit", "-d", "x")[-1]
