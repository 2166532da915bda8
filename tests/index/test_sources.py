"""Tests of `p4warden-index build` with checkpoints in various formats or damaged.

Also of damaged index files, which give no numbers, and of the access rights of an index file.
"""

from __future__ import annotations

import gzip
import stat
from typing import TYPE_CHECKING

import pytest

from index import checkpoint_text
from index.checkpoint_text import START, domain, rev
from index.conftest import built, problem, rows, run
from index.generated_server import END, generated_server
from support.whole_checkpoint import whole_bytes

if TYPE_CHECKING:
    from pathlib import Path

PUT = b"@pv@ 9 @db.rev@ @//depot/%d.c@ 1 0 0 9 9 9 00 1 0 0 @//x@ @1.1@ 0 \n"


def head_of(folder: Path, *sources: Path) -> dict[str, object]:
    """Build an index; return its head, clients, and depots with their top-level directories.

    Each is as `p4warden-index` prints it.
    """
    output = built(folder, *sources)
    (head,) = rows("show", output)
    return {**head, "clients": rows("clients", output), "places": rows("places", output)}


def test_a_checkpoint_in_several_files_gives_the_same_head_as_one_file(tmp_path: Path) -> None:
    text = generated_server(2, folds=False, files=900).checkpoint
    single_file, parts = tmp_path / "whole", tmp_path / "parts"
    single_file.write_bytes(text)
    parts.mkdir()
    records = text.removesuffix(END).replace(b"\n@pv@", b"\n\x00@pv@").split(b"\x00")[1:]
    of_rev = [one for one in records if b"@db.rev@" in one[:20]]
    tables = {one.split(b"@")[3].decode() for one in records} - {"db.rev"}
    half = len(of_rev) // 2
    # The two files of the table `db.rev` overlap by 50 records, as they may in a real checkpoint.
    for number, rows_of_rev in enumerate((of_rev[: half + 50], of_rev[half:]), 1):
        part = gzip.compress(whole_bytes(b"".join(rows_of_rev)))
        (parts / f"db.rev_0000000{number}.ckp.gz").write_bytes(part)
    for table in tables:
        of_table = [one for one in records if f"@{table}@".encode() in one[:20]]
        (parts / f"{table}.ckp").write_bytes(whole_bytes(b"".join(of_table)))
    assert head_of(tmp_path, parts) == head_of(tmp_path, single_file)


def test_an_unsorted_checkpoint_gives_the_same_head_as_a_sorted_checkpoint(tmp_path: Path) -> None:
    text = b"".join(PUT % (number * 7919 % 1000) for number in range(1000))
    plain, mixed = tmp_path / "plain", tmp_path / "mixed"
    plain.write_bytes(whole_bytes(b"".join(sorted(text.splitlines(keepends=True)))))
    mixed.write_bytes(whole_bytes(text))
    first, second = head_of(tmp_path, plain), head_of(tmp_path, mixed)
    assert first["revisions"] == 1000
    assert {**second, "case": first["case"]} == first


def test_files_are_counted_from_db_rev_in_a_checkpoint_without_db_revhx(tmp_path: Path) -> None:
    old = tmp_path / "old"
    old.write_bytes(whole_bytes(PUT % 1 + (PUT % 1).replace(b"@ 1 0", b"@ 2 0") + PUT % 2))
    head = head_of(tmp_path, old)
    assert (head["files"], head["revisions"]) == (2, 3)


def test_records_of_later_versions_with_additional_fields_are_read(tmp_path: Path) -> None:
    checkpoint = tmp_path / "ckp"
    records = (
        b"@pv@ 8 @db.domain@ @ws@ 99 @@ @/w@ @@ @@ @ann@ 1 2 0 @@ @@ @@ 1 @later@ 7 \n"
        b"@pv@ 2 @db.view@ @ws@ 0 0 @//ws/...@ @//depot/...@ @## comment@ \n"
        + (PUT % 1).replace(b" \n", b" 3 @x\n@ \n")
        + (PUT % 1).replace(b"db.rev@", b"db.revhx@")
    )
    checkpoint.write_bytes(whole_bytes(records))
    (client,) = rows("clients", built(tmp_path, checkpoint))
    assert client == {"client": "ws", "files": 1, "revisions": 1, "have": 0, "owner": "ann"}


