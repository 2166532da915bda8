"""Tests that the advice for new files with long paths can be followed as it is written.

`P4.Map` of P4Python maps paths as the server does.
"""

from __future__ import annotations

import re

import pytest
from P4 import Map

from p4warden.core.records import Depot, Event, Facts, SubmittedFile
from p4warden.forms import form_parser
from p4warden.judge import refusal
from p4warden.judge.engine import evaluate
from p4warden.policy.compiled import Policy, compile_policy

RULE = {"name": "short-paths", "rule": "limit_path_length", "mode": "enforce", "max_leading": 60}
POLICY = compile_policy({"contact": "admins", "help_url": None, "rules": [RULE]}, "0" * 64)
ROOT = "//epiph/... //ws/..."
JAVA = "//epiph/MAN/com/our-company/epiphany-project/jsrc/main/java"
MOST = re.compile(r"^Put a name of at most (\d+) bytes? in place of SHORT(.*)\.$", re.MULTILINE)


def submit(*paths: str, action: str = "add") -> Event:
    files = tuple(SubmittedFile(path, action) for path in paths)
    return Event("change-submit", "2026-11-21", client="ws", change="12", files=files)


def verdict(event: Event) -> str:
    return evaluate(POLICY, event, Facts()).verdict


def text_of(event: Event, facts: Facts | None = None, policy: Policy = POLICY) -> str:
    facts = facts or Facts()
    return refusal.refusal(policy, event, evaluate(policy, event, facts), unicode=False)


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
def test_proposed_lines_map_only_the_new_files_to_paths_that_are_allowed(files: list[str]) -> None:
    old_paths = [f"{JAVA}/{file}" for file in files]
    text = text_of(submit(*old_paths))
    [(most, several)] = MOST.findall(text)
    lines = proposed(text)
    assert len(lines) == len(files)
    assert bool(several) == (len({path.rpartition("/")[0] for path in old_paths}) > 1)

    new_lines = named_lines(lines, int(most))
    new_paths = [line.split()[0] for line in new_lines]
    assert len({*new_paths}) == len(files)
    assert verdict(submit(*new_paths)) == "allow"
    longer_paths = [line.split()[0] for line in named_lines(lines, int(most) + 1)]
    assert verdict(submit(*longer_paths)) == "refuse"
    view = "".join(f"\t{line}\n" for line in (ROOT, *new_lines))
    form = form_parser.parse(f"View:\n{view}")
    assert (
        verdict(Event("form-save", "2026-11-21", type="client", name="ws", form=form)) == "allow"
    )

    old_map, new_map = Map(ROOT), Map([ROOT, *new_lines])
    back = new_map.reverse()
    places = [old_map.translate(path) or "" for path in old_paths]
    assert {back.translate(place) for place in places} == {*new_paths}
    for other in (f"{JAVA}/Old.java", f"{new_paths[0].rpartition('/')[0]}/Other.java"):
        place = old_map.translate(other) or ""
        assert (new_map.translate(other), back.translate(place)) == (place, other)


def test_the_advice_keeps_the_changelist() -> None:
    text = text_of(submit(f"{JAVA}/Main.java"))
    assert "p4 move -c 12 FILE NEWFILE." in text
    assert "\n3. p4 add -c 12 FILE\n4. p4 submit -c 12\n" in text


def test_more_files_than_lines_fit_are_named_in_a_sentence() -> None:
    text = text_of(submit(*(f"{JAVA}/A{number}.java" for number in range(12))))
    assert 0 < len(proposed(text)) < 12
    assert (
        "\nPut a name of at most 6 bytes in place of SHORT.\nDo the same for the others.\n" in text
    )
    assert "more such line" not in text


def test_files_without_a_proposed_line_are_to_be_corrected_before_the_submit() -> None:
    paths = f"{JAVA}/Main.java", f"{JAVA}/Branched.java"
    files = tuple(map(SubmittedFile, paths, ("add", "branch")))
    text = text_of(submit()._replace(files=files))
    assert "SHORT.\nCorrect the others, too, before you submit.\n3. p4 add " in text


def test_new_directories_without_a_proposed_command_are_to_be_corrected_before_the_submit() -> (
    None
):
    rule = {"name": "few-tops", "rule": "limit_top_directories", "mode": "enforce", "max": 1}
    policy = compile_policy({"contact": "admins", "help_url": None, "rules": [rule]}, "0" * 64)
    facts = Facts(depots={"a": Depot("local", ("main",), 1)})
    text = text_of(submit("//a/new/a.c", "//a/two words/a.c"), facts, policy)
    assert (
        "\n  p4 move -c 12 //a/new/... //a/main/new/...\n"
        "Correct the others, too, before you submit.\nThen: p4 submit -c 12\n"
    ) in text
    assert "the others" not in text_of(submit("//a/new/a.c", "//a/other/a.c"), facts, policy)


@pytest.mark.parametrize("action", ["move/add", "branch", "import"])
def test_files_that_were_not_opened_for_add_have_no_steps_for_added_ones(action: str) -> None:
    text = text_of(submit(f"{JAVA}/Main.java", action=action))
    assert ("p4 move -c 12 FILE NEWFILE" in text) == (action == "move/add")
    assert ("Revert it, then branch or import it" in text) == (action != "move/add")
    assert "p4 revert -k" not in text
    assert not proposed(text)


def test_the_view_of_a_stream_client_is_not_to_be_edited() -> None:
    text = text_of(
        submit(f"{JAVA}/Main.java"), Facts(depots={"epiph": Depot("stream", ("MAN",), 1)})
    )
    assert "p4 move -c 12 FILE NEWFILE" in text
    assert "view" not in text
