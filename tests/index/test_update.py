"""`p4warden-index update`: journals after the checkpoint of an index."""

from __future__ import annotations

import contextlib
import gzip
import random
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from index.conftest import built, problem, rows, run
from index.exact import Exact
from index.made_server import made
from index.test_counts import MAKE, asked

if TYPE_CHECKING:
    from pathlib import Path

STEP = 500
TIME_S = 1573645381
START = f"@nx@ 0 {TIME_S} @41@ 1 0 0 0 0 @/root@ @journal@ @@ @@ @@ \n"
END = f"@nx@ 1 {TIME_S} @41@ 0 0 0 0 0 @@ @@ @@ @@ \n@ex@ 1 {TIME_S}\n"


def update(index: Path, journal: Path, *more: str) -> dict[str, Any]:
    """Continue reading the journals; return the head of the delta."""
    (head,) = rows("update", index, f"--journal={journal}", *more)
    return head


def ex(after_s: int = 100) -> str:
    """Return the record that ends a transaction."""
    return f"@ex@ 27916 {TIME_S + after_s}\n"


def rev(path: str, number: int = 1, operation: str = "pv", table: str = "rev") -> str:
    """Return a record of a revision."""
    return f"@{operation}@ 9 @db.{table}@ @{path}@ {number} 0 0 1 1 1 00 1 \n"


def files(folder: str, count: int) -> str:
    """Return the records of a number of files with one revision each, in order."""
    paths = [f"{folder}/f{number:05}" for number in range(count)]
    return "".join(rev(path) for path in paths) + "".join(
        rev(path, table="revhx") for path in paths
    )


def domain(name: str, stream: str = "", kind: int = 99, at_s: tuple[int, int] = (1, 1)) -> str:
    """Return the record of a client or a stream, with times of saving and use."""
    times = f"{TIME_S + at_s[0]} {TIME_S + at_s[1]}"
    return (
        f"@pv@ 6 @db.domain@ @{name}@ {kind} @@ @/home/{name}@ @@ @@ @ann@ {times} 0 "
        f"@Made.\n@ @{stream}@ @@ 0 \n"
    )


def line(name: str, number: int, depot: str, operation: str = "pv", flag: int = 0) -> str:
    """Return a view line."""
    return (
        f"@{operation}@ 1 @db.view@ @{name}@ {number} {flag} @//{name}/{number}/...@ @{depot}@ \n"
    )


@pytest.fixture
def small(tmp_path: Path) -> tuple[Path, Path]:
    """Return an index of a few clients and 4,000 files, and an empty journal after it."""
    text = (
        START
        + domain("all", at_s=(-9, -9))
        + domain("few")
        + domain("lib")
        + line("all", 0, "//depot/...")
        + line("few", 0, "//depot/few/...")
        + line("lib", 0, "//depot/lib/...")
        + files("//depot/few", 40)
        + files("//depot/lib", 3000)
        + files("//depot/src", 960)
        + END
    )
    checkpoint, journal = tmp_path / "ckp", tmp_path / "journal"
    checkpoint.write_text(text)
    journal.write_text("")
    return built(tmp_path, checkpoint), journal


def spans(index: Path, client: str, *paths: str) -> list[int | None]:
    """Return the number of files of a client's view that match paths, or of the whole view."""
    return [row["files"] for row in rows("estimate", index, f"--client={client}", *paths)]


def near(count: int) -> Any:
    """Return an object that equals any good estimate of a count."""
    return pytest.approx(count, abs=STEP - 1)


@pytest.mark.parametrize(("folds", "twice"), [(False, False), (True, True)])
@pytest.mark.parametrize("seed", [1, 2])
def test_updates_in_pieces_give_what_all_journals_give(
    tmp_path: Path, *, seed: int, folds: bool, twice: bool
) -> None:
    server = made(seed, folds=folds, twice=twice)
    checkpoint, whole = tmp_path / "ckp", tmp_path / "whole"
    checkpoint.write_bytes(server.checkpoint)
    text = server.journal + ex(9000).encode()
    whole.write_bytes(text)
    index = built(tmp_path, checkpoint)
    journal, rnd = tmp_path / "journal", random.Random(seed)  # noqa: S311 - the same each time
    ends = sorted([*(rnd.randrange(len(text)) for _ in range(6)), len(text)])
    done, number = 0, 0
    for end in ends:
        journal.write_bytes(text[done:end])
        update(index, journal)
        if rnd.random() < 0.4:
            cut = text.rfind(b"\n@ex@", done, end)
            if cut > done:
                cut = text.index(b"\n", cut + 1) + 1
                journal.write_bytes(text[done:cut])
                rotated = tmp_path / f"journal.{number}"
                rotated.write_bytes(text[done:cut])
                done, number = cut, number + 1
                journal.write_bytes(text[done:end])
                update(index, journal)
    with contextlib.closing(Exact([checkpoint, whole], folds=folds)) as exact:
        paths = asked(exact.revisions.paths, seed)
        for answer in rows("count", index, "-", text="\n".join(paths) + "\n"):
            files, revisions = exact.count(answer["path"])
            assert abs(answer["files"] - files) < STEP, answer
            assert abs(answer["revisions"] - revisions) < STEP, answer