def test_client_records_of_2010_with_fewer_fields_are_read(tmp_path: Path) -> None:
    checkpoint = tmp_path / "ckp"
    records = (
        b"@pv@ 4 @db.domain@ @ws@ 99 @@ @/w@ @@ @@ @ann@ 1 2 0 @Created.\n@ \n"
        b"@pv@ 0 @db.view@ @ws@ 0 0 @//ws/...@ @//depot/...@ \n" + PUT % 1
    )
    checkpoint.write_bytes(whole_bytes(records))
    (client,) = rows("clients", built(tmp_path, checkpoint))
    assert client == {"client": "ws", "files": 1, "revisions": 1, "have": 0, "owner": "ann"}


HEAD = START.encode()
DAMAGED = {
    "empty": (b"", "ckp: is empty"),
    "no checkpoint": (b"hello\nworld\n", "ckp: is not a checkpoint or journal"),
    "cut": (HEAD + (PUT % 2)[:-20], f"ckp: byte {len(HEAD)}: the file ends within"),
    "cut value": (
        HEAD + b"@pv@ 9 @db.rev@ @//depot/a\n",
        f"ckp: byte {len(HEAD)}: the file ends within",
    ),
    "no number": (
        HEAD + b"@pv@ 9 @db.rev@ @//depot/a@ x 0 \n",
        f"byte {len(HEAD)}: a record's values are damaged",
    ),
    "no closing note": (
        HEAD + PUT % 1,
        "ckp: ends without the note that ends a checkpoint (@nx@ 1): it is cut off",
    ),
    "endless value": (HEAD + b"@pv@ 9 @db.rev@ @" + b"a\n" * (9 << 20), "longer than 16 MiB"),
    "endless line": (HEAD + b"@pv@ 9 @db.rev@ @" + b"a" * (17 << 20), "longer than 16 MiB"),
    "zero bytes": (b"\x00" * 5000, "ckp: is not a checkpoint or journal"),
    "no record after a record": (
        HEAD + b"@pv@ x @db.rev@ \n",
        f"byte {len(HEAD)}: no record of a checkpoint",
    ),
    "a path with NUL": (
        HEAD + b"@pv@ 9 @db.rev@ @//depot/\x00@ 1 \n",
        "a record's values are damaged",
    ),
    "cut gzip": (gzip.compress(HEAD + PUT % 1 + END)[:-12], "the compressed data end early"),
    "bad gzip": (b"\x1f\x8b\x08\x00garbage of ours", "the compressed data"),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_a_damaged_checkpoint_is_reported_in_one_line_and_the_old_index_stays(
    tmp_path: Path, name: str
) -> None:
    text, expected = DAMAGED[name]
    good = tmp_path / "good"
    good.write_bytes(whole_bytes(PUT % 1))
    output = built(tmp_path, good)
    before = output.read_bytes()
    (tmp_path / "ckp").write_bytes(text)
    line = problem("build", "--output", output, tmp_path / "ckp")
    assert line.startswith(f"{tmp_path}/ckp: ")
    assert expected in line
    assert output.read_bytes() == before
    assert {path.name for path in tmp_path.iterdir()} == {"ckp", "good", "index"}


@pytest.mark.parametrize("size", range(1, 400, 7))
def test_a_truncated_checkpoint_is_refused(tmp_path: Path, size: int) -> None:
    text = generated_server(4, folds=False, files=5).checkpoint
    cut_checkpoint = tmp_path / "ckp"
    cut_checkpoint.write_bytes(text[: len(text) - size - len(END)])
    assert "cut off" in problem("build", "--output", tmp_path / "out", cut_checkpoint)


@pytest.mark.parametrize(
    "last",
    [
        (PUT % 3)[:-9],
        b"@pv@ 6 @db.domain@ @ws@ 99 @@ @/home/ws@ @@ @@ @ann@ 1 1 0 @Made by\n",
        b"@pv@ 6 @db.domain@ @ws@ 99 @@ @/home/ws@ @@ @@ @ann@ 1 1 0 @Made for @@ann\n\n",
        b"@pv@ 1 @db.desc@ 5 @Mend\n",
        b"@pv@ 1 @db.desc@ 5 @" + b"Mend many places.\n" * 50_000,
    ],
)
def test_only_the_last_journal_may_end_within_a_record(tmp_path: Path, last: bytes) -> None:
    checkpoint, journal = tmp_path / "ckp", tmp_path / "jnl"
    checkpoint.write_bytes(whole_bytes(PUT % 1))
    journal.write_bytes(PUT % 2 + last)
    words: list[str | Path] = ["build", "--output", tmp_path / "out", f"--journal={journal}"]
    process = run(*words, checkpoint)
    assert process.returncode == 0
    place = f"{journal}: byte {len(PUT % 2)}: the last record is incomplete and was left out\n"
    assert process.stderr == f"p4warden-index: {place}"
    assert rows("show", tmp_path / "out")[0]["revisions"] == 2
    result = run(*words[:-1], f"--journal={journal}", f"--journal={journal}", checkpoint)
    assert result.returncode == 1
    assert "the file ends within this record" in result.stderr


@pytest.mark.parametrize("at", range(0, 600, 13))
def test_an_index_with_a_changed_byte_is_an_error(tmp_path: Path, at: int) -> None:
    checkpoint = tmp_path / "ckp"
    checkpoint.write_bytes(whole_bytes(b"".join(sorted(PUT % number for number in range(2000)))))
    output = built(tmp_path, checkpoint)
    content = output.read_bytes()
    place = at * len(content) // 600
    output.write_bytes(content[:place] + bytes([content[place] ^ 0x55]) + content[place + 1 :])
    questions: tuple[list[str | Path], ...] = (
        ["count", output, "//depot/1..."],
        ["count", output, "//depot/*"],
        ["places", output],
    )
    results = [run(*words) for words in questions]
    assert any(one.returncode == 1 and one.stdout == "" for one in results)
    for one in results:
        assert one.returncode == 0 or "p4warden index" in one.stderr


@pytest.mark.parametrize("size", [0, 10, 31, 32, -20, -1])
def test_a_truncated_index_is_an_error(tmp_path: Path, size: int) -> None:
    checkpoint = tmp_path / "ckp"
    checkpoint.write_bytes(whole_bytes(PUT % 1))
    output = built(tmp_path, checkpoint)
    output.write_bytes(output.read_bytes()[:size])
    assert "make it" in problem("count", output, "//depot/...")


def test_an_index_is_readable_by_its_owner_alone(tmp_path: Path) -> None:
    checkpoint = tmp_path / "ckp"
    checkpoint.write_bytes(whole_bytes(PUT % 1))
    assert stat.S_IMODE(built(tmp_path, checkpoint).stat().st_mode) == 0o600


@pytest.mark.parametrize("order", ["sorted", "twice", "reversed", "mixed", "in two cases"])
def test_synced_files_are_counted_once_in_any_order(tmp_path: Path, order: str) -> None:
    names = sorted(f"//ws/{number % 3}/{number}.c" for number in range(90))
    synced = {
        "sorted": names,
        "twice": names + names,
        "reversed": names[::-1],
        "mixed": names[45:] + names[:50],
        "in two cases": [name for one in names for name in (one.upper(), one)],
    }[order]
    have_records = "".join(f"@pv@ 3 @db.have@ @{name}@ @//depot/x@ 1 0 \n" for name in synced)
    checkpoint = tmp_path / "ckp"
    # A checkpoint table with "a" before "B" proves that the server compares names without case.
    revisions = rev("//depot/a") + rev("//depot/B")
    checkpoint.write_text(START + domain("ws") + have_records + revisions + checkpoint_text.END)
    (client,) = rows("clients", built(tmp_path, checkpoint))
    assert client["have"] == 90
