"""Tests of the files that views span by an index, and of verdicts on forms by them.

Also of directories that refusals propose.
"""

from __future__ import annotations

import contextlib
import json
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from gate.program import PROGRAM
from index.conftest import built, rows
from index.exact_counts import ExactCounts
from index.generated_server import generated_server
from p4warden.asking.gate_program import GateError
from p4warden.policy import compiled
from support.examples import long_but
from support.home_files import facts_file, policy_file
from support.judged import judging_by
from support.small_index import small_index
from support.triggers import line_words

if TYPE_CHECKING:
    from pathlib import Path

SERVER = {"//depot/main/lib": 700, "//depot/main/src": 3000, "//depot/main/src/a": 600}
SERVER |= {"//depot/docs": 20, "//thirdparty": 9}
RULE = {"name": "narrow", "rule": "limit_view_scope", "mode": "enforce", "min_depth": 0}
RULE |= {"max_files": 2000}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_index(tmp_path_factory.mktemp("index"), SERVER, {})


def policy(**settings: Any) -> compiled.Policy:
    document = {"contact": "admins", "rules": [RULE | settings]}
    return compiled.compile_policy(document, "d" * 64)


def spanned(
    index: Path, *paths: str, at_most: int = 2000, case_sensitive: bool = True
) -> dict[str, Any]:
    rule, facts = RULE | {"max_files": at_most}, {"case_sensitive": case_sensitive}
    with judging_by({"rules": [rule]}, facts, index=index, flags=["all"]) as judge:
        return judge.ask(client_form(*paths))


def test_a_narrow_view_has_no_wide_lines(index: Path) -> None:
    results = spanned(index, "//depot/main/lib/...", "//depot/main/lib/f0*", "//thirdparty/...")
    assert abs(results["value"] - 709) < 1000
    assert results["findings"] == []


def test_the_wide_view_lines_are_refused_with_narrower_directories(index: Path) -> None:
    results = spanned(index, "//depot/docs/...", "//depot/...", "//thirdparty/...")
    assert results["value"] == 4329
    (wide,) = results["findings"]
    assert wide["item"] == "//depot/... //ws/1/..."
    assert "about 4,320" in wide["problem"]
    assert wide["fix"] == [
        "//depot/main/lib/... //ws/1/main/lib/...",
        "//depot/main/src/a/... //ws/1/main/src/a/...",
    ]


def test_a_directory_whose_name_is_the_text_before_the_dots_is_proposed(tmp_path: Path) -> None:
    index = small_index(tmp_path, {"//depot/main": 700, "//depot/main-old": 3000}, {})
    (wide,) = spanned(index, "//depot/main...")["findings"]
    assert wide["fix"] == ["//depot/main/... //ws/0/main/..."]


def test_a_view_line_that_occurs_twice_is_counted_once(index: Path) -> None:
    results = spanned(index, "//depot/...", "//depot/main/...", "//depot/...")
    assert results["value"] == 4320
    assert [one["place"] for one in results["findings"]] == ["View line 1", "View line 2"]


@pytest.mark.parametrize("folds", long_but([False], [False, True]))
def test_the_count_of_a_view_is_close_to_the_exact_count(tmp_path: Path, folds: bool) -> None:  # noqa: FBT001 - parameter of a test case
    server = generated_server(5, folds=folds)
    (tmp_path / "ckp").write_bytes(server.checkpoint)
    (tmp_path / "jnl").write_bytes(server.journal)
    index = built(tmp_path, tmp_path / "ckp", tmp_path / "jnl")
    lines = ["//depot/src/...", "//depot/lib*", "//depot2/*", "//depot/src/lib/..."]
    results = spanned(index, *lines, case_sensitive=not folds, at_most=10**9)
    with contextlib.closing(
        ExactCounts([tmp_path / "ckp", tmp_path / "jnl"], folds=folds)
    ) as exact:
        assert abs(results["value"] - exact.files_of(lines)) < 500 * len(lines)


def test_an_index_with_other_case_handling_is_not_used(tmp_path: Path, home: Home) -> None:
    (tmp_path / "ckp").write_bytes(generated_server(5, folds=True).checkpoint)
    index = built(tmp_path, tmp_path / "ckp")
    assert spanned(index, "//depot/...", at_most=1)["value"] is None
    home.write("checkpoint.index", index.read_bytes())
    trouble = home.save("//depot/...")[2]["trouble"]
    assert trouble.endswith("its case handling is folded, this server's is not")


