"""Tests that refusals of client forms propose directories that the client or user has synced."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from index.conftest import built
from index.test_span import SERVER, Home
from p4warden.policy import compiled
from support.home_files import facts_file, policy_file
from support.judged import judging_by
from support.small_index import small_index
from support.whole_checkpoint import whole

if TYPE_CHECKING:
    from pathlib import Path

RULE = {"name": "deep", "rule": "limit_view_scope", "mode": "enforce", "min_depth": 1}
FACTS = {"depots": {"depot": {"type": "local", "directories": ["docs", "main", "zoo"]}}}
WIDE = "Client:\t{}\nView:\n\t//depot/... //{}/...\n"


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Fixture: an index of two clients of ann: `old` with 9 synced files, `other` with 24."""
    clients = {"old": ["//depot/... //old/..."], "other": ["//depot/main/... //other/m/..."]}
    have_counts = {"//old/docs": 9, "//other/m/src/a": 20, "//other/m/src": 4}
    return small_index(
        tmp_path_factory.mktemp("index"),
        SERVER,
        clients,
        have_counts=have_counts,
        server_id="main",
    )


def policy(**settings: Any) -> compiled.Policy:
    document = {"contact": "admins", "rules": [RULE | settings]}
    return compiled.compile_policy(document, "d" * 64)


def judged(
    index: Path, client: str, user: str, facts: dict[str, Any] | None = None, **settings: Any
) -> dict[str, Any]:
    event: dict[str, Any] = {"event": "form-save", "type": "client", "name": client, "user": user}
    event |= {"form": WIDE.format(client, client), "facts": FACTS if facts is None else facts}
    with judging_by(policy(**settings), index=index, flags=["texts"]) as judge:
        return judge.ask(event)


@pytest.mark.parametrize(
    ("client", "user", "lines"),
    [
        ("old", "ben", ["//depot/docs/... //old/docs/..."]),
        ("old", "ann", ["//depot/docs/... //old/docs/...", "//depot/main/... //old/main/..."]),
        ("new", "ann", ["//depot/main/... //new/main/...", "//depot/docs/... //new/docs/..."]),
        ("new", "ben", [f"//depot/{top}/... //new/{top}/..." for top in ("docs", "main", "zoo")]),
    ],
)
def test_a_refusal_by_depth_proposes_only_directories_in_use_if_there_are_any(
    index: Path, client: str, user: str, lines: list[str]
) -> None:
    answer = judged(index, client, user)
    assert answer["verdict"] == "refuse"
    assert answer["fix"].splitlines() == lines
    if user == "ann":
        assert "1 more such line is possible" in answer["text"]


def test_a_greater_min_depth_gets_deeper_proposals(index: Path) -> None:
    fix = judged(index, "new", "ann", min_depth=3)["fix"].splitlines()
    assert fix[0] == "//depot/main/src/a/... //new/main/src/a/..."


def test_a_directory_with_over_max_files_is_not_proposed(index: Path) -> None:
    fix = judged(index, "new", "ann", max_files=3000)["fix"].splitlines()
    assert "//depot/docs/... //new/docs/..." in fix
    assert "//depot/main/... //new/main/..." not in fix


def test_directories_are_found_in_any_case_if_the_server_ignores_case(tmp_path: Path) -> None:
    clients = {
        "old": ["//depot/Main/... //Old/m/..."],
        "Other": ["//Depot/main/... //other/M/..."],
    }
    have_counts = {"//old/M/Lib": 9, "//OTHER/m/lib": 4}
    small_index(tmp_path, SERVER, clients, have_counts=have_counts)
    text = (tmp_path / "checkpoint").read_text()
    records = [line for line in text.splitlines(keepends=True) if line.startswith("@pv@")]
    (tmp_path / "checkpoint").write_text(whole("".join(sorted(records, key=str.lower))))
    index = built(tmp_path, tmp_path / "checkpoint")
    facts = {"case_sensitive": False}
    for client, user in (("OLD", "nobody"), ("none", "Ann")):
        answer = judged(index, client, user, facts=facts)
        assert answer["fix"].splitlines() == [f"//depot/Main/... //{client}/Main/..."]
        answer = judged(index, client, user, facts=facts, min_depth=2)
        assert answer["fix"].splitlines() == [f"//depot/Main/Lib/... //{client}/Main/Lib/..."]


class RefusingHome(Home):
    """Test home folder like `Home`, but with a policy that judges only the depth of view lines."""

    def __init__(self, folder: Path, index: Path) -> None:
        super().__init__(folder, index)
        self.write("policy.json", policy_file(compiled.dumps(policy())))
        self.write("facts.json", facts_file(FACTS | {"server_id": "main"}))


@pytest.fixture
def home(tmp_path: Path, index: Path) -> Home:
    return RefusingHome(tmp_path, index)


def test_a_refusal_proposes_directories_in_use(home: Home, tmp_path: Path) -> None:
    clients = {"ws": ["//depot/... //ws/..."]}
    index = small_index(tmp_path, SERVER, clients, have_counts={"//ws/main/src": 9})
    home.write("checkpoint.index", index.read_bytes())
    code, text, decision = home.save("//depot/...")
    assert (code, decision.get("trouble")) == (1, None)
    assert [line for line in text.splitlines() if line.startswith("  ")] == [
        "  //depot/main/... //ws/0/main/..."
    ]


@pytest.mark.parametrize("fault", ["missing", "cut", "text", "open", "program", "other server"])
def test_without_a_usable_index_a_refusal_proposes_directories_of_the_facts(
    home: Home, fault: str
) -> None:
    place = home.home / "checkpoint.index"
    content = place.read_bytes()
    if fault == "missing":
        place.unlink()
    elif fault == "open":
        place.chmod(0o666)
    elif fault == "other server":
        home.write("facts.json", facts_file(FACTS | {"server_id": "edge"}))
    else:
        contents = {"cut": content[:-100], "text": b"no index\n" * 30}
        home.write(
            "checkpoint.index", contents.get(fault, content.replace(b"index 9", b"index 8"))
        )
    code, text, decision = home.save("//depot/...")
    assert code == 1
    lines = [line.strip() for line in text.splitlines() if line.startswith("  ")]
    assert lines == [f"//depot/{top}/... //ws/0/{top}/..." for top in ("docs", "main", "zoo")]
    assert (decision.get("trouble") is None) == (fault == "missing")


def test_a_form_that_is_not_refused_opens_no_index(home: Home) -> None:
    home.write("checkpoint.index", b"no index\n" * 30)
    assert home.save("//depot/main/...") == (0, "", {})
    observe_policy = compiled.dumps(policy(mode="observe"))
    home.write("policy.json", policy_file(observe_policy))
    code, _, decision = home.save("//depot/...")
    assert (code, decision["verdict"], decision.get("trouble")) == (0, "observe", None)
