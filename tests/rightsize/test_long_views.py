"""Test that `p4warden rightsize` finds a view in little time for a client with 20,000 lines."""

from __future__ import annotations

import resource
from typing import TYPE_CHECKING

from p4warden.rightsize.finder import Objection, Question, Sources, answers
from rightsize.conftest import checkpoint
from rightsize.test_rightsize import pytestmark

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["pytestmark"]

LINES = 20_000
# A program that compares each file and directory with each line takes over two minutes.
MAX_PROCESSOR_S = 20


def test_a_view_of_20000_lines_is_searched_in_little_time(tmp_path: Path) -> None:
    directories = [f"main/{n // 100}/{n % 100}" for n in range(LINES - 1)]
    exclusions = [f"-//depot/{one}/out/... //ws/{one}/out/..." for one in directories]
    synced_files = [f"//depot/{one}/f0" for one in directories]
    case = {"view": ["//depot/... //ws/...", *exclusions], "has": synced_files}
    file = tmp_path / "checkpoint"
    file.write_text(checkpoint({f"//depot/{one}": 1 for one in directories}, case))
    sources = Sources([str(file)], [], str(tmp_path / "files"))
    before_s = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    (answer,) = answers(sources, [Question("ws", None, 1)], lambda _: Objection(), [])
    assert answer.proposal is not None
    view = [row.text() for row in answer.proposal.view]
    assert view == ["//depot/main/... //ws/main/...", *exclusions]
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before_s < MAX_PROCESSOR_S
