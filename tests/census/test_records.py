"""Tests of merging a checkpoint and its journals into the latest record of each table row.

Also of damaged or compressed files, groups with subgroups, and passwords, which are not stored.
"""

from __future__ import annotations

import contextlib
import gzip
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from p4warden.core.errors import P4WardenError
from p4warden.index.build import printed
from p4warden.workbench.census import checkpoint
from p4warden.workbench.checkpoint.reading import Sources, read
from p4warden.workbench.checkpoint.small_tables import SmallTables
from p4warden.workbench.checkpoint.table_list import tables as listed_tables
from support.checkpoint_tables import small_tables_of
from support.whole_checkpoint import START, whole

if TYPE_CHECKING:
    from collections.abc import Iterator


def quoted(text: str) -> str:
    return "@" + text.replace("@", "@@") + "@"


def domain(name: str, description: str = "", owner: str = "ann", number: int = 99) -> str:
    texts = " ".join(["@@"] * 4)
    return (
        f"@pv@ 7 @db.domain@ {quoted(name)} {number} {texts} {quoted(owner)} 1 86400 0 "
        f"{quoted(description)} @@ @@ 0 \n"
    )


def view(name: str, seq: int, path: str, operation: str = "pv") -> str:
    right = quoted(f"//{name}/...")
    return f"@{operation}@ 1 @db.view@ {quoted(name)} {seq} 0 {right} {quoted(path)} \n"


@contextlib.contextmanager
def spec_tables(text: str, *, case_sensitive: bool = True) -> Iterator[SmallTables]:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "checkpoint")
        file.write_bytes(whole(text).encode("utf-8", "surrogateescape"))
        with small_tables_of(str(file), case_sensitive=case_sensitive) as tables:
            yield tables


def take(file: Path, tables: SmallTables) -> None:
    read(Sources([str(file)]), tables, lambda _read, _of: None)


def views(tables: SmallTables) -> dict[str, list[str]]:
    results = checkpoint.specs(tables, ["client"])
    return {spec.name: list(spec.fields.get("view", ())) for spec in results}


TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=30)
NAMES = st.text(st.sampled_from("ab@\n .-é"), min_size=1, max_size=8)
LIKE_RECORDS = st.sampled_from(["\n", "\n@pv@ 1 @db.view@ @x@ 0 0 @y@ @z@ \n", "@", " @ "])


@given(
    st.dictionaries(NAMES, st.tuples(st.lists(TEXTS, max_size=4), TEXTS | LIKE_RECORDS)),
)
def test_names_and_paths_of_any_text_are_read_unchanged(
    specs: dict[str, tuple[list[str], str]],
) -> None:
    text = ""
    for name, (_, description) in specs.items():
        text += domain(name, description) + "@pv@ 3 @db.have@ @//ws/a@ @//d/a@ 1 0 1 \n"
    for name, (paths, _) in specs.items():
        text += "".join(view(name, seq, path) for seq, path in enumerate(paths))
    results: dict[str, list[str]] = {name: [] for name in specs}
    with spec_tables(text) as tables:
        for key, path in tables.rows("select key, depot_path from view order by key, seq"):
            results[key].append(path)
    assert results == {name: paths for name, (paths, _) in specs.items()}
    assert tables.unread.total() == 0


@given(st.binary(max_size=300) | st.text(alphabet="@pvdb.view 01\n", max_size=300).map(str.encode))
def test_random_bytes_are_skipped_or_reported(noise: bytes) -> None:
    text = noise.decode("utf-8", "surrogateescape") + domain("ws")
    with contextlib.suppress(P4WardenError), spec_tables(text):
        pass


def test_journal_records_replace_and_delete_checkpoint_records() -> None:
    start = domain("ws") + view("ws", 0, "//depot/...") + view("ws", 1, "//depot/b/...")
    later = (
        view("ws", 0, "//depot/a/...", "rv")
        + view("ws", 1, "//depot/b/...", "dv")
        + domain("gone")
        + domain("gone").replace("@pv@", "@dv@")
    )
    with spec_tables(start + later) as tables:
        assert views(tables) == {"ws": ["//depot/a/... //ws/..."]}


def test_a_case_insensitive_server_has_one_client_of_two_spellings() -> None:
    text = domain("WS") + view("Ws", 0, "//depot/...") + domain("ws")
    with spec_tables(text, case_sensitive=False) as tables:
        assert views(tables) == {"ws": ["//depot/... //Ws/..."]}
    with spec_tables(text) as tables:
        assert views(tables) == {"WS": [], "ws": []}