def test_counts_follow_the_journal(small: tuple[Path, Path]) -> None:
    index, journal = small
    journal.write_text(files("//depot/new", 1500) + ex())
    assert update(index, journal)["transactions"] == 1
    (new, lib, directory, file) = rows(
        "count", index, "//depot/new/...", "//depot/lib/...", "//depot/new/*", "//depot/new/x"
    )
    assert (new["files"], new["revisions"]) == (1500, 1500)
    assert (lib["files"], lib["revisions"]) == (3000, 3000)
    assert (directory["files"], file["files"]) == (1500, 1)
    assert spans(index, "all") == [5500]
    assert spans(index, "all", "//depot/new/...") == [1500]


def test_a_transaction_counts_when_it_is_whole(small: tuple[Path, Path]) -> None:
    index, journal = small
    first, second = files("//depot/new", 600) + ex(), files("//depot/newer", 700) + ex()
    journal.write_text(first + second[:-40])
    update(index, journal)
    (row,) = rows("count", index, "//depot/newer/...")
    assert row["files"] == 0
    journal.write_text(first + second)
    assert update(index, journal)["transactions"] == 1
    (row,) = rows("count", index, "//depot/newer/...")
    assert row["files"] == 700


def test_what_came_before_the_checkpoint_is_passed_over(small: tuple[Path, Path]) -> None:
    index, journal = small
    journal.write_text(files("//depot/lib", 3000) + ex(-50) + files("//depot/new", 600) + ex())
    assert update(index, journal)["transactions"] == 1
    lib, new = rows("count", index, "//depot/lib/...", "//depot/new/...")
    assert (lib["files"], new["files"]) == (3000, 600)


def test_clients_that_were_saved_have_their_new_views(small: tuple[Path, Path]) -> None:
    index, journal = small
    journal.write_text(
        line("lib", 0, "//depot/lib/...", "dv")
        + line("lib", 0, "//depot/src/...")
        + line("few", 1, "//depot/src/...")
        + line("all", 1, "//depot/lib/...", flag=1)
        + domain("wide")
        + line("wide", 0, "//depot/...")
        + ex()
        + domain("lib", at_s=(-1, 200))
        + domain("few", at_s=(-1, 200))
        + ex(200)
    )
    assert update(index, journal)["clients"] == 4
    assert spans(index, "lib") == [near(960)]
    assert spans(index, "few") == [near(1000)]
    assert spans(index, "all") == [near(4000)]
    assert spans(index, "wide") == [near(4000)]
    assert spans(index, "wide", "//depot/src/...", "//wide/0/lib/...") == [near(960), near(3000)]


def test_a_client_that_was_used_is_as_it_was(small: tuple[Path, Path]) -> None:
    index, journal = small
    journal.write_text(domain("few", at_s=(1, 500)) + domain("all", at_s=(-9, 500)) + ex())
    assert update(index, journal)["clients"] == 0
    assert spans(index, "few") == [40]


@pytest.mark.parametrize("kind", ["deleted", "unloaded", "without a view"])
def test_a_client_that_is_gone_is_not_known(small: tuple[Path, Path], kind: str) -> None:
    index, journal = small
    texts = {
        "deleted": domain("lib").replace("@pv@", "@dv@"),
        "unloaded": domain("lib", kind=67),
        "without a view": line("lib", 0, "//depot/lib/...", "dv"),
    }
    journal.write_text(texts[kind] + ex())
    update(index, journal)
    assert spans(index, "lib") == [None]
    journal.write_text(texts[kind] + ex() + domain("lib") + ex())
    update(index, journal)
    assert spans(index, "lib") == [None]
    again = domain("lib") + line("lib", 0, "//depot/few/...") + ex()
    journal.write_text(texts[kind] + ex() + domain("lib") + ex() + again)
    update(index, journal)
    assert spans(index, "lib") == [near(40)]


STREAMS = (
    "".join(
        domain(name, kind=115, at_s=(-50, -50))
        + f"@pv@ 1 @db.stream@ @{name}@ @{parent}@ @title@ {kind} 1 0 0 0 0 0 0 \n"
        for name, parent, kind in (
            ("//s/main", "none", 0),
            ("//s/dev", "//s/main", 2),
            ("//s/part", "none", 0),
            ("//s/virtual", "//s/main", 3),
            ("//s/task", "//s/main", 4),
        )
    )
    + "@pv@ 0 @db.streamrelation@ @//s/part@ @//s/dev@ 1 @@ \n"
)


