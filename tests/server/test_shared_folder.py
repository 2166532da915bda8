"""Tests of `p4warden share` and `follow`, and of the check whether a host is ready."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from p4warden.asking import gate_program
from p4warden.core import facts
from p4warden.core.records import Depot, Facts
from p4warden.home import baseline_file
from p4warden.home.summed_file import summed
from p4warden_sandbox import Sandbox, Settings
from support.pasted import advice, checks, paste
from support.policies import OBSERVED, POLICY
from support.servers import list_servers
from support.small_index import small_index
from support.triggers import line_words
from support.warden import Warden

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from support.servers import ClientFactory

FILES = ["SHA256SUMS", "facts.json", f"p4warden-gate.{os.uname().machine}", "policy.json"]
FILES += ["policy.yaml", "shared.json"]
ASKING = """\
  - {name: few-tops, rule: limit_top_directories, mode: enforce, max: 1}
  - {name: few-depots, rule: limit_depot_count, mode: observe, max: 9}
"""
BASELINE = POLICY.replace("mode: enforce,", "mode: enforce, baseline: true,")


@pytest.fixture
def commit(tmp_path: Path) -> Iterator[Warden]:
    with Sandbox(Settings(server_id="commit-1")) as server:
        (tmp_path / "commit").mkdir()
        yield Warden(server, tmp_path / "commit")


@pytest.fixture
def edge(tmp_path: Path, connect: ClientFactory) -> Iterator[Warden]:
    """Fixture: p4warden for an edge server, with the paths of the commit server."""
    with Sandbox(Settings(server_id="edge-1")) as server:
        list_servers(connect(server, user=server.super_user), "commit-1", "edge-1", "broker-1")
        warden = Warden(server, tmp_path / "edge")
        warden.home = tmp_path / "edge" / "home"
        yield warden


@pytest.fixture
def alone(edge: Warden) -> Warden:
    """Fixture: the edge server's host, where no address, account or ticket is known."""
    edge.settings = {"P4PORT": "localhost:1", "P4USER": "nobody", "P4TICKETS": "/dev/null"}
    return edge


def test_sharing_again_leaves_equal_files_alone(commit: Warden, tmp_path: Path) -> None:
    commit.prepare(POLICY)
    folder = tmp_path / "folder"
    commit.must("share", str(folder))
    before = {name: (folder / name).stat().st_ino for name in FILES}
    (folder / "facts.json").chmod(0o666)
    commit.must("share", str(folder))
    same = {name for name in FILES if (folder / name).stat().st_ino == before[name]}
    assert same == {*FILES} - {"facts.json", "shared.json", "SHA256SUMS"}


def shared(warden: Warden, folder: Path) -> str:
    """Run `p4warden share`, as on a host with the home folder's path of the edge server."""
    output = warden.must("share", str(folder))
    file = folder / "shared.json"
    document = json.loads(file.read_text())
    document["program"] = document["program"].replace("/commit/home", "/edge/home")
    file.write_text(json.dumps(document))
    return output


def ready(warden: Warden) -> dict[str, str]:
    checks = json.loads(warden.run("status", "--json").output)
    (check,) = [check for check in checks if check["name"] == "ready"]
    assert isinstance(check, dict)
    return check


def digest(warden: Warden) -> str:
    content = (warden.home / "policy.json").read_bytes()
    return str(json.loads(content)["digest"])


def test_an_edge_follows_the_policy_and_says_when_it_is_ready(
    commit: Warden, edge: Warden, tmp_path: Path
) -> None:
    folder = tmp_path / "shared"
    commit.prepare(POLICY)
    assert "facts, no index" in shared(commit, folder)
    assert sorted(file.name for file in folder.iterdir()) == FILES
    assert ready(edge)["message"] == "no: no policy, no facts"
    assert advice(ready(edge)["remedy"]) == [f"p4warden follow FOLDER --home {edge.home}"]

    output = edge.must("follow", str(folder))
    assert f"{edge.home}: policy " in output
    assert f"{edge.home}/facts.json: taken over\n" in output
    output = edge.must("follow", str(folder))
    program = gate_program.find()
    words = f"{program}, home {edge.home}, trigger lines of format 1, policy {digest(commit)[:12]}"
    assert output == f"ready: {words}\n"
    assert ready(edge) == {"name": "ready", "state": "good", "message": words, "remedy": None}
    assert "\np4_warden_gate_starts 1\n" in edge.must("metrics")
    # Before the lines are written nothing is bad on the edge; it has no list of servers to judge.
    found = checks(edge, 0)
    assert found["triggers table"]["message"].startswith("no p4warden lines yet; they come with")
    assert "other servers" not in found

    commit.activate(OBSERVED)
    shared(commit, folder)
    edge.must("follow", str(folder))
    assert digest(edge) == digest(commit)
    assert f"from {folder}" in edge.must("history")


