"""End-to-end tests of `p4warden bench`, on the sandbox in place of a p4d."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from p4warden import cli
from p4warden.prove.server import PATIENCE, listening, throw_away
from p4warden.server.connection import Address, connected
from p4warden.workbench.benchmarks.bench_server import FURTHER, remove_depots, save_depot
from p4warden.workbench.benchmarks.run import BENCHMARKS
from prove.p4ds import MakeProgram, program, sandbox, temp

if TYPE_CHECKING:
    from collections.abc import Iterator

    import P4

__all__ = ["program", "temp"]
POLICY = """
version: 1
contact: admins
exemptions: []
rules:
  - {name: no-fstat, rule: limit_command_scope, mode: enforce, commands: [fstat], min_depth: 1}
  - {name: few-depots, rule: limit_depot_count, mode: enforce, max: 3}
  - {name: short-paths, rule: limit_path_length, mode: enforce, max_leading: 100}
"""
REFUSING = """
version: 1
contact: admins
exemptions: []
rules:
  - {name: no-copies, rule: refuse_commands, mode: enforce, advice: Ask.,
     commands: [populate, obliterate]}
"""


@pytest.mark.parametrize("release", ["2019.1", "2026.1"])
def test_every_benchmark_runs_and_leaves_nothing(
    temp: Path, program: MakeProgram, capsys: pytest.CaptureFixture[str], release: str
) -> None:
    assert cli.run(["bench", "--p4d", program(sandbox(release))]) == 0
    output = capsys.readouterr().out
    assert "This is p4warden's sandbox, not a p4d: its times say nothing about one." in output
    for name in BENCHMARKS:
        assert f"{name}, without p4warden" in output
    assert output.count("bystander's fstat") == len(BENCHMARKS)
    assert list(temp.iterdir()) == []


def test_a_policy_is_measured_and_its_refusals_are_counted(
    temp: Path, program: MakeProgram, capsys: pytest.CaptureFixture[str]
) -> None:
    policy = temp.parent / "policy.yaml"
    policy.write_text(POLICY)
    only = [word for name in BENCHMARKS if name != "branchsubmit" for word in ("--only", name)]
    words = [*only, "--with", str(policy), "--json"]
    assert cli.run(["bench", "--p4d", program(sandbox("2024.2")), *words]) == 0
    document = json.loads(capsys.readouterr().out)
    refused = {
        name: {one["command"]: one["refused"] for one in document[name]}
        for name in ("without", "with")
    }
    assert set(refused["without"].values()) == {0}
    assert refused["with"]["fstat of all"] > 0
    assert refused["with"]["bystander's fstat"] == 0
    # Of the server's own depot, the benchmarks' and one more there are at most three.
    assert refused["with"]["depot, 1"] == 0
    assert refused["with"]["depot, 16"] > 0
    assert "dirs -C, 16" in refused["without"]
    assert "dirs -C, 16" not in refused["with"]
    assert [refused["with"][f"submit, {length}"] for length in (64, 128)] == [0, 1]
    assert list(temp.iterdir()) == []


def test_refusals_on_the_way_of_a_benchmark_do_not_end_it(
    temp: Path, program: MakeProgram, capsys: pytest.CaptureFixture[str]
) -> None:
    policy = temp.parent / "policy.yaml"
    policy.write_text(REFUSING)
    words = ["--only", "depots", "--only", "path-lengths", "--with", str(policy), "--json"]
    assert cli.run(["bench", "--p4d", program(sandbox("2024.2")), *words]) == 0
    counts = json.loads(capsys.readouterr().out)["with"]
    refused = {one["command"]: one["refused"] for one in counts}
    assert [refused[f"populate, {number}"] for number in (1, 16, 64)] == [1, 16, 1]
    assert [refused[f"removal, {number}"] for number in (1, 16)] == [1, 1]
    assert refused["obliterate, 64"] == 2
    assert list(temp.iterdir()) == []


@pytest.fixture
def empty(temp: Path, program: MakeProgram) -> Iterator[tuple[Address, P4.P4]]:
    """Fixture: an empty server with its super user's connection."""
    with throw_away(program(sandbox("2024.2"))) as site, listening(site, PATIENCE):
        address = Address(site.port, "root", str(temp / "tickets"))
        with connected(address) as p4:
            p4.save_user({**p4.fetch_user("root"), "User": "root"})
            yield address, p4


def test_a_clean_up_goes_on_after_a_refusal(empty: tuple[Address, P4.P4]) -> None:
    address, p4 = empty
    save_depot(p4, f"{FURTHER}1")
    p4.save_triggers({"Triggers": ['no-obliterate command pre-user-obliterate "false"']})
    with connected(address) as anew, anew.at_exception_level(anew.RAISE_NONE):
        remove_depots(anew)
        assert anew.run("depots", "-e", f"{FURTHER}*") == []


def test_only_an_empty_server_that_is_marked_as_a_test_server_is_used(
    empty: tuple[Address, P4.P4], capsys: pytest.CaptureFixture[str]
) -> None:
    address, p4 = empty
    words = ["bench", "--port", address.port or "", "--user", "root", "--only", "branchsubmit"]
    assert cli.run(words) == 1
    assert "has no server id; a test server needs one: p4 serverid NAME" in capsys.readouterr().err
    p4.run("serverid", "bench-1")
    assert cli.run(words) == 1
    error = capsys.readouterr().err
    assert "is not marked as a test server" in error
    command = error.partition("mark it: p4 ")[2].split()
    assert command == ["key", "p4warden-bench", "bench-1"]
    p4.run(*command)
    assert cli.run(words) == 0
    assert "branchsubmit, without p4warden" in capsys.readouterr().out
    for listing in (["changes"], ["clients"], ["files", "//..."], ["depots", "-t", "local"]):
        with p4.at_exception_level(0):
            left = p4.run(*listing)
        assert [row for row in left if "p4warden-bench" in str(row)] == []
    folder = Path(tempfile.mkdtemp())
    p4.client = "own"
    p4.save_client({"Client": "own", "Root": str(folder), "View": ["//depot/... //own/..."]})
    (folder / "file").write_text("precious\n")
    p4.run("add", str(folder / "file"))
    p4.run("submit", "-d", "precious")
    assert cli.run(words) == 1
    assert "benchmarks run on an empty server only" in capsys.readouterr().err
    assert p4.run("print", "-q", "//depot/file")[-1] == "precious\n"
