"""Tests of the answers of the shipped policies and of init's draft to known programs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from p4warden import cli
from p4warden.asking import form_text
from p4warden.policy.judged import NO_POLICY, judging_by
from p4warden.programs.known_programs import (
    STOPPED,
    TOO_LONG,
    Answer,
    exemption_entries,
    known_programs,
    known_server,
)
from p4warden.rehearse.program_answers import program_answers
from support.examples import long_but
from support.program_policies import answers_of, compiled, texts

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from p4warden.programs.known_programs import Program

TEXTS = texts()
ACCEPT = (
    "accept with: PYTHONPATH=tests .venv/bin/python -m support.record_answers && make docs, "
    "then review the difference"
)


def changes(
    key: str, policy: str, old: Mapping[str, Answer], new: Mapping[str, Answer]
) -> Iterator[str]:
    """Yield a line for each request whose answer differs."""
    for title in {**old, **new}:
        before, after = old.get(title, Answer("allow")), new.get(title, Answer("allow"))
        if before != after:
            yield f"{key}: {title}\n    {policy}: {_words(before)} -> {_words(after)}"


def _words(answer: Answer) -> str:
    return " ".join(word for word in answer if word)


@pytest.mark.parametrize("name", long_but(["default"], TEXTS))
def test_the_policies_answer_as_recorded(name: str) -> None:
    actual = answers_of(compiled(TEXTS[name]))
    lines = [
        line
        for program in known_programs()
        for line in changes(program.key, name, program.answers[name], actual[program.key])
    ]
    assert not lines, "\n".join(["changed answers:", *lines, ACCEPT])


def test_answers_are_recorded_for_exactly_these_policies() -> None:
    for program in known_programs():
        assert [*program.answers] == [*TEXTS], ACCEPT


def test_a_changed_answer_is_shown_with_program_command_policy_and_both_verdicts() -> None:
    old = {"files //a": Answer("refuse", "narrow", "too wide"), "dirs //b": Answer("unknown", "x")}
    new = {"dirs //b": Answer("unknown", "x"), "fstat c": Answer("observe", "polling")}
    assert list(changes("jenkins", "strict", old, new)) == [
        "jenkins: files //a\n    strict: refuse narrow too wide -> allow",
        "jenkins: fstat c\n    strict: allow -> observe polling",
    ]


def refused(program: Program, name: str) -> list[str]:
    return [
        title
        for title, answer in program.answers[name].items()
        if answer.verdict in ("refuse", "delay", TOO_LONG)
    ]


def test_default_refuses_no_command_and_only_forms_that_map_whole_depots() -> None:
    forms = []
    for program in known_programs():
        requests = {request.title: request for request in program.requests}
        for title in refused(program, "default"):
            assert requests[title].kind == "forms", title
            forms.append(requests[title].event["form"])
    assert forms
    every_depot = {f"//{name}/..." for name in known_server()["depots"]}
    with judging_by(NO_POLICY) as judge:
        for form in forms:
            view = form_text.read(judge, form).fields.get("view", ())
            # p4d's default view of a form without a view maps all depots.
            assert not view or every_depot <= {line.split()[0].strip('"') for line in view}


@pytest.mark.parametrize("name", ["init", "observe-everything"])
def test_a_policy_that_observes_refuses_nothing(name: str) -> None:
    assert [title for p in known_programs() for title in refused(p, name)] == []


def test_an_observing_policy_that_needs_arguments_stops_only_long_commands() -> None:
    found = [
        program.answers["observe-arguments"][title].verdict
        for program in known_programs()
        for title in refused(program, "observe-arguments")
    ]
    assert {*found} == {TOO_LONG}


def entries(name: str) -> Iterator[str]:
    for program in known_programs():
        yield from exemption_entries(program, program.answers[name])


def with_exemptions(name: str) -> str:
    """Return a policy with the exemptions of docs/programs.md pasted in, or the comments of the
    draft made active.
    """
    if name == "init":
        text = re.sub(r"(?m)^  #- (?={)", "  - ", TEXTS[name])
        return text.replace("exemptions: []\n", "exemptions:\n")
    lines = "".join(f"  - {entry}\n" for entry in entries(name))
    return TEXTS[name].replace("exemptions:\n", f"exemptions:\n{lines}", 1)


@pytest.mark.parametrize("name", long_but(["init"], ["init", "default", "strict"]))
def test_each_exemption_to_copy_is_accepted_and_lets_exactly_its_group_pass(name: str) -> None:
    text = with_exemptions(name)
    pasted = [entry for entry in entries(name) if entry in text]
    assert pasted
    assert pasted == [*entries(name)]
    policy = compiled(text)
    with judging_by(policy) as judge:
        for program in known_programs():
            groups = {group for e in program.exemptions.values() for group in e["groups"]}
            exempt = program_answers(policy, program, judge, tuple(groups))
            left = {title for title, answer in exempt.items() if answer.verdict in STOPPED}
            assert left == set(), program.key
            others = program_answers(policy, program, judge)
            assert others == program.answers[name], program.key


@pytest.mark.parametrize("name", ["default", "strict"])
def test_a_member_of_swarms_group_may_not_map_whole_depots_in_a_client_of_his_own(
    name: str,
) -> None:
    swarm = next(program for program in known_programs() if program.key == "swarm")
    pool = next(request for request in swarm.requests if request.title == "client of the pool")
    own = pool._replace(event={**pool.event, "client": "bob-ws", "name": "bob-ws"})
    policy = compiled(with_exemptions(name))
    with judging_by(policy) as judge:
        program = swarm._replace(requests=(pool, own._replace(title="his own")))
        answers = program_answers(policy, program, judge, ("swarm-users",))
    assert {title: answer.verdict for title, answer in answers.items()} == {"his own": "refuse"}


@pytest.mark.parametrize(
    "name", long_but(["default"], ["default", "strict", "observe-everything"])
)
def test_p4warden_programs_shows_the_answers_of_a_policy(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "policy.yaml"
    file.write_text(TEXTS[name])
    code = cli.run(["programs", str(file)])
    lines = capsys.readouterr().out.splitlines()
    number = sum(len(refused(program, name)) for program in known_programs())
    assert code == (1 if number else 0)
    assert lines[-1].endswith(f": {number} refused")
    assert "Swarm (P4 Code Review)" in lines
    rule, verb = {
        "default": ("no-whole-depot", "REFUSED"),
        "strict": ("narrow-views", "REFUSED"),
        "observe-everything": ("wide-views", "observed"),
    }[name]
    assert f"  {verb} {rule}: client of the pool" in lines
    shown = [line.removeprefix("    - ") for line in lines if line.startswith("    - ")]
    assert shown == [*entries(name)]
