"""Tests of the database row counts that the sandbox reports to a client with -Ztrack."""

import re

import pytest
from P4 import P4

from p4warden_sandbox import Sandbox, Settings
from p4warden_sandbox.tracking import track_output

DEPOT = tuple(f"//depot/{top}/{number}" for top in "abcd" for number in range(10))


@pytest.mark.parametrize(
    ("command", "rows"),
    [
        (("files", "//depot/..."), 41),
        (("files", "//depot/a/..."), 11),
        (("files", "-m1", "//depot/..."), 41),
        (("fstat", "-m1", "//depot/..."), 41),
        (("fstat", "-F", "headType=nothing", "//depot/..."), 41),
        (("files", "//depot/...@=2"), 1),
        (("files", "//depot/...@2,2"), 1),
        (("files", "//depot/...@2,@2"), 1),
        (("changes", "-m1", "//depot/..."), 1),
        (("sync", "-n"), 11),
        (("depots",), 0),
    ],
)
def test_tracking_reports_the_number_of_revision_rows_read(
    command: tuple[str, ...], rows: int
) -> None:
    with Sandbox(Settings(files=DEPOT)) as sandbox:
        with P4(port=sandbox.port, user="ann", client="ws").connect() as p4:
            view = ["//depot/a/... //ws/..."]
            p4.save_client({"Client": "ws", "Root": str(sandbox.root), "View": view})
            p4.run("populate", "//depot/a/1", "//depot/a/new")
        p4 = P4(port=sandbox.port, user="ann", client="ws", track=1, exception_level=1)
        with p4.connect():
            p4.run(*command)
            report = "\n".join(p4.track_output)
    results = re.search(r"rows get\+pos\+scan put\+del 0\+1\+(\d+) 0\+0", report)
    assert results
    assert int(results[1]) == rows
    assert report.startswith("lapse ")


@pytest.mark.parametrize(
    ("elapsed_s", "text"),
    [
        (0, ".000"),
        (0.0051, ".005"),
        (0.92, ".920"),
        (2.019, "2.02"),
        (70.91, "70.9"),
        (3600, "3600"),
    ],
)
def test_a_duration_has_three_digits_and_no_leading_zero(elapsed_s: float, text: str) -> None:
    assert track_output(elapsed_s, 1).startswith(f"--- lapse {text}s\n")


def test_a_changelist_range_selects_the_files_of_its_changelists() -> None:
    with (
        Sandbox(Settings(files=DEPOT)) as sandbox,
        P4(port=sandbox.port, user="ann", client="ws").connect() as p4,
    ):
        p4.run("populate", "//depot/a/1", "//depot/a/new")
        p4.run("populate", "//depot/b/1", "//depot/b/new")
        rows = {name: p4.run("files", f"//depot/...@{name}") for name in ("2,3", "3,9", "=2")}
        new = [f"//depot/{top}/new" for top in "ab"]
        assert [row["depotFile"] for row in rows["2,3"]] == new
        assert [row["depotFile"] for row in rows["3,9"]] == new[1:]
        assert [row["depotFile"] for row in rows["=2"]] == new[:1]
        assert [row["depotFile"] for row in p4.run("fstat", "-F", "headRev=1", "//depot/b/1")]