def test_a_record_of_an_unknown_shape_is_counted() -> None:
    odd = view("ws", 0, "//depot/...").replace(" 0 0 ", " @x@ 0 ")
    with spec_tables(domain("ws") + odd) as tables:
        assert views(tables) == {"ws": []}
    assert tables.unread_counts()["view"] == 1


def test_an_incomplete_last_record_is_omitted_in_a_growing_journal(tmp_path: Path) -> None:
    start, cut, last = (tmp_path / name for name in ("checkpoint", "cut", "last"))
    start.write_text(whole(""))
    cut.write_text(domain("ws") + view("ws", 0, "//depot/...")[:-9])
    last.write_text(domain("other"))
    with small_tables_of(str(start), str(cut)) as tables:
        assert views(tables) == {"ws": []}
    with (
        pytest.raises(P4WardenError, match="the file ends within this record; it is cut off"),
        small_tables_of(str(start), str(cut), str(last)),
    ):
        pass


def test_records_before_the_cut_of_a_checkpoint_are_stored(tmp_path: Path) -> None:
    file = tmp_path / "checkpoint"
    file.write_text(START + domain("one") + domain("two") + domain("three")[:-9])
    with contextlib.closing(SmallTables(checkpoint.TABLES)) as tables:
        with pytest.raises(P4WardenError, match="cut off"):
            take(file, tables)
        assert list(views(tables)) == ["one", "two"]


def test_passwords_are_not_stored() -> None:
    user = "@pv@ 8 @db.user@ @ann@ @a@@b@ @@ 1 1 @Ann@ @0123SECRET@ 0 @@ 0 0 0 0 0 \n"
    with spec_tables(user + domain("ws")) as tables:
        names = [name for (name,) in tables.rows("select name from sqlite_master")]
        for table in names:
            for row in tables.rows(f'select * from "{table}"'):  # noqa: S608 - SQLite names them
                assert "SECRET" not in "".join(field for field in row if isinstance(field, str))
    assert "user" not in listed_tables()


def test_groups_include_the_users_of_their_subgroups() -> None:
    rows = [("ann", "inner", 1), ("inner", "outer", 2), ("outer", "inner", 2), ("bob", "own", 4)]
    text = "".join(f"@pv@ 9 @db.group@ @{a}@ @{b}@ {role} 0 0 0 0 0 0 \n" for a, b, role in rows)
    with spec_tables(text) as tables:
        groups = checkpoint.groups(tables)
        assert groups.of("ann") == ("inner", "outer")
        assert groups.of("bob") == groups.of(None) == ()


@pytest.mark.parametrize("end", [-1, -40])
def test_records_before_the_cut_of_a_compressed_file_are_read(tmp_path: Path, end: int) -> None:
    file = tmp_path / "checkpoint.gz"
    text = whole(domain("ws") + view("ws", 0, "//depot/...") * 9)
    complete_file = gzip.compress(text.encode(), 0)
    file.write_bytes(complete_file[:end])
    with contextlib.closing(SmallTables(checkpoint.TABLES)) as tables:
        with pytest.raises(P4WardenError, match="compressed data"):
            take(file, tables)
        assert [*views(tables)] == ["ws"]


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"\0" * 999, "is not a checkpoint or journal"),
        (b"Client:\tws\n", "is not a checkpoint or journal"),
        (b"\x1f\x8b\x08broken", "byte 0: "),
    ],
)
def test_a_file_that_is_not_a_checkpoint_is_reported_in_one_line(
    tmp_path: Path, content: bytes, problem: str
) -> None:
    file = tmp_path / "file"
    file.write_bytes(content)
    with pytest.raises(P4WardenError) as error, small_tables_of(str(file)):
        pass
    assert str(error.value).startswith(f"{file}: {problem}")
    assert "\n" not in str(error.value)
    with (
        pytest.raises(P4WardenError, match="No such file"),
        small_tables_of(str(tmp_path / "none")),
    ):
        pass


def test_the_directory_of_a_parallel_checkpoint_is_read(tmp_path: Path) -> None:
    parts = {"domain": domain("ws"), "view": view("ws", 0, "//depot/..."), "depot": "", "rev": ""}
    for name, text in parts.items():
        (tmp_path / f"db.{name}.ckp").write_text(whole(text))
    with small_tables_of(str(tmp_path)) as tables:
        assert views(tables) == {"ws": ["//depot/... //ws/..."]}


def test_a_table_that_is_not_read_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "checkpoint"
    file.write_text(whole("@pv@ 7 @db.user@ @ann@ @a@ @@ 1 1 @Ann@ @0123456789ABCDEF@ \n"))
    with pytest.raises(P4WardenError, match="--tables: user is no table that is read"):
        list(printed(["records", "--tables=domain,user", str(file)]))