def test_an_index_of_another_server_is_not_used(tmp_path: Path, home: Home) -> None:
    (tmp_path / "ckp").write_bytes(generated_server(5, folds=False).checkpoint)
    rows("build", "--output", tmp_path / "index", "--server-id=main", tmp_path / "ckp")
    home.write("checkpoint.index", (tmp_path / "index").read_bytes())
    assert "trouble" not in home.save("//depot/...")[2]
    home.write("facts.json", facts_file({"server_id": "edge"}))
    trouble = home.save("//depot/...")[2]["trouble"]
    assert trouble.endswith("the index belongs to another server; this server's ID is edge")


def test_evaluate_judges_forms_by_an_index(index: Path) -> None:
    form = "Client:\tws\nView:\n\t//depot/... //ws/...\n"
    event = {"event": "form-save", "type": "client", "name": "ws", "form": form}
    narrow = event | {"form": form.replace("/...", "/docs/...", 1)}
    with judging_by(policy(), index=index, flags=["texts"]) as judge:
        wide, small = judge.answers([event, narrow])
    assert (wide["verdict"], wide["value"]) == ("refuse", 4320)
    assert "covers about 4,320 files; at most 2,000 are allowed" in wide["text"]
    assert "  //depot/main/lib/... //ws/main/lib/...\n" in wide["text"]
    assert (small["verdict"], small["value"]) == ("allow", 20)


def test_evaluate_without_an_index_gives_the_verdict_unknown(index: Path) -> None:
    form = "Client:\tws\nView:\n\t//depot/... //ws/...\n"
    event = {"event": "form-save", "type": "client", "name": "ws", "form": form}
    with judging_by(policy()) as judge:
        answer = judge.ask(event)
    assert (answer["verdict"], answer["value"]) == ("unknown", None)
    assert answer["unknown"] == [{"rule": "narrow", "why": "no-index"}]
    missing = pytest.raises(GateError, match=r"index\.none: No such file")
    with judging_by(policy(), index=f"{index}.none") as judge, missing:
        judge.ask(event)


@pytest.mark.parametrize(
    ("client", "user", "lines"),
    [
        (
            "ws",
            "ben",
            [
                "//depot/main/lib/... //ws/main/lib/...",
                "//depot/main/src/a/... //ws/main/src/a/...",
            ],
        ),
        (
            "ws",
            "ann",
            ["//depot/docs/... //ws/docs/...", "//depot/main/src/a/... //ws/main/src/a/..."],
        ),
        ("old", "ben", ["//depot/docs/... //old/docs/..."]),
        (
            "old",
            "ann",
            ["//depot/docs/... //old/docs/...", "//depot/main/src/a/... //old/main/src/a/..."],
        ),
        ("ws", "b\udcff", ["//depot/main/lib/... //ws/main/lib/..."]),
    ],
)
def test_directories_with_synced_files_of_the_client_or_user_are_proposed_first(
    client: str, user: str, lines: list[str], tmp_path: Path
) -> None:
    clients = {"old": ["//depot/... //old/..."], "other": ["//depot/main/... //other/m/..."]}
    have_counts = {"//old/docs": 9, "//other/m/src/a": 20, "//other/m/src": 4}
    index = small_index(tmp_path, SERVER, clients, have_counts=have_counts)
    form = f"Client:\t{client}\nView:\n\t//depot/... //{client}/...\n"
    event = {"event": "form-save", "type": "client", "name": client, "user": user, "form": form}
    with judging_by(policy(), index=index, flags=["texts"]) as judge:
        answer = judge.ask(event)
    assert answer["verdict"] == "refuse"
    assert answer["fix"].splitlines()[: len(lines)] == lines


