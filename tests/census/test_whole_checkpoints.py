"""Tests that every reader of checkpoints accepts a whole one, and refuses all others unread.

The cases are those of `tests/cases/whole_checkpoints`, and each cut of a small checkpoint.
"""

from __future__ import annotations

import gzip
import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from index.conftest import run as index_program
from p4warden import cli
from p4warden.core import shipped_yaml
from p4warden.home import baseline_file
from support.examples import long_but

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
CASES = shipped_yaml.load((ROOT / "tests/cases/whole_checkpoints/files.yaml").read_text())["cases"]
REAL = Path(__file__).parents[3] / "shared" / "data"
DAY_S = 86400
NIGHT_S = 1487774713
TABLES = {
    "domain": "@pv@ 6 @db.domain@ @ws@ 99 @@ @/w@ @@ @@ @ann@ 1 1 0 @Made.\n@ @@ @@ 0 \n",
    "view": "@pv@ 1 @db.view@ @ws@ 0 0 @//ws/...@ @//depot/...@ \n",
    "depot": "@pv@ 1 @db.depot@ @depot@ 0 @@ @depot/...@ \n",
    "have": "@pv@ 3 @db.have@ @//ws/main/f@ @//depot/main/f@ 1 0 1 \n",
    "rev": "@pv@ 9 @db.rev@ @//depot/main/f@ 1 0 0 1 1 1 00 1 \n",
}
BODY = "".join(TABLES.values())
END = f"@nx@ 1 {NIGHT_S} @39@ 0 0 0 0 0 @@ @@ @@ @@ @@ \n@ex@ 9519 {NIGHT_S}\n"


def start(night: int = 1, root: str = "/p4/1/root", note: int = 0) -> str:
    time_s = NIGHT_S + (night - 1) * DAY_S
    return f"@nx@ {note} {time_s} @39@ 2 0 0 0 0 @{root}@ @journal@ @@ @@ @@ \n"


WORDS = {
    "start": start(),
    "body": BODY,
    "end": END,
    "empty": "",
    "log": "Perforce server info:\n\t2026/03/02 10:00:00 pid 1 completed .1s\n",
    "garbage": "more\n",
    "table_note": f"@nx@ 4 {NIGHT_S} @39@ 3 0 0 0 0 @db.have@ @@ @@ @@ @@ \n",
    "bare_journal": f"{BODY}@dv@ 1 @db.depot@ @old@ 0 @@ @old/...@ \n@ex@ 1 1\n",
    **{f"night{night}": start(night) + BODY + END for night in range(3)},
    "other": start(3, "/p4/2/root") + BODY + END,
}
WORDS["journal"] = start(note=2) + WORDS["bare_journal"]


def content(folder: Path, words: list[str]) -> bytes:
    match words:
        case ["gz", *rest]:
            return gzip.compress(content(folder, rest))
        case ["cut", *rest]:
            return content(folder, rest)[:-60]
        case ["md5", name]:
            return f"{hashlib.md5((folder / name).read_bytes()).hexdigest().upper()}\n".encode()  # noqa: S324 - as p4d
        case _:
            return "".join(WORDS[word] for word in words).encode()


def parallel(folder: Path, parts: dict[str, Any]) -> None:
    folder.mkdir(parents=True)
    for number, (table, text) in enumerate(TABLES.items()):
        file = folder / parts.get("name", "db.{}.ckp").format(table)
        # Parts are begun at different times: a thread takes the next table when it is free.
        notes = start().replace(str(NIGHT_S), str(NIGHT_S + 900 * number)), END
        before, after = notes if parts.get("notes", True) else ("", "")
        data = (before + text + after).encode()
        file.write_bytes(gzip.compress(data) if file.suffix == ".gz" else data)
        if parts.get("digests"):
            digest = hashlib.md5(data).hexdigest()  # noqa: S324 - as p4d
            file.with_name(f"{file.name}.md5").write_text(f"MD5 ({file.name}) = {digest}\n")


def written(folder: Path, case: dict[str, Any]) -> Path:
    """Write the files of a case; return the path to read."""
    if "parallel" in case:
        parallel(folder / case["parallel"]["folder"], case["parallel"])
    for name, words in case.get("files", {}).items():
        file = folder / name
        if name.endswith("/"):
            file.mkdir()
            continue
        file.parent.mkdir(exist_ok=True, parents=True)
        file.write_bytes(content(folder, words.split()))
    if "without" in case:
        (folder / case["without"]).unlink()
    return folder / str(case["read"])


class Readers:
    """Runs each command that reads a checkpoint; keeps what it may write in a folder."""

    def __init__(self, folder: Path) -> None:
        self.home = folder
        self.policy = str(folder / "policy.yaml")
        rule = {"name": "deep", "rule": "limit_view_scope", "mode": "enforce", "min_depth": 1}
        document = {"version": 1, "contact": "admins", "rules": [{**rule, "baseline": True}]}
        (folder / "policy.yaml").write_text(yaml.safe_dump(document))
        (folder / "baseline.json").write_bytes(
            baseline_file.write({"client/old": [["r", "x", "y", 1]]})
        )
        (folder / "log").write_text(WORDS["log"])

    def commands(self, checkpoint: str) -> Iterator[list[str]]:
        home = ["--home", str(self.home)]
        of_policy = ["--policy", self.policy, "--checkpoint", checkpoint, *home]
        yield ["census", *of_policy]
        yield ["census", *of_policy, "--rightsize", "--json"]
        yield ["census", *of_policy, "--write-baseline"]
        yield ["rightsize", *of_policy, "--wide"]
        yield ["audit", checkpoint, "--html", str(self.home / "audit.html")]
        yield ["index", "--checkpoint", checkpoint, "--output", str(self.home / "index")]
        yield [
            "replay",
            "--policy",
            self.policy,
            "--checkpoint",
            checkpoint,
            str(self.home / "log"),
        ]

    def files(self) -> dict[str, bytes]:
        return {file.name: file.read_bytes() for file in self.home.iterdir()}


