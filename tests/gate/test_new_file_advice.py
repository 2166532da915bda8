"""Tests that the advice for new files with long paths can be followed as it is written.

`P4.Map` of P4Python maps paths as the server does.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from P4 import Map

from support.judged import judging_by

RULE = {"name": "short-paths", "rule": "limit_path_length", "mode": "enforce", "max_leading": 60}
RULE |= {"remap": True}
ROOT = "//epiph/... //ws/..."
JAVA = "//epiph/MAN/com/our-company/epiphany-project/jsrc/main/java"
MOST = re.compile(r"^Put a name of at most (\d+) bytes? in place of SHORT(.*)\.$", re.MULTILINE)


Ask = Callable[[dict[str, Any]], dict[str, Any]]


@pytest.fixture(scope="module")
def ask() -> Iterator[Ask]:
    with judging_by({"rules": [RULE]}, flags=("texts",)) as judge:
        yield judge.ask


def submit(*paths: str, action: str = "add", depots: object = None) -> dict[str, Any]:
    files = [{"path": path, "action": action} for path in paths]
    event = {"event": "change-submit", "client": "ws", "change": "12", "files": files}
    return event | {"time": 1_800_000_000, "facts": {"depots": depots or {}}}


def save(view: str) -> dict[str, Any]:
    event = {"event": "form-save", "type": "client", "name": "ws", "form": f"View:\n{view}"}
    return event | {"time": 1_800_000_000, "facts": {}}


def proposed(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.startswith("  ")]


def named_lines(lines: list[str], length_bytes: int) -> list[str]:
    """Replace SHORT in view lines by a name of this length, one for each client directory."""
    directories = sorted({line.rpartition("/")[0].partition(" ")[2] for line in lines})

    def name(line: str) -> str:
        number = directories.index(line.rpartition("/")[0].partition(" ")[2])
        return chr(ord("a") + number) * length_bytes

    return [line.replace("SHORT", name(line)) for line in lines]


@pytest.mark.parametrize(
    "files",
    [
        ["Main.java"],
        ["A.java", "sub/LongFile.java", "Third.java"],
        ["sub/A.java", "A.java"],
        ["a-class-with-a-very-long-name/Main.java"],
    ],
)
def test_proposed_lines_map_only_the_new_files_to_paths_that_are_allowed(
    files: list[str], ask: Ask
) -> None:
    old_paths = [f"{JAVA}/{file}" for file in files]
    text = ask(submit(*old_paths))["text"]
    [(most, several)] = MOST.findall(text)
    lines = proposed(text)
    assert len(lines) == len(files)
    assert bool(several) == (len(files) > 1)

    new_lines = named_lines(lines, int(most))
    new_paths = [line.split()[0] for line in new_lines]
    assert len({*new_paths}) == len(files)
    assert ask(submit(*new_paths))["verdict"] == "allow"
    longer_paths = [line.split()[0] for line in named_lines(lines, int(most) + 1)]
    assert ask(submit(*longer_paths))["verdict"] == "refuse"
    view = "".join(f"\t{line}\n" for line in (ROOT, *new_lines))
    assert ask(save(view))["verdict"] == "allow"

    old_map, new_map = Map(ROOT), Map([ROOT, *new_lines])
    back = new_map.reverse()
    places = [old_map.translate(path) or "" for path in old_paths]
    assert {back.translate(place) for place in places} == {*new_paths}
    for other in (f"{JAVA}/Old.java", f"{new_paths[0].rpartition('/')[0]}/Other.java"):
        place = old_map.translate(other) or ""
        assert (new_map.translate(other), back.translate(place)) == (place, other)


def test_the_advice_keeps_the_changelist(ask: Ask) -> None:
    text = ask(submit(f"{JAVA}/Main.java"))["text"]
    assert "p4 move -c 12 FILE NEWFILE." in text
    assert "\n3. p4 add -c 12 FILE\n4. p4 submit -c 12\n" in text


def test_more_files_than_lines_fit_are_named_in_a_sentence(ask: Ask) -> None:
    text = ask(submit(*(f"{JAVA}/A{number}.java" for number in range(12))))["text"]
    assert 0 < len(proposed(text)) < 12
    assert "\nPut a name of at most 6 bytes in place of SHORT" in text
    assert "\nDo the same for the others.\n" in text
    assert "more such line" not in text


def test_files_without_a_proposed_line_are_to_be_corrected_before_the_submit(ask: Ask) -> None:
    event = submit(f"{JAVA}/Main.java", f"{JAVA}/Branched.java")
    event["files"][1]["action"] = "branch"
    text = ask(event)["text"]
    assert "SHORT.\nCorrect the others, too, before you submit.\n3. p4 add " in text


def test_new_directories_without_a_proposed_command_are_to_be_corrected_before_the_submit() -> (
    None
):
    rule = {"name": "few-tops", "rule": "limit_top_directories", "mode": "enforce", "max": 1}
    depots = {"a": {"type": "local", "directories": ["main"]}}
    submits = [("//a/new/a.c", "//a/two words/a.c"), ("//a/new/a.c", "//a/other/a.c")]
    with judging_by({"rules": [rule]}, flags=("texts",)) as judge:
        events = [submit(*paths, depots=depots) for paths in submits]
        first, second = (answer["text"] for answer in judge.answers(events))
    assert (
        "\n  p4 move -c 12 //a/new/... //a/main/new/...\n"
        "Correct the others, too, before you submit.\nThen: p4 submit -c 12\n"
    ) in first
    assert "the others" not in second


@pytest.mark.parametrize("action", ["move/add", "branch", "import"])
def test_files_that_were_not_opened_for_add_have_no_steps_for_added_ones(
    action: str, ask: Ask
) -> None:
    text = ask(submit(f"{JAVA}/Main.java", action=action))["text"]
    assert ("p4 move -c 12 FILE NEWFILE" in text) == (action == "move/add")
    assert ("Revert it, then branch or import it" in text) == (action != "move/add")
    assert "p4 revert -k" not in text
    assert not proposed(text)


def test_the_view_of_a_stream_client_is_not_to_be_edited(ask: Ask) -> None:
    depots = {"epiph": {"type": "stream", "directories": ["MAN"]}}
    text = ask(submit(f"{JAVA}/Main.java", depots=depots))["text"]
    assert "p4 move -c 12 FILE NEWFILE" in text
    assert "view" not in text
