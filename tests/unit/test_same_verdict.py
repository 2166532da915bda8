"""Tests that the form worker gives the gate's verdict for every rule case."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

from p4warden.policy import compiled
from p4warden.worker import arguments, main
from support.judged import judging_by
from support.triggers import line_words
from unit.test_rule_cases import all_files, read

if TYPE_CHECKING:
    from pathlib import Path


def line_arguments(event: dict[str, Any], home: Path, form: Path) -> arguments.Arguments:
    """Write an event's form to a file; return the event as a trigger line's parsed arguments."""
    identity = {name: event.get(name, "") for name in ("user", "ip", "client", "name", "type")}
    identity["groups"] = " ".join(event.get("groups", []))
    form.write_bytes(event["form"].encode("utf-8", "surrogateescape"))
    options = {"home": str(home), "form": str(form), **identity}
    words = line_words(event["event"], *(f"--{name}={value}" for name, value in options.items()))
    return arguments.parse(words)


@all_files
def test_the_worker_agrees_with_the_gate_on_the_cases(file: Path, tmp_path: Path) -> None:
    case_file = read(file)
    policy = compiled.compile_policy(case_file.policy(), "0" * 64)
    # Without its form, or the files of a submit, which a server has, no worker can judge an event.
    events = [event for event in map(case_file.event, case_file.cases()) if "form" in event]
    with judging_by(policy) as judge:
        answers = list(judge.answers(events))
    for number, (event, answer) in enumerate(zip(events, answers, strict=True)):
        home = tmp_path / f"home-{number}"
        home.mkdir(mode=0o700)
        (home / "policy.json").write_text(compiled.dumps(policy))
        (home / "facts.json").write_text(json.dumps(event["facts"]))
        form = tmp_path / f"form-{number}"
        output = main.judge(line_arguments(event, home, form), time.time_ns())
        assert output.is_refused == (answer["verdict"] == "refuse"), answer
        if event["event"] == "form-out":
            assert form.read_text("utf-8") == (answer["form"] or event["form"])