@pytest.fixture
def streams(tmp_path: Path) -> tuple[Path, Path]:
    """Return an index of stream clients, and an empty journal after it."""
    names = ("main", "dev", "virtual", "task")
    clients = "".join(
        domain(name, stream=f"//s/{name}", at_s=(-20, -10)) + line(name, 0, "//s/main/...")
        for name in names
    )
    checkpoint, journal = tmp_path / "ckp", tmp_path / "journal"
    checkpoint.write_text(START + clients + STREAMS + files("//s/main", 700) + END)
    journal.write_text("")
    return built(tmp_path, checkpoint), journal


def test_clients_of_virtual_and_task_streams_are_not_known(streams: tuple[Path, Path]) -> None:
    index, _ = streams
    results = {name: spans(index, name) for name in ("main", "dev", "virtual", "task")}
    assert results == {"main": [700], "dev": [700], "virtual": [None], "task": [None]}


@pytest.mark.parametrize(
    ("saved", "known"),
    [
        ("//s/main", []),
        ("//s/dev", ["main"]),
        ("//s/part", ["main"]),
        ("//s/task", ["main", "dev"]),
    ],
)
def test_a_stream_saved_after_the_view_makes_its_clients_unknown(
    streams: tuple[Path, Path], saved: str, known: list[str]
) -> None:
    index, journal = streams
    text = domain(saved, kind=115, at_s=(100, 100)) + ex()
    journal.write_text(text)
    update(index, journal)
    assert [name for name in ("main", "dev") if spans(index, name) == [700]] == known
    text += "".join(
        domain(name, stream=f"//s/{name}", at_s=(-20, 150)) + line(name, 0, "//s/main/...", "rv")
        for name in ("main", "dev")
    )
    journal.write_text(text + ex(150))
    update(index, journal)
    assert [spans(index, name) for name in ("main", "dev")] == [[near(700)], [near(700)]]


def test_a_stream_that_is_used_is_as_it_was(streams: tuple[Path, Path]) -> None:
    index, journal = streams
    record = "@rv@ 1 @db.stream@ @//s/main@ @none@ @title@ 0 1 7 7 7 7 7 7 \n"
    journal.write_text(domain("//s/main", kind=115, at_s=(-50, 100)) + record + ex())
    update(index, journal)
    assert spans(index, "main") == [700]


def test_a_path_of_a_stream_is_a_save(streams: tuple[Path, Path]) -> None:
    index, journal = streams
    journal.write_text("@pv@ 1 @db.template@ @//s/main@ 9 0 @none@ 0 0 @...@ @@ -1 \n" + ex())
    update(index, journal)
    assert spans(index, "main") == [None]


def test_a_client_of_another_stream_waits_for_its_view(streams: tuple[Path, Path]) -> None:
    index, journal = streams
    switched = domain("main", stream="//s/dev", at_s=(90, 90)) + ex()
    journal.write_text(switched)
    update(index, journal)
    assert spans(index, "main") == [None]
    journal.write_text(switched + line("main", 0, "//s/main/...", "rv") + ex(120))
    update(index, journal)
    assert spans(index, "main") == [near(700)]


@pytest.mark.parametrize(("saved_s", "files"), [(-30, 700), (-5, None)])
def test_a_checkpoint_tells_of_streams_saved_after_their_clients(
    tmp_path: Path, saved_s: int, files: int | None
) -> None:
    text = STREAMS + domain("//s/late", kind=115, at_s=(saved_s, 0))
    of_main = "".join(
        rev(f"//s/main/f{n:03}", table=t) for t in ("rev", "revhx") for n in range(700)
    )
    text += domain("ws", stream="//s/late", at_s=(-20, -10)) + line("ws", 0, "//s/main/...")
    checkpoint = tmp_path / "ckp"
    checkpoint.write_text(START + text + of_main + END)
    assert spans(built(tmp_path, checkpoint), "ws") == [files]


def test_a_journal_goes_on_after_it_was_rotated(small: tuple[Path, Path]) -> None:
    index, journal = small
    texts = [files(f"//depot/new{number}", 600) + ex(number) for number in range(4)]
    journal.write_text(texts[0][:-30])
    folder = journal.with_name("rotated")
    folder.mkdir()
    prefix = f"--rotated={folder}/p4.jnl"
    journal.write_text(texts[0])
    update(index, journal, prefix)
    (folder / "p4.jnl.9.gz").write_bytes(gzip.compress((texts[0] + texts[1]).encode()))
    (folder / "p4.jnl.10").write_text(texts[2])
    (folder / "p4.jnl.8").write_text("@ex@ 1 1\n")
    journal.write_text(texts[3])
    assert update(index, journal, prefix)["transactions"] == 3
    counts = rows("count", index, *[f"//depot/new{number}/..." for number in range(4)])
    assert [row["files"] for row in counts] == [600] * 4


