"""Tests of the views of stream clients, which are unknown if a stream was saved after them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from index.checkpoint_text import END, START, domain, ex, files, line, rev, spans
from index.conftest import built

if TYPE_CHECKING:
    from pathlib import Path

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
def checkpoint(tmp_path: Path) -> Path:
    """Fixture: path of a checkpoint of four stream clients."""
    clients = "".join(
        domain(name, stream=f"//s/{name}", at_s=(-20, -10)) + line(name, 0, "//s/main/...")
        for name in ("main", "dev", "virtual", "task")
    )
    checkpoint = tmp_path / "ckp"
    checkpoint.write_text(START + clients + STREAMS + files("//s/main", 700) + END)
    return checkpoint


def test_clients_of_virtual_and_task_streams_are_unknown(tmp_path: Path, checkpoint: Path) -> None:
    index = built(tmp_path, checkpoint)
    spans_by_client = {name: spans(index, name) for name in ("main", "dev", "virtual", "task")}
    assert spans_by_client == {"main": [700], "dev": [700], "virtual": [None], "task": [None]}


def test_a_stream_client_without_a_view_is_unknown(tmp_path: Path) -> None:
    checkpoint = tmp_path / "ckp"
    checkpoint.write_text(START + domain("unused", stream="//s/main") + STREAMS + END)
    assert spans(built(tmp_path, checkpoint), "unused") == [None]


@pytest.mark.parametrize(
    ("stream", "expected"),
    [
        ("//s/main", []),
        ("//s/dev", ["main"]),
        ("//s/part", ["main"]),
        ("//s/task", ["main", "dev"]),
    ],
)
def test_a_stream_saved_after_the_view_makes_its_clients_unknown(
    tmp_path: Path, checkpoint: Path, stream: str, expected: list[str]
) -> None:
    journal = tmp_path / "journal"
    text = domain(stream, kind=115, at_s=(100, 100)) + ex()
    journal.write_text(text)
    index = built(tmp_path, checkpoint, journal)
    assert [name for name in ("main", "dev") if spans(index, name) == [700]] == expected
    text += "".join(
        domain(name, stream=f"//s/{name}", at_s=(-20, 150)) + line(name, 0, "//s/main/...", "rv")
        for name in ("main", "dev")
    )
    journal.write_text(text + ex(150))
    index = built(tmp_path, checkpoint, journal)
    assert [spans(index, name) for name in ("main", "dev")] == [[700], [700]]


@pytest.mark.parametrize(("saved_s", "files"), [(-30, 700), (-5, None)])
def test_a_client_is_unknown_if_the_checkpoint_has_a_later_save_of_its_stream(
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
