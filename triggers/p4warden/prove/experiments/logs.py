from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING

from p4warden.prove.administration import administer
from p4warden.prove.experiments.fact_values import of_steps
from p4warden.prove.processes import tries

if TYPE_CHECKING:
    from p4warden.prove.lab import Lab
    from p4warden.prove.records import Step

POLICY = """\
version: 1
contact: "prove"
on_error: deny
rules:
  - name: prove-rate
    rule: limit_command_rate
    mode: enforce
    commands: [labels]
    limits: [{per: [user], allow: 1 per 1h, burst: 3}]
"""
COMMANDS, ALLOWED = 7, 3
_MOST_S = 2


def run(lab: Lab) -> None:
    """Run some commands, and judge them again from the log; record what p4d says of itself."""
    with lab.part():
        _replay(lab)
    for name, command in (
        ("schema", ("logschema", "-a")),
        ("configurables", ("configure", "help")),
    ):
        with lab.part():
            step = lab.step(name, lab.admin, *command)
            if step.has_failed:
                problem = step.text.decode("utf-8", "replace").strip()
                lab.not_asked(f"p4 {' '.join(command)}: {problem:.200}", name)


def _replay(lab: Lab) -> None:
    for _ in range(COMMANDS):
        lab.must("labels", p4=lab.connect())
    for _ in tries(_MOST_S):  # p4d writes its log with a delay
        if lab.place.log.read_bytes().count(b"'user-labels'") >= COMMANDS:
            break
    policy = lab.place.folder / "replay.yaml"
    policy.write_text(POLICY, "ascii")
    administer(lab, "replay", "replay", "--policy", str(policy), "--json", str(lab.place.log))


def _replayed(step: Step) -> str:
    """Return `same` if `p4warden replay` saw each of the commands once."""
    code, output = step.rows
    text = output[output.find(b"{") :].splitlines()
    if code != b"0" or not text:
        return "fails"
    rule = json.loads(text[0])["rules"][0]
    verdicts = rule["verdicts"]["allow"], rule["verdicts"]["refuse"]
    return "same" if verdicts == (ALLOWED, COMMANDS - ALLOWED) else "other"


def _listed(word: bytes, step: Step) -> str:
    if not step.rows:
        return "nothing"
    return "listed" if word in step.output else "other"


VALUES = {
    "replay": of_steps(_replayed, "replay"),
    "schema": of_steps(partial(_listed, b"f_eventtype"), "schema"),
    "configurables": of_steps(partial(_listed, b"security"), "configurables"),
}