@pytest.fixture
def readers(tmp_path: Path) -> Readers:
    folder = tmp_path / "home"
    folder.mkdir(0o700)
    return Readers(folder)


def run(words: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    code = cli.run(words)
    return code, *capsys.readouterr()


@pytest.mark.parametrize("case", long_but(CASES[::3], CASES), ids=[case["name"] for case in CASES])
def test_every_reader_refuses_what_is_not_a_whole_checkpoint(
    case: dict[str, Any], tmp_path: Path, readers: Readers, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "checkpoints"
    folder.mkdir()
    path = written(folder, case)
    before = readers.files()
    for words in readers.commands(str(path)):
        code, out, err = run(words, capsys)
        if "refusal" not in case:
            assert code == 0, (words, err)
            continue
        assert (code, out) == (1, ""), words
        lines = err.splitlines()
        assert len(lines) == 1, (words, err)
        assert lines[0].startswith(f"p4warden: {folder}")
        assert case["refusal"] in lines[0]
        newest = f"the newest whole checkpoint there is {folder / case.get('newest', '')}"
        assert lines[0].endswith(
            newest if "newest" in case else "name a checkpoint that p4d has completed"
        ), words
        assert readers.files() == before
    if "newest" in case:
        assert run([*readers.commands(str(folder / case["newest"]))][4][:2], capsys)[0] == 0


def problem(*words: str | Path, prints: bool = False) -> str:
    """Run `p4warden-index`, which must fail; return its error line."""
    process = index_program(*words)
    assert process.returncode == 4
    assert prints or not process.stdout
    [line] = process.stderr.splitlines()
    return line


def boundaries(text: bytes) -> list[int]:
    """Return each place of a checkpoint's text at which a record ends, before its last note."""
    places = [place for place in range(1, len(text)) if text[place - 1 : place + 1] == b"\n@"]
    records = [place for place in places if text[place : place + 2] != b"@ "]
    return [place for place in records if place <= text.index(b"@nx@ 1 ")]


def test_a_checkpoint_cut_after_any_record_is_refused(tmp_path: Path) -> None:
    text = WORDS["night1"].encode()
    places = boundaries(text)
    assert len(places) == len(TABLES) + 1
    for place in places:
        for data in (text[:place], gzip.compress(text[:place])):
            (tmp_path / "ckp").write_bytes(data)
            reason = problem("records", "--tables=domain", tmp_path / "ckp", prints=True)
            assert "ends without the note" in reason, place
            assert "ends without the note" in problem(
                "build", f"--output={tmp_path / 'index'}", tmp_path / "ckp"
            )


@pytest.mark.parametrize("reader", ["census", "audit", "index"])
def test_a_checkpoint_is_no_journal_and_two_are_not_one(
    reader: str, tmp_path: Path, readers: Readers, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second = tmp_path / "ckp.1", tmp_path / "ckp.2"
    first.write_text(WORDS["night1"])
    second.write_text(WORDS["night2"])
    [words] = [words for words in readers.commands(str(first)) if words[0] == reader][-1:]
    journal = ["--journal"] if reader == "index" else []
    code, _, err = run([*words, *journal, str(second)], capsys)
    assert (code, len(err.splitlines())) == (1, 1)
    assert f"{second}: is a checkpoint, not a journal: name one checkpoint, then only" in err
    if reader != "audit":
        code, _, err = run([*words, "--checkpoint", str(second)], capsys)
        assert (code, len(err.splitlines())) == (1, 1)
        assert "cannot be read together with another checkpoint: name one checkpoint" in err


@pytest.mark.parametrize("name", ["checkpoint_r15.1.gz", "checkpoint_r17.1.gz"])
def test_a_real_checkpoint_is_whole_and_its_first_half_is_not(name: str, tmp_path: Path) -> None:
    if not (REAL / name).is_file():
        pytest.skip("no real checkpoint is here")
    assert index_program("records", "--tables=domain", REAL / name).returncode == 0
    text = gzip.decompress((REAL / name).read_bytes())
    place = text.rindex(b"\n@pv@", 0, len(text) // 2) + 1
    (tmp_path / "ckp").write_bytes(text[:place])
    reason = problem("records", "--tables=domain", tmp_path / "ckp", prints=True)
    assert "ends without the note" in reason


def test_the_files_of_a_parallel_checkpoint_may_be_named_one_by_one(tmp_path: Path) -> None:
    parallel(tmp_path / "ckp.2", {"digests": True})
    files = sorted((tmp_path / "ckp.2").iterdir())
    all_rows = index_program("records", "--tables=domain,view", *files)
    assert (all_rows.returncode, all_rows.stderr) == (0, "")
    assert (
        all_rows.stdout
        == index_program("records", "--tables=domain,view", tmp_path / "ckp.2").stdout
    )
