"""Tests of refusals by `limit_command_scope` whose proposals use directories in use first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from gate.program import Home, judge, policy
from support.small_index import small_index

if TYPE_CHECKING:
    from pathlib import Path


SERVER = {"//depot/docs": 20, "//depot/main/lib": 70, "//depot/main/src": 900, "//tools/x": 5}
CLIENTS = {"old": ["//depot/... //old/..."], "other": ["//depot/main/... //other/m/..."]}
HAVE = {"//old/docs": 9, "//other/m/src": 20}
RULE = {"name": "deep", "rule": "limit_command_scope", "mode": "enforce", "min_depth": 1}
RULE |= {"commands": ["fstat", "files", "changes"]}
GUESS = "//depot/DIRECTORY/..."


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Fixture: an index of two clients of ann: `old` has synced files of docs, `other` of main."""
    return small_index(tmp_path_factory.mktemp("index"), SERVER, CLIENTS, have_counts=HAVE)


def fix(index: Path, *args: str, client: str = "old", user: str = "ben", **settings: Any) -> str:
    event: dict[str, Any] = {
        "event": "command",
        "command": "files",
        "args": args,
        "client": client,
        "user": user,
    }
    event |= {"facts": {"case_sensitive": True}}
    (answer,), _ = judge(policy(RULE | settings), [event], f"--index={index}")
    assert answer["verdict"] == ("refuse" if settings.get("mode") != "observe" else "observe")
    return str(answer["fix"])


@pytest.mark.parametrize(
    ("path", "client", "user", "line"),
    [
        ("//depot/...", "old", "ben", "//depot/docs/..."),
        ("//depot/...", "old", "ann", "//depot/docs/..."),
        ("//depot/...", "new", "ann", "//depot/main/..."),
        ("//depot/...", "new", "ben", GUESS),
        ("//depot/...@2024/01/01", "old", "ben", "//depot/docs/..."),
        ("//...", "old", "ben", "//depot/docs/..."),
        ("//*/...", "old", "ben", "//depot/docs/..."),
        ("//*/main/...", "new", "ann", "//depot/main/..."),
        ("//*/src/...", "new", "ann", "//DEPOT/src/..."),
        ("//t*/...", "new", "ann", "//DEPOT/DIRECTORY/..."),
        ("//depot/*/x/...", "old", "ben", "//depot/docs/x/..."),
        ("//depot/.../a.c", "old", "ben", "//depot/docs/.../a.c"),
        ("//tools/...", "old", "ann", "//tools/DIRECTORY/..."),
        ("//depot//...", "old", "ben", "//depot/docs/..."),
    ],
)
def test_a_proposal_prefers_directories_of_the_client_then_of_the_user(
    index: Path, path: str, client: str, user: str, line: str
) -> None:
    assert fix(index, path, client=client, user=user) == line


def test_directories_above_min_depth_are_not_proposed(index: Path) -> None:
    assert fix(index, "//depot/...", client="new", user="ann", min_depth=2) == (
        "//depot/main/src/..."
    )
    assert fix(index, "//depot/...", user="ben", min_depth=2) == "//depot/DIRECTORY/DIRECTORY/..."


def test_a_rule_in_mode_observe_proposes_what_it_would_if_it_were_enforced(index: Path) -> None:
    assert fix(index, "//depot/...", mode="observe") == "//depot/docs/..."


def refused(home: Home, *args: str) -> str:
    words = ["--on-error=allow", "--command=user-files", "--user=ann", "--client=new"]
    code, text = home.run("command", *words, f"--args={' '.join(args)}")
    assert code == 1
    return next(line.strip() for line in text.splitlines() if line.startswith("  "))


def test_proposals_use_only_an_intact_and_trusted_index_in_the_home_folder(
    gate_home: Home, index: Path
) -> None:
    gate_home.activate(policy(RULE))
    assert refused(gate_home, "//depot/...") == GUESS
    place = gate_home.folder / "checkpoint.index"
    place.write_bytes(index.read_bytes())
    place.chmod(0o600)
    assert refused(gate_home, "//depot/...") == "//depot/main/..."
    for content in (index.read_bytes()[:-50], b"no index\n" * 30, b""):
        place.write_bytes(content)
        assert refused(gate_home, "//depot/...") == GUESS
    place.write_bytes(index.read_bytes())
    place.chmod(0o666)
    assert refused(gate_home, "//depot/...") == GUESS
