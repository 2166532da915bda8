"""Tests of the data files of known programs, and of the page that is generated from them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from p4warden.core import facts
from p4warden.programs import known_programs as module
from p4warden.programs.known_programs import (
    Answer,
    Program,
    exemption_entries,
    known_programs,
    known_server,
)

FOLDER = Path(module.__file__).parent
SCHEMA: dict[str, Any] = json.loads((FOLDER / "schema.json").read_text("utf-8"))
FILES = sorted((FOLDER / "known").glob("*.yaml"))
PROGRAMS = pytest.mark.parametrize("program", known_programs(), ids=lambda p: p.key)


def test_the_files_are_found() -> None:
    assert [program.key for program in known_programs()] == [file.stem for file in FILES]
    assert {"horde", "jenkins", "p4mcp-server", "p4v", "p4vs", "swarm"} <= {f.stem for f in FILES}
    assert {"unity", "unreal-editor", "unreal-game-sync"} <= {f.stem for f in FILES}
    assert "vscode-perforce" in {f.stem for f in FILES}


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_data_file_is_valid_by_the_schema(file: Path) -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    jsonschema.Draft202012Validator(SCHEMA).validate(yaml.safe_load(file.read_text("utf-8")))


@PROGRAMS
def test_requests_have_different_titles_and_no_number_is_left_out(program: Program) -> None:
    titles = [request.title for request in program.requests]
    assert len({*titles}) == len(titles)
    for request in program.requests:
        has_number = "NNN" in request.title
        assert has_number or request.paths == 1, request.title
        assert not has_number or request.paths > 1 or request.times > 1, request.title
        assert "NNN" not in " ".join(next(request.events()).get("args", []))


@PROGRAMS
def test_a_form_names_its_spec(program: Program) -> None:
    for request in program.requests:
        if request.kind == "forms":
            event = request.event
            assert f"{event['type'].capitalize()}:\t{event['name']}\n" in event["form"]


@PROGRAMS
def test_answers_are_about_requests_and_each_refusal_has_a_reason(program: Program) -> None:
    titles = {request.title for request in program.requests}
    for answers in program.answers.values():
        assert {*answers} <= titles
        assert all(a.reason for a in answers.values() if a.verdict == "refuse")


def test_the_server_of_the_requests_has_local_and_stream_depots() -> None:
    depots = facts.from_document(known_server()).depots
    assert {name: depot.type for name, depot in depots.items()} == {
        "depot": "local",
        "streams": "stream",
    }


def test_a_request_that_is_repeated_has_other_numbers_each_time() -> None:
    editor = next(program for program in known_programs() if program.key == "vscode-perforce")
    refresh = next(request for request in editor.requests if request.times == 6250)
    first, *_, last = refresh.events()
    assert first["args"][0] == "//depot/main/app/000/file.c"
    assert last["args"][-1] == "//depot/main/app/199999/file.c"
    assert len(last["args"]) == 32


def test_an_exemption_names_only_the_rules_that_stop_this_kind_of_request() -> None:
    swarm = next(program for program in known_programs() if program.key == "swarm")
    answers = {
        "client of the pool": Answer("refuse", "no-whole-depot", "wide"),
        "flush '//...#none'": Answer("unknown", "narrow-commands"),
        "changes @=1234": Answer("observe", "polling"),
    }
    assert list(exemption_entries(swarm, answers)) == [
        (
            "{groups: [swarm-users], clients: [swarm-*], rules: [no-whole-depot], "
            "reason: Swarm's pool clients map every depot, owner: OWNER}"
        ),
        (
            "{groups: [swarm-users], programs: [SWARM*], rules: [polling], "
            "reason: Swarm searches and browses every depot, owner: OWNER}"
        ),
    ]