class Home:
    """A p4warden home folder with an index, by which the gate judges client forms."""

    def __init__(self, folder: Path, index: Path) -> None:
        self.home, self.form = folder / "home", folder / "form"
        self.home.mkdir(mode=0o700)
        self.write("policy.json", policy_file(compiled.dumps(policy())))
        self.write("facts.json", facts_file(b'{"case_sensitive": true, "depots": {}}'))
        self.write("checkpoint.index", index.read_bytes())

    def write(self, name: str, content: bytes) -> None:
        (self.home / name).write_bytes(content)
        (self.home / name).chmod(0o600)

    def save(self, *view: str) -> tuple[int, str, dict[str, Any]]:
        """Save the form of a client with these view lines.

        Returns the exit code, the text shown to the user, and the decision record, empty if none
        was logged.
        """
        lines = "".join(f"\t{line} //ws/{number}/...\n" for number, line in enumerate(view))
        self.form.write_text(f"Client:\tws\nView:\n{lines}")
        options = [f"--home={self.home}", "--on-error=deny", f"--form={self.form}"]
        process = subprocess.run(
            [str(PROGRAM), *line_words("form-save", *options, "--type=client", "--name=ws")],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            env={},
        )
        log = self.home / "decisions.jsonl"
        text = log.read_text().splitlines() if log.exists() else []
        # The gate does not log a decision record equal to one of the last seconds, so the state
        # with the last records is deleted as well.
        for file in (log, self.home / "state"):
            file.unlink(missing_ok=True)
        return process.returncode, process.stdout, json.loads(text[-1]) if text else {}


@pytest.fixture
def home(tmp_path: Path, index: Path) -> Home:
    return Home(tmp_path, index)


def test_forms_are_judged_by_the_index_in_the_home_folder(home: Home) -> None:
    code, text, decision = home.save("//depot/docs/...", "//depot/main/...")
    assert code == 1
    assert "the whole view about 4,320; a view may cover at most 2,000" in text
    assert "  //depot/main/lib/... //ws/1/lib/...\n" in text
    assert decision["verdict"] == "refuse"
    assert home.save("//depot/docs/...", "//thirdparty/...")[:2] == (0, "")


def client_form(*paths: str) -> dict[str, Any]:
    lines = "".join(f"\t{path} //ws/{number}/...\n" for number, path in enumerate(paths))
    text = f"Client:\tws\nView:\n{lines}"
    return {"event": "form-save", "type": "client", "name": "ws", "form": text}


@pytest.mark.parametrize("fault", ["missing", "cut", "text", "link", "open", "program"])
def test_a_wide_view_is_allowed_as_unknown_if_the_index_is_unusable(
    home: Home, fault: str
) -> None:
    place = home.home / "checkpoint.index"
    content = place.read_bytes()
    if fault == "cut":
        home.write("checkpoint.index", content[:-100])
    elif fault == "text":
        home.write("checkpoint.index", b"no index\n" * 30)
    elif fault == "open":
        place.chmod(0o666)
    elif fault in ("missing", "link"):
        place.unlink()
    if fault == "link":
        place.symlink_to("/etc/passwd")
    if fault == "program":
        home.write("checkpoint.index", content.replace(b"p4warden index 9", b"p4warden index 8"))
    code, text, decision = home.save("//depot/...")
    assert (code, text) == (0, "")
    assert decision["verdict"] == "unknown"
    assert (decision.get("trouble") is None) == (fault == "missing")


def test_a_view_of_30000_lines_is_counted(index: Path) -> None:
    paths = [f"//depot/main/lib/{'x' * 80}{number}/..." for number in range(30_000)]
    with judging_by({"rules": [RULE]}, index=index) as judge:
        answer = judge.ask(client_form(*paths))
    assert (answer["verdict"], answer["value"]) == ("unknown", 0)


@pytest.mark.parametrize("names", ["{}", "{}x"])
@pytest.mark.parametrize(("lines", "files"), [(200, 249), (20, 1)])
def test_a_view_is_judged_only_where_the_errors_of_its_lines_do_not_matter(
    tmp_path: Path, names: str, lines: int, files: int
) -> None:
    directories = [f"//depot/main/d{number:03}" for number in range(lines)]
    others = "{}x" if names == "{}" else "{}"
    server = {names.format(one): files for one in directories}
    server |= {others.format(one): 500 - files for one in directories}
    result = spanned(
        small_index(tmp_path, server, {}), *(f"{names.format(one)}/..." for one in directories)
    )
    assert result["verdict"] == "unknown"
    assert result["unknown"] == [{"rule": "narrow", "why": "near-limit"}]
