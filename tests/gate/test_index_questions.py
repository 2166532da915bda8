"""Tests of the questions about the checkpoint index that a form worker asks its gate.

The gate answers them itself, so that no further process is started.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

import p4warden
from gate.program import GateReply, Home, policy
from gate.workers import put, save
from support.small_index import PROGRAM, small_index

LAUNCHER = Path(p4warden.__file__).with_name("worker") / "launch.py"
SERVER = {"//depot/docs": 20, "//depot/main/lib": 700, "//depot/main/src": 3000}
RULE = {"name": "deep", "rule": "limit_view_scope", "mode": "enforce", "min_depth": 1}
ASK = """\
socket = int(os.environ["P4WARDEN_INDEX"])
os.write(socket, {question!r})
print(os.read(socket, 9999).decode())
sys.exit(1)
"""


def index_of(folder: Path, directory: str, user: bytes = b"ann") -> bytes:
    """Return the bytes of an index in which a client of the user has files from one directory."""
    folder.mkdir()
    index = small_index(
        folder,
        SERVER,
        {"mine": ["//depot/... //mine/..."]},
        have_counts={f"//mine/{directory}": 9},
    )
    if user == b"ann":
        return index.read_bytes()
    checkpoint = folder / "checkpoint"
    checkpoint.write_bytes(checkpoint.read_bytes().replace(b"@ann@", b"@%b@" % user))
    command = [str(PROGRAM), "build", f"--output={index}", str(checkpoint)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return index.read_bytes()


def with_index(home: Home, index: bytes) -> None:
    """Write a checkpoint index into a home folder; an existing one is replaced by rename."""
    new_file = home.folder / "fresh"
    new_file.write_bytes(index)
    new_file.chmod(0o600)
    new_file.rename(home.folder / "checkpoint.index")


def judging(home: Home, **settings: int) -> Home:
    """Activate a policy with the real form worker and a rule on view depth in a home folder."""
    (home.folder / "facts.json").write_text('{"depots": {}}')
    (home.folder / "facts.json").chmod(0o600)
    launcher = os.path.relpath(LAUNCHER, Path(home.program).parent)
    home.activate(policy(RULE | settings), str(launcher))
    return home


def proposed(home: Home, *names: str, view: str = "//depot/... //ws/...") -> list[str]:
    """Run the gate for a client to be saved; return the view lines that its refusal proposes."""
    form = home.folder / "form"
    form.write_text(f"Client:\tws\nView:\n\t{view}\n")
    words = ["--on-error=allow", "--type=client", f"--form={form}", *names]
    code, text = home.run("form-save", *words)
    assert code == 1, text
    return [line.strip() for line in text.splitlines() if line.startswith("  ")]


def test_form_proposals_from_the_index_need_no_p4warden_index_program(
    beside: Home, tmp_path: Path
) -> None:
    assert not Path(beside.program).with_name("p4warden-index").exists()
    with_index(judging(beside), index_of(tmp_path / "index", "main/src"))
    assert proposed(beside, "--user=ann") == ["//depot/main/... //ws/main/..."]
    judging(beside, min_depth=0, max_files=1000)
    assert proposed(beside, "--user=ben") == ["//depot/main/lib/... //ws/main/lib/..."]
    assert [record.get("trouble") for record in beside.log()] == [None, None]


@pytest.mark.parametrize("user", [b"a\nspan - 9", b"used - 0\n\n", b"\xff\xfe", "\u20ac".encode()])
def test_a_user_name_of_any_bytes_matches_only_the_same_bytes(
    beside: Home, tmp_path: Path, user: bytes
) -> None:
    with_index(judging(beside), index_of(tmp_path / "index", "main/src", user))
    assert proposed(beside, f"--user={os.fsdecode(user)}") == ["//depot/main/... //ws/main/..."]
    others = proposed(beside, f"--user={os.fsdecode(user[:-1])}")
    assert others == ["//depot/DIRECTORY/... //ws/DIRECTORY/..."]


def test_used_directories_of_the_client_come_first_and_only_for_client_forms(
    beside: Home, tmp_path: Path
) -> None:
    put(beside, ASK.format(question=b"used - 0\n"))
    with_index(beside, index_of(tmp_path / "index", "main/src"))
    own = ["//depot/main/", "//depot/main/src/"]
    for words, directories in [
        (["--type=client", "--user=ann", "--name=mine"], own + own),
        (["--type=client", "--user=ben", "--name=mine"], own),
        (["--type=client", "--user=ben", "--name=ws"], []),
        (["--type=branch", "--user=ben", "--name=mine"], []),
    ]:
        code, text = beside.run("form-save", "--on-error=allow", *words)
        assert (code, json.loads(text)) == (1, {"used": directories})


REQUIRED = {
    "name": "partitioned",
    "rule": "require_client_options",
    "mode": "enforce",
    "demands": [{"type": "partitioned"}],
}


def test_added_dates_do_not_make_a_new_client_an_old_one_with_an_index(
    beside: Home, tmp_path: Path
) -> None:
    judging(beside)
    launcher = os.path.relpath(LAUNCHER, Path(beside.program).parent)
    beside.activate(policy(REQUIRED), str(launcher))
    form = beside.folder / "form"

    def code(name: str, text: str) -> int:
        form.write_text(f"Client:\t{name}\nView:\n\t//depot/main/... //{name}/...\n{text}")
        words = ["--on-error=deny", "--type=client", f"--form={form}", f"--name={name}"]
        return beside.run("form-save", *words).code

    dates = "Update:\t2026/11/20 10:00:00\nAccess:\t2026/11/20 10:00:00\n"
    assert (code("new", ""), code("new", dates)) == (1, 0)
    with_index(beside, index_of(tmp_path / "index", "main/src"))
    assert (code("new", ""), code("new", dates)) == (1, 1)
    assert (code("mine", ""), code("mine", dates)) == (0, 0)
    assert code("new", "Type:\tpartitioned\n") == 0
    assert (code("new", ""), code("new", dates)) == (0, 0)


def test_replacing_the_index_between_saves_causes_no_fault(beside: Home, tmp_path: Path) -> None:
    judging(beside)
    indexes = [index_of(tmp_path / top, f"{top}/x") for top in ("docs", "main")]
    results = {f"//depot/{top}/... //ws/{top}/..." for top in ("docs", "main")}
    for number in range(20):
        with_index(beside, indexes[number % 2])
        assert set(proposed(beside, "--user=ann")) < results
    assert all("fault" not in record for record in beside.log())


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        (b"span 10 1\n//depot/docs/...\n", '{"files":20,'),
        (b"span 10 0\n", '{"files":0,"wide":[]}'),
        (b"span - 2\n//depot/\xff...\n\n", '{"files":1,"wide":[]}'),
        (b"used 5 0\n", '{"used":[]}'),
        (b"exists - 0\n", '{"exists":false}'),
    ],
)
def test_a_question_gets_the_expected_json_answer(
    beside: Home, tmp_path: Path, question: bytes, answer: str
) -> None:
    with_index(beside, index_of(tmp_path / "index", "docs"))
    put(beside, ASK.format(question=question))
    code, text = save(beside)
    assert code == 1
    assert text.startswith(answer)


def test_without_an_index_the_answer_is_empty(beside: Home) -> None:
    put(beside, ASK.format(question=b"used - 0\n"))
    assert save(beside) == GateReply(1, "{}\n\n")


@pytest.mark.parametrize(
    "worker",
    [
        "os.write(socket, b'no question\\n'); print(os.read(socket, 9) == b''); sys.exit(1)",
        "os.write(socket, b'span 9 3\\n//depot/...\\n'); print(True); sys.exit(1)",
        "os.write(socket, b'used - 0\\n'); os.close(socket); print(True); sys.exit(1)",
        "os.close(socket); print(True); sys.exit(1)",
        "os.write(socket, b'used - 0\\n' * 9000); print(True); sys.exit(1)",
    ],
)
def test_an_invalid_or_unfinished_question_does_not_change_the_refusal(
    beside: Home, worker: str
) -> None:
    put(beside, f'socket = int(os.environ["P4WARDEN_INDEX"])\n{worker}', on_error="deny")
    assert save(beside) == GateReply(1, "True\n")


def test_an_endless_question_ends_at_the_deadline_of_the_worker(beside: Home) -> None:
    worker = 'socket = int(os.environ["P4WARDEN_INDEX"])\n'
    worker += "import contextlib\n"
    worker += "while True:\n    with contextlib.suppress(OSError):\n"
    worker += "        os.write(socket, b'span 9 9999999\\n//depot/...\\n')"
    put(beside, worker, on_error="deny")
    assert save(beside).code == 1
    assert beside.log()[0]["fault"] == "the worker took over 5 s"
