"""Tests of the question what a rule about views would gain, by a checkpoint's index."""

from __future__ import annotations

import datetime
import json
import shutil
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from p4warden import cli
from p4warden.asking.gate_program import GateError
from p4warden.asking.judge import judging
from p4warden.commands.deploy import consequences
from p4warden.policy.asked_gain import gain_of_depth
from p4warden.policy.check import check_file
from p4warden.policy.judged import judging_by
from p4warden.policy.starter import chosen_scope, starter_policy
from p4warden.policy.starter_cases import starter_cases
from p4warden.rehearse.known_surroundings import about_gains, gains
from p4warden.rehearse.witness import Surroundings
from policy.test_starter import SURVEY
from support.small_index import small_index

if TYPE_CHECKING:
    from pathlib import Path

TODAY = datetime.date(2027, 3, 1)
ONE_DIRECTORY = {"//depot/main/lib": 3000, "//depot/main/src": 4000, "//depot": 3}
FLAT = {"//depot/main": 2000}
EQUAL = {f"//depot/{name}": 1000 for name in "abc"}
VIEWS = {
    "whole": ["//depot/... //whole/..."],
    "top": ["//depot/main/... //top/..."],
    "both": ["//depot/... //both/...", "//depot/main/lib/... //both/lib/..."],
    "file": ["//depot/main/lib/f000001.c //file/f"],
    "wild": ["//depot/*/lib/... //wild/*/..."],
    "deep": ["//depot/main/src/... //deep/..."],
}
ONE = (
    "would refuse 3 clients; the widest proposals save 9 of 21,009 files, because //depot/ has "
    "one directory, //depot/main/"
)
DEEPER = "with min_depth: 2 it would refuse 4 clients and save 8,256 of 28,009 files"


def index_of(folder: Path, directories: dict[str, int]) -> str:
    have = {f"//{name}/x": 20 for name in VIEWS}
    return str(small_index(folder, directories, VIEWS, have_counts=have))


def policy(folder: Path, **settings: Any) -> str:
    rule = {"name": "no-whole-depot", "rule": "limit_view_scope", "mode": "enforce", **settings}
    file = folder / "policy.yaml"
    file.write_text(yaml.safe_dump({"version": 1, "contact": "admins", "rules": [rule]}))
    return str(file)


def test_a_rule_that_saves_nothing_has_a_reason_and_a_better_setting(tmp_path: Path) -> None:
    index = index_of(tmp_path, ONE_DIRECTORY)
    gain = gain_of_depth(index, 1)
    assert gain is not None
    assert not gain.is_worth_it
    assert gain.words == ONE
    assert gain.better is not None
    assert (gain.better.setting, gain.better.value) == ("min_depth", 2)
    deeper = gain_of_depth(index, gain.better.value)
    assert deeper is not None
    assert deeper.is_worth_it
    assert gain.better[2:] == (deeper.refused, deeper.files, deeper.saved)


def test_a_limit_on_files_is_better_where_no_directory_is_deeper(tmp_path: Path) -> None:
    gain = gain_of_depth(index_of(tmp_path, FLAT), 1)
    assert gain is not None
    assert gain.better is not None
    assert (gain.better.setting, gain.better.value) == ("max_files", 1000)
    assert gain.better.saved == 4 * 1000


def test_a_rule_that_saves_files_is_worth_it(tmp_path: Path) -> None:
    gain = gain_of_depth(index_of(tmp_path, EQUAL), 1)
    assert gain is not None
    assert gain.is_worth_it
    assert gain.advice == "would refuse 3 clients; the widest proposals save 6,000 of 9,000 files"


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_as_many_clients_are_refused_as_by_the_judge(depth: int, tmp_path: Path) -> None:
    gain = gain_of_depth(index_of(tmp_path, ONE_DIRECTORY), depth)
    result = check_file(policy(tmp_path, min_depth=depth), TODAY)
    assert result.policy
    events = [
        {
            "event": "form-save",
            "type": "client",
            "name": name,
            "user": "ann",
            "fields": {"client": [name], "view": lines},
        }
        for name, lines in VIEWS.items()
    ]
    with judging_by(result.policy) as judge:
        verdicts = [answer["verdict"] for answer in judge.answers(events)]
    assert gain is not None
    assert gain.refused == verdicts.count("refuse")