def test_nothing_of_one_server_reaches_another(
    commit: Warden, edge: Warden, tmp_path: Path
) -> None:
    commit.install(BASELINE)
    commit.must("census", "--write-baseline")
    shared(commit, tmp_path / "shared")
    assert sorted(os.listdir(tmp_path / "shared")) == FILES  # noqa: PTH208
    before = edge.must("follow", str(tmp_path / "shared"), code=1)
    assert "not ready: no-whole-depot in policy" in before
    assert "needs a baseline of this server; the present policy stays" in before
    assert not edge.home.exists()
    edge.home.mkdir(parents=True, mode=0o700)
    for command in before.partition("run p4warden ")[2].split(", then p4warden "):
        edge.must(*shlex.split(command), home=False)
    edge.must("follow", str(tmp_path / "shared"))
    assert ready(edge)["state"] == "good"
    (edge.home / baseline_file.FILE_NAME).unlink()
    assert ready(edge)["message"] == "no: no baseline, which rule no-whole-depot needs"
    [write] = advice(ready(edge)["remedy"])
    paste(edge, write)
    assert ready(edge)["state"] == "good"


def test_the_index_is_taken_over_whole_or_not_at_all(
    commit: Warden, edge: Warden, tmp_path: Path
) -> None:
    folder, index = tmp_path / "shared", edge.home / "checkpoint.index"
    commit.prepare(OBSERVED)
    edge.must("refresh")
    small_index(commit.home, {"//depot/main": 3}, {})
    assert shared(commit, folder).endswith(", index\n")
    assert "taken over" in edge.must("follow", str(folder))
    assert index.read_bytes() == (commit.home / "checkpoint.index").read_bytes()
    assert index.stat().st_mode & 0o777 == 0o600
    assert "taken over" not in edge.must("follow", str(folder))
    assert "3 files" in edge.must("status")

    old = index.read_bytes()
    small_index(commit.home, {"//depot/main": 4}, {})
    shared(commit, folder)
    (folder / "checkpoint.index").write_bytes(old[:-9])
    output = edge.must("follow", str(folder), code=1)
    assert f"{folder}/checkpoint.index is not the file that shared.json describes" in output
    assert index.read_bytes() == old
    assert not [file for file in edge.home.iterdir() if file.name.endswith(".new")]

    small_index(commit.home, {"//depot/main": 4}, {}, server_id="commit-1")
    output = commit.must("share", str(folder), code=1)
    assert "is for the server commit-1 alone; build it without --server-id" in output


def test_follow_refuses_other_paths_incomplete_and_untrusted_folders(
    commit: Warden, edge: Warden, tmp_path: Path
) -> None:
    folder = tmp_path / "shared"
    assert "shared.json is missing; p4warden share writes it" in edge.must(
        "follow", str(folder), code=1
    )
    commit.prepare(POLICY)
    commit.must("share", str(folder))
    output = edge.must("follow", str(folder), code=1)
    assert f"the table's lines start {gate_program.find()}" in output
    assert "install p4warden with the same --prefix and --home" in output
    shared(commit, folder)
    (folder / "policy.yaml").write_text(OBSERVED)
    output = edge.must("follow", str(folder), code=1)
    assert f"{folder}/policy.yaml is not the file that shared.json describes" in output
    shared(commit, folder)
    folder.chmod(0o777)
    assert "others have write access" in edge.must("follow", str(folder), code=1)
    folder.chmod(0o700)
    (folder / "shared.json").write_text("[]")
    assert "is damaged; run p4warden share again" in edge.must("follow", str(folder), code=1)
    assert not edge.home.exists()


def test_a_host_without_an_account_is_ready_and_names_what_is_not_judged_there(
    commit: Warden, alone: Warden, tmp_path: Path
) -> None:
    commit.prepare(POLICY + ASKING)
    shared(commit, tmp_path / "shared")
    output = alone.must("follow", str(tmp_path / "shared"))
    note = "without an account (p4warden refresh) submits, shelves and new depots are not judged"
    assert output.endswith(f"; {note} here by few-tops, few-depots\n")
    assert ready(alone)["state"] == "good"
    assert ready(alone)["message"].endswith(f"; {note} here by few-tops, few-depots")
    assert "bad: " not in alone.must("doctor")
    checks = {check["name"]: check for check in json.loads(alone.must("status", "--json"))}
    assert checks["facts"]["state"] == "good"
    assert checks["gate"]["message"] == "policy, facts, state and log are usable"
    text = refusal(alone)
    assert "//depot/main/..." in text
    assert "rule=no-whole-depot " in text


