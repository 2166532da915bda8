"""Tests that form worker, `evaluate` and engine give the same verdict for every rule case.

`test_rule_cases` compares the engine with the expected verdicts; these tests compare the worker
and `evaluate` with the engine.
"""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from p4warden.policy import compiled
from p4warden.worker import arguments, main
from support.judged import judging_by
from support.triggers import line_words
from unit.test_rule_cases import FILES, Case

if TYPE_CHECKING:
    from pathlib import Path


def line_arguments(rule_case: Case, home: Path, form: Path) -> arguments.Arguments:
    """Write a rule case's form to a file; return the case as a trigger line's parsed arguments."""
    line = rule_case.line()
    identity = {name: line.get(name, "") for name in ("user", "ip", "client", "name", "type")}
    identity["groups"] = " ".join(line.get("groups", []))
    form.write_bytes(line["form"].encode("utf-8", "surrogateescape"))
    options = {"home": str(home), "form": str(form), **identity}
    words = line_words(line["event"], *(f"--{name}={value}" for name, value in options.items()))
    return arguments.parse(words)


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}/{file.stem}")
def test_the_worker_and_the_evaluator_agree_with_the_cases(file: Path, tmp_path: Path) -> None:
    document = yaml.safe_load(file.read_text("utf-8"))
    for number, case in enumerate(document["cases"]):
        rule_case = Case(file.parent.name, document, case)
        line: dict[str, Any] = rule_case.line()
        policy = compiled.compile_policy(rule_case.policy(), "0" * 64)
        with judging_by(policy) as judge:
            answer = judge.ask(line)
        assert answer["verdict"] == case["verdict"], case["name"]
        if "form" not in line or line["event"] == "change-submit":
            # No worker can judge these cases: they lack a form, or need a submit's files from a
            # server.
            continue
        home = tmp_path / f"home-{number}"
        home.mkdir(mode=0o700)
        (home / "policy.json").write_text(compiled.dumps(policy))
        (home / "facts.json").write_text(json.dumps(line["facts"]))
        form = tmp_path / f"form-{number}"
        output = main.judge(line_arguments(rule_case, home, form), time.time_ns())
        assert output.is_refused == (case["verdict"] == "refuse"), case["name"]
        if line["event"] == "form-out" and answer["form"] is not None:
            assert form.read_text("utf-8") == answer["form"]
        elif line["event"] == "form-out":
            assert form.read_text("utf-8") == line["form"]
