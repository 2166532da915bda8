"""Tests of `p4warden-index update`: clients and streams that journals changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from index.conftest import built
from index.journal_text import END, START, domain, ex, files, line, near, rev, small, spans, update

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["small"]


def test_changed_clients_are_counted_by_their_new_views(small: tuple[Path, Path]) -> None:
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


def test_a_changed_client_is_counted_with_the_files_of_later_updates(
    small: tuple[Path, Path],
) -> None:
    index, journal = small
    text = domain("wide") + line("wide", 0, "//depot/...") + ex()
    journal.write_text(text)
    update(index, journal)
    assert spans(index, "wide") == [4000]
    journal.write_text(text + files("//depot/new", 1500) + ex(200))
    assert update(index, journal)["transactions"] == 1
    assert spans(index, "wide") == [5500]


def test_a_client_with_a_new_root_is_counted_with_the_files_since_the_checkpoint(
    small: tuple[Path, Path],
) -> None:
    index, journal = small
    text = files("//depot/few/new", 60) + ex()
    text += domain("few").replace("/home/few", "/elsewhere") + ex(200)
    journal.write_text(text)
    assert update(index, journal)["clients"] == 1
    assert spans(index, "few") == [100]
    journal.write_text(text + files("//depot/few/newer", 20) + ex(300))
    update(index, journal)
    assert spans(index, "few") == [120]


def test_a_deleted_file_that_a_view_line_names_no_longer_counts(small: tuple[Path, Path]) -> None:
    index, journal = small
    journal.write_text(rev("//depot/lib/f00001", operation="dv", table="revhx") + ex())
    update(index, journal)
    assert spans(index, "some") == [40]


def test_a_replaced_view_line_no_longer_counts(small: tuple[Path, Path]) -> None:
    index, journal = small
    journal.write_text(line("few", 0, "//depot/few/f00001", "rv") + ex())
    update(index, journal)
    assert spans(index, "few") == [1]


def test_a_new_access_time_of_a_client_changes_no_counts(small: tuple[Path, Path]) -> None:
    index, journal = small
    journal.write_text(domain("few", at_s=(1, 500)) + domain("all", at_s=(-9, 500)) + ex())
    assert update(index, journal)["clients"] == 0
    assert spans(index, "few") == [40]


@pytest.mark.parametrize("kind", ["deleted", "unloaded", "without a view"])
def test_a_deleted_unloaded_or_viewless_client_is_unknown_until_a_view_is_saved(
    small: tuple[Path, Path], kind: str
) -> None:
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
    stream_record = domain("lib") + line("lib", 0, "//depot/few/...") + ex()
    journal.write_text(texts[kind] + ex() + domain("lib") + ex() + stream_record)
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
    """Fixture: paths of an index of four stream clients, and of an empty journal."""
    names = ("main", "dev", "virtual", "task")
    clients = "".join(
        domain(name, stream=f"//s/{name}", at_s=(-20, -10)) + line(name, 0, "//s/main/...")
        for name in names
    )
    checkpoint, journal = tmp_path / "ckp", tmp_path / "journal"
    checkpoint.write_text(START + clients + STREAMS + files("//s/main", 700) + END)
    journal.write_text("")
    return built(tmp_path, checkpoint), journal


def test_clients_of_virtual_and_task_streams_are_unknown(streams: tuple[Path, Path]) -> None:
    index, _ = streams
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
    streams: tuple[Path, Path], stream: str, expected: list[str]
) -> None:
    index, journal = streams
    text = domain(stream, kind=115, at_s=(100, 100)) + ex()
    journal.write_text(text)
    update(index, journal)
    assert [name for name in ("main", "dev") if spans(index, name) == [700]] == expected
    text += "".join(
        domain(name, stream=f"//s/{name}", at_s=(-20, 150)) + line(name, 0, "//s/main/...", "rv")
        for name in ("main", "dev")
    )
    journal.write_text(text + ex(150))
    update(index, journal)
    assert [spans(index, name) for name in ("main", "dev")] == [[near(700)], [near(700)]]


def test_a_new_access_time_of_a_stream_changes_no_counts(streams: tuple[Path, Path]) -> None:
    index, journal = streams
    record = "@rv@ 1 @db.stream@ @//s/main@ @none@ @title@ 0 1 7 7 7 7 7 7 \n"
    journal.write_text(domain("//s/main", kind=115, at_s=(-50, 100)) + record + ex())
    update(index, journal)
    assert spans(index, "main") == [700]


def test_a_changed_path_of_a_stream_makes_its_clients_unknown(streams: tuple[Path, Path]) -> None:
    index, journal = streams
    journal.write_text("@pv@ 1 @db.template@ @//s/main@ 9 0 @none@ 0 0 @...@ @@ -1 \n" + ex())
    update(index, journal)
    assert spans(index, "main") == [None]


def test_a_client_switched_to_another_stream_is_unknown_until_its_view_is_saved(
    streams: tuple[Path, Path],
) -> None:
    index, journal = streams
    domain_record = domain("main", stream="//s/dev", at_s=(90, 90)) + ex()
    journal.write_text(domain_record)
    update(index, journal)
    assert spans(index, "main") == [None]
    journal.write_text(domain_record + line("main", 0, "//s/main/...", "rv") + ex(120))
    update(index, journal)
    assert spans(index, "main") == [near(700)]


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