def refusal(warden: Warden) -> str:
    """Return the gate's answer to a client of a whole depot."""
    form = warden.home.parent / "form"
    form.write_text("Client:\tws\n\nView:\n\t//depot/... //ws/...\n")
    options = (f"--home={warden.home}", "--on-error=deny", "--type=client", f"--form={form}")
    event = line_words("form-save", *options, "--user=ann", "--name=ws")
    process = subprocess.run(
        [gate_program.find(), *event],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 1
    return process.stdout


OWN: dict[str, Any] = {
    "server_id": "commit-1",
    "release": "2099.1",
    "unicode": True,
    "limit_view": True,
}


def facts_of(warden: Warden) -> dict[str, Any]:
    document = json.loads((warden.home / "facts.json").read_text())
    assert isinstance(document, dict)
    return document


def share_facts(commit: Warden, folder: Path, time_s: int, *directories: str) -> None:
    """Share facts with these directories that were asked at that time."""
    file = commit.home / "facts.json"
    depot = Depot("local", directories, len(directories))
    file.write_bytes(summed(facts.to_text(Facts(depots={"depot": depot}, **OWN))))
    os.utime(file, (time_s, time_s))
    shared(commit, folder)
    for copy in folder.iterdir():
        os.utime(copy)  # as by a copy that does not keep times


def directories(warden: Warden) -> list[str]:
    names = facts_of(warden)["depots"]["depot"]["directories"]
    assert isinstance(names, list)
    return names


def test_facts_of_one_server_alone_stay_there(
    commit: Warden, alone: Warden, tmp_path: Path
) -> None:
    folder = tmp_path / "shared"
    commit.prepare(POLICY)
    share_facts(commit, folder, 1_000, "main")
    given = json.loads((folder / "facts.json").read_text())
    assert {name: given[name] for name in OWN} == {
        "server_id": None,
        "release": None,
        "unicode": False,
        "limit_view": False,
    }
    alone.must("follow", str(folder))
    assert {name: facts_of(alone)[name] for name in OWN} == {name: given[name] for name in OWN}
    assert directories(alone) == ["main"]
    assert (alone.home / "facts.json").stat().st_mtime == 1_000


def test_a_host_with_an_account_keeps_what_it_asked_later_and_what_is_its_own(
    commit: Warden, edge: Warden, tmp_path: Path
) -> None:
    folder = tmp_path / "shared"
    commit.prepare(POLICY)
    edge.must("refresh")
    own = facts_of(edge)
    assert own["server_id"] == "edge-1"
    share_facts(commit, folder, 1_000, "old")
    edge.must("follow", str(folder))
    assert facts_of(edge) == own
    share_facts(commit, folder, 4_000_000_000, "newer")
    assert "facts.json: taken over" in edge.must("follow", str(folder))
    assert directories(edge) == ["newer"]
    assert {name: facts_of(edge)[name] for name in OWN} == {name: own[name] for name in OWN}
    assert "facts from" in edge.must("history")


def test_facts_of_the_folder_replace_those_that_came_from_it_whatever_their_time(
    commit: Warden, alone: Warden, tmp_path: Path
) -> None:
    commit.prepare(POLICY)
    for time_s, name in ((4_000_000_000, "ahead"), (1_000, "set-back")):
        share_facts(commit, tmp_path / "shared", time_s, name)
        alone.must("follow", str(tmp_path / "shared"))
        assert directories(alone) == [name]


@pytest.mark.parametrize("name", ["facts.json", "policy.yaml", "checkpoint.index", "shared.json"])
def test_a_folder_that_is_cut_at_a_file_is_not_taken_over(
    commit: Warden, alone: Warden, tmp_path: Path, name: str
) -> None:
    folder = tmp_path / "shared"
    commit.prepare(POLICY)
    small_index(commit.home, {"//depot/main": 3}, {})
    shared(commit, folder)
    alone.must("follow", str(folder))
    before = {file.name: file.read_bytes() for file in alone.home.iterdir() if file.is_file()}
    commit.activate(OBSERVED)
    small_index(commit.home, {"//depot/main": 4}, {})
    share_facts(commit, folder, 4_000_000_000, "newer")
    whole = (folder / name).read_bytes()
    for cut in (whole[:-1], whole[: len(whole) // 2], b""):
        (folder / name).write_bytes(cut)
        assert f"{folder}/{name} is " in alone.must("follow", str(folder), code=1)
    (folder / name).unlink()
    assert f"{folder}/{name}" in alone.must("follow", str(folder), code=1)
    after = {file.name: file.read_bytes() for file in alone.home.iterdir() if file.is_file()}
    assert after == before


def test_nothing_is_shared_before_there_are_facts(commit: Warden, tmp_path: Path) -> None:
    commit.activate(POLICY)
    output = commit.must("share", str(tmp_path / "shared"), code=1)
    assert "there are no facts about the server yet; run p4warden refresh --home " in output
    assert not (tmp_path / "shared").exists()
