"""Tests of the sentence about the placeholder SHORT in proposed lines of forms."""

from __future__ import annotations

import pytest

from support.judged import judging_by

RULE = {"name": "short-paths", "rule": "limit_path_length", "mode": "enforce", "max_leading": 60}
LONG = "com/our-company/the-epiphany-project/sources/main"
DIFFERENT = "; use different names for files from different directories."


def lines_of(form_type: str, name: str, *lines: str) -> list[str]:
    """Return the lines of the refusal of a form, without blanks at their ends."""
    field = "Paths" if form_type == "stream" else "View"
    form = f"{field}:\n" + "".join(f"\t{line}\n" for line in lines)
    with judging_by({"rules": [RULE]}, flags=("texts",)) as judge:
        answer = judge.ask({"event": "form-save", "type": form_type, "name": name, "form": form})
    return [line.strip() for line in answer["text"].splitlines()]


def sentences(lines: list[str]) -> list[str]:
    return [line for line in lines if line.startswith("Put ")]


@pytest.mark.parametrize(
    ("view", "end"),
    [
        (["//depot/a/... //depot/x/{}/a/..."], "."),
        (["//depot/a/... //depot/x/{}/a/...", "//depot/b/... //depot/x/{}/b/..."], DIFFERENT),
        # Both may have one name, but whether they have the same files is not examined.
        (["//depot/a/*.c //depot/x/{}/a/*.c", "//depot/a/*.h //depot/x/{}/a/*.h"], DIFFERENT),
    ],
)
def test_several_targets_of_a_branch_need_different_names(view: list[str], end: str) -> None:
    lines = lines_of("branch", "b", *(line.format(LONG) for line in view))
    right = "//depot/x/com/our-company/the-epiphany-project/SHORT/"
    assert [line.split()[1].startswith(right) for line in lines if "SHORT/" in line] == [
        True for _ in view
    ]
    assert sentences(lines) == [f"Put a name of at most 12 bytes in place of SHORT{end}"]


@pytest.mark.parametrize(
    ("paths", "end"),
    [
        (["share {}/a/..."], "."),
        (["share {}/a/...", "share {}/b/..."], DIFFERENT),
        (["share {}/a/...", "import lib/... //depot/lib/{}/..."], "."),
        (["share SHORT/x/...", "share {}/a/..."], "."),
    ],
)
def test_the_short_name_in_a_stream_path_is_explained(paths: list[str], end: str) -> None:
    lines = lines_of("stream", "//streams/m", *(path.format(LONG) for path in paths))
    assert "share com/our-company/the-epiphany-project/SHORT/..." in lines
    assert sentences(lines) == [f"Put a name of at most 10 bytes in place of SHORT{end}"]


def test_a_directory_that_is_called_short_is_no_placeholder() -> None:
    lines = lines_of("client", "ws", f"//depot/x/y/{LONG}/a/... //ws/SHORT/{LONG}/a/...")
    assert any("//ws/SHORT/" in line for line in lines)
    assert not sentences(lines)
