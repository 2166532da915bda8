"""Test that `p4warden rightsize` finds a view for a client with 20,000 view lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden.rightsize.finder import Objection, Question, Sources, answers
from rightsize.conftest import checkpoint

if TYPE_CHECKING:
    from pathlib import Path


LINES = 20_000


def test_a_narrower_view_is_found_for_a_client_with_20000_lines(tmp_path: Path) -> None:
    directories = [f"main/{n // 100}/{n % 100}" for n in range(LINES - 1)]
    exclusions = [f"-//depot/{one}/out/... //ws/{one}/out/..." for one in directories]
    synced_files = [f"//depot/{one}/f0" for one in directories]
    case = {"view": ["//depot/... //ws/...", *exclusions], "has": synced_files}
    file = tmp_path / "checkpoint"
    file.write_text(checkpoint({f"//depot/{one}": 1 for one in directories}, case))
    sources = Sources([str(file)], [], str(tmp_path / "files"))
    (answer,) = answers(sources, [Question("ws", None, 1)], lambda _: Objection(), [])
    assert answer.proposal is not None
    view = [row.text() for row in answer.proposal.view]
    assert view == ["//depot/main/... //ws/main/...", *exclusions]