def test_check_warns_of_a_rule_that_saves_nothing(tmp_path: Path) -> None:
    index = index_of(tmp_path, ONE_DIRECTORY)
    around = Surroundings(SURVEY.facts, None, index, 0)
    result = check_file(policy(tmp_path), TODAY)
    assert result.policy
    shallow = gains(result.policy, around)
    (problem,) = about_gains(shallow, is_worth_it=False)
    assert problem.text == f"no-whole-depot {ONE}; {DEEPER} (by the index)"
    assert not [*about_gains(shallow, is_worth_it=True)]
    better = check_file(policy(tmp_path, min_depth=2), TODAY)
    assert better.policy
    deeper = gains(better.policy, around)
    assert not [*about_gains(deeper, is_worth_it=False)]
    (note,) = about_gains(deeper, is_worth_it=True)
    assert "save 8,256 of 28,009 files (by the index)" in note.text
    assert not gains(result.policy, around._replace(checkpoint_index=None))


def test_the_plan_says_it_of_a_rule_that_is_newly_enforced(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    shutil.copy(index_of(tmp_path, ONE_DIRECTORY), home / "checkpoint.index")
    result = check_file(policy(tmp_path), TODAY)
    assert result.policy
    effects = consequences.compute(str(home), None, result.policy)
    assert f"    by the index it {ONE}; {DEEPER}" in [*effects.lines()]
    assert effects.document()["gains"]["no-whole-depot"]["saved"] == 9
    (home / "checkpoint.index").unlink()
    assert not consequences.compute(str(home), None, result.policy).gains


def test_a_census_and_an_audit_of_the_same_checkpoint_say_the_same(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    index_of(tmp_path, ONE_DIRECTORY)
    checkpoint = str(tmp_path / "checkpoint")
    words = ["census", "--policy", policy(tmp_path), "--checkpoint", checkpoint, "--json"]
    assert cli.run([*words, "--home", str(tmp_path / "none")]) == 0
    assert f"note: by the index, no-whole-depot {ONE}; {DEEPER}\n" in capsys.readouterr().err
    assert cli.run(["audit", checkpoint, "--json"]) == 0
    steps = [step["text"] for step in json.loads(capsys.readouterr().out)["first_steps"]]
    assert any(f" A rule with min_depth: 1 {ONE}; {DEEPER}." in step for step in steps)


@pytest.mark.parametrize(
    ("directories", "chosen"),
    [(ONE_DIRECTORY, (2, None)), (FLAT, (1, 1000)), (EQUAL, (1, None))],
    ids=["deeper", "fewer files", "as without"],
)
def test_a_starter_policy_takes_the_settings_that_save_files(
    directories: dict[str, int], chosen: tuple[int, int | None], tmp_path: Path
) -> None:
    gain = gain_of_depth(index_of(tmp_path, directories), 1)
    text = starter_policy(SURVEY, TODAY, [7000], gain=gain)
    rules = {rule["name"]: rule for rule in yaml.safe_load(text)["rules"]}
    wide = rules["wide-views"]
    assert (wide["min_depth"], wide.get("max_files")) == chosen
    assert rules["proposed-views"]["min_depth"] == chosen[0]
    file = tmp_path / "starter.yaml"
    file.write_text(text)
    result = check_file(str(file), TODAY)
    assert not result.problems + result.warnings
    (tmp_path / "starter.cases.yaml").write_text(starter_cases(SURVEY, TODAY, chosen_scope(gain)))
    assert cli.run(["test", str(file), str(tmp_path / "starter.cases.yaml")]) == 0


def test_the_question_needs_an_index(tmp_path: Path) -> None:
    result = check_file(policy(tmp_path), TODAY)
    assert result.policy
    with judging_by(result.policy) as judge, pytest.raises(GateError, match="needs an index"):
        judge.question({"ask": "gain"})
    index = index_of(tmp_path, EQUAL)
    with judging(index=index) as judge:
        assert judge.question({"ask": "gain"}) == {"rules": []}