@pytest.mark.parametrize("fault", ["replaced", "cut", "gap", "gone"])
def test_a_journal_that_does_not_continue_is_told(small: tuple[Path, Path], fault: str) -> None:
    index, journal = small
    journal.write_text(files("//depot/new", 600) + ex())
    update(index, journal)
    before = index.with_name("index.delta").read_bytes()
    if fault == "replaced":
        journal.write_text(files("//depot/old", 900) + ex())
    elif fault == "cut":
        journal.write_text(files("//depot/new", 600)[:-100])
    elif fault == "gap":
        journal.rename(journal.with_name("journal.4"))
        journal.with_name("journal.6").write_text(ex())
        journal.write_text(ex())
    else:
        journal.unlink()
    report = problem("update", index, f"--journal={journal}")
    expected = {"gap": "the journal after it is missing", "gone": "No such file"}
    assert expected.get(fault, "continues where the last update stopped") in report
    assert index.with_name("index.delta").read_bytes() == before
    (row,) = rows("count", index, "//depot/new/...")
    assert row["files"] == 600


def test_a_new_index_makes_the_old_delta_void(small: tuple[Path, Path], tmp_path: Path) -> None:
    index, journal = small
    journal.write_text(files("//depot/new", 600) + ex())
    update(index, journal)
    rows("build", "--output", index, f"--journal={journal}", tmp_path / "ckp")
    (row,) = rows("count", index, "//depot/new/...")
    assert row["files"] == 600
    journal.write_text(journal.read_text() + files("//depot/newer", 800) + ex(200))
    assert update(index, journal)["transactions"] == 1
    counts = rows("count", index, "//depot/new/...", "//depot/newer/...", "//depot/...")
    assert [row["files"] for row in counts] == [600, 800, 5400]


@pytest.mark.parametrize("size", [0, 30, -40, -1])
def test_a_damaged_delta_is_made_anew(small: tuple[Path, Path], size: int) -> None:
    index, journal = small
    journal.write_text(files("//depot/new", 600) + ex())
    update(index, journal)
    delta = index.with_name("index.delta")
    delta.write_bytes(delta.read_bytes()[:size])
    (row,) = rows("count", index, "//depot/new/...")
    assert row["files"] == 0
    update(index, journal)
    (row,) = rows("count", index, "//depot/new/...")
    assert row["files"] == 600


def test_a_journal_without_a_transaction_says_so(small: tuple[Path, Path]) -> None:
    index, journal = small
    assert "has no transaction yet" in problem("update", index, f"--journal={journal}")
    assert run("update", index).returncode == 2


def test_damage_in_a_journal_is_told_with_its_place(small: tuple[Path, Path]) -> None:
    index, journal = small
    journal.write_text(ex() + "@pv@ 9 @db.rev@ @//depot/a@ x 0 \n" + ex())
    place = len(ex())
    assert f"byte {place}: a record's values" in problem("update", index, f"--journal={journal}")


@pytest.mark.skipif(not MAKE.is_file(), reason="no generator of checkpoints at hand")
@pytest.mark.parametrize("options", [["--twice"], ["--folded"]], ids=" ".join)
def test_a_realistic_journal_gives_what_all_gives(tmp_path: Path, options: list[str]) -> None:
    checkpoint, journal = tmp_path / "ckp", tmp_path / "jnl"
    words = ["20000", "300", "4", *options, "--journal", str(journal), "--later", "4000"]
    with checkpoint.open("wb") as out:
        subprocess.run([sys.executable, str(MAKE), *words], stdout=out, check=True)
    with journal.open("a") as more:
        more.write("@ex@ 1 1999999999\n")
    index = built(tmp_path, checkpoint)
    update(index, journal)
    with contextlib.closing(Exact([checkpoint, journal], folds="--folded" in options)) as exact:
        paths = asked(exact.revisions.paths, 5)
        for answer in rows("count", index, "-", text="\n".join(paths) + "\n"):
            files, revisions = exact.count(answer["path"])
            assert abs(answer["files"] - files) < STEP, answer
            assert abs(answer["revisions"] - revisions) < STEP, answer
        for name, (files, _, _) in exact.clients().items():
            (present,) = spans(index, name)
            assert present is None or files == 0 or abs(present - files) < STEP * 40, name
