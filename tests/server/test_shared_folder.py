"""Tests of `p4warden share` and `follow`, and of the check whether a host is ready."""

from __future__ import annotations

import json
import os
import shlex
from typing import TYPE_CHECKING

import pytest

from p4warden.asking import gate_program
from p4warden.health import running_policy
from p4warden_sandbox import Sandbox, Settings
from support.policies import OBSERVED, POLICY
from support.servers import list_servers
from support.small_index import small_index
from support.warden import Warden

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from support.servers import ClientFactory

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


def shared(warden: Warden, folder: Path) -> str:
    """Run `p4warden share`, as on a host with the home folder's path of the edge server."""
    output = warden.must("share", str(folder))
    file = folder / "shared.json"
    document = json.loads(file.read_text())
    document["program"] = document["program"].replace("/commit/home", "/edge/home")
    file.write_text(json.dumps(document))
    return output


def ready(warden: Warden) -> dict[str, str]:
    checks = json.loads(warden.must("status", "--json"))
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
    assert "no index" in shared(commit, folder)
    assert sorted(file.name for file in folder.iterdir()) == ["policy.yaml", "shared.json"]
    assert ready(edge)["message"] == "no: no policy, no facts"
    assert ready(edge)["remedy"].startswith("p4warden follow FOLDER --home ")

    output = edge.must("follow", str(folder), code=1)
    assert "policy" in output
    (line,) = [line for line in output.splitlines() if line.startswith("not ready: no facts")]
    edge.must(*shlex.split(line.partition("next: p4warden ")[2]), home=False)
    output = edge.must("follow", str(folder))
    program = gate_program.find()
    words = f"{program}, home {edge.home}, form 1, policy {digest(commit)[:12]}"
    assert output == f"ready: {words}\n"
    assert ready(edge) == {"name": "ready", "state": "good", "message": words, "remedy": None}
    assert "\np4_warden_gate_starts 1\n" in edge.must("metrics")
    # Before the lines are written nothing is bad on the edge; it has no list of servers to judge.
    checks = {check["name"]: check for check in json.loads(edge.must("doctor", "--json"))}
    assert checks["triggers table"]["message"].startswith("no p4warden lines yet; they come with")
    assert "other servers" not in checks

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
    assert sorted(os.listdir(tmp_path / "shared")) == ["policy.yaml", "shared.json"]  # noqa: PTH208
    before = edge.must("follow", str(tmp_path / "shared"), code=1)
    assert "needs a baseline of this server; the present policy stays" in before
    assert not edge.home.exists()
    edge.home.mkdir(parents=True, mode=0o700)
    for command in before.partition("run p4warden ")[2].split(", then p4warden "):
        edge.must(*shlex.split(command), home=False)
    edge.must("follow", str(tmp_path / "shared"))
    assert ready(edge)["state"] == "good"
    running_policy.baseline_file(str(edge.home)).unlink()
    assert ready(edge)["message"] == "no: no baseline, which a rule needs"
    remedy = ready(edge)["remedy"].removeprefix("p4warden ")
    edge.must(*shlex.split(remedy), home=False)
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
