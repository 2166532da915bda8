from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from p4warden.prove.experiments.fact_values import of_steps

if TYPE_CHECKING:
    from p4warden.prove.lab import Lab
    from p4warden.prove.records import Step

LINES = b"prove says no\nprove says why: //depot/... 100%\n  prove says what to do"
_CLIENT = "prove-refused"
KINDS = ("form", "submit", "command")


def run(lab: Lab) -> None:
    """Let triggers refuse events by three lines, and `fail`, which p4d executes itself, one."""
    for kind in KINDS:
        lab.answer(f"prove-{kind}", LINES + b"\n", code=1)
    lab.install(
        lab.line("prove-form", "form-save", "client"),
        lab.line("prove-submit", "change-submit", "//..."),
        lab.line("prove-command", "command", "pre-user-depots$"),
        'prove-built-in command pre-user-dirs$ "fail prove says no"',
    )
    with lab.part():
        lab.save("form", lab.connect(), _CLIENT, f"//depot/prove/a/... //{_CLIENT}/...")
    with lab.part():
        p4 = lab.connect()
        lab.must("add", lab.write("prove-ws", "prove/a/refused.txt"), p4=p4)
        lab.step("submit", p4, "submit", "-d", "prove")
    lab.ask("command", "depots")
    lab.ask("built-in", "dirs", "//depot/prove/*")


def _order(step: Step) -> str:
    """Return the place of p4d's own words, relative to the trigger's text."""
    if not step.has_failed:
        return "passed"
    text = b"\n".join(
        message.text for message in step.messages if f"prove-{step.name}".encode() in message.text
    )
    before, quoted_name, after = text.partition(f"'prove-{step.name}'".encode())
    if not quoted_name:
        return "unnamed"
    ending = after.partition(LINES)[2]
    shapes = {(True, False): "context-first", (False, True): "context-last"}
    return shapes.get((bool(before.strip()), bool(ending.strip())), _alone(before))


def _alone(before: bytes) -> str:
    return "both" if before.strip() else "alone"


def _text(expected_text: bytes, step: Step) -> str:
    if not step.has_failed:
        return "passed"
    if expected_text in step.text:
        return "whole"
    return "cut" if expected_text.split(b"\n")[0] in step.text else "lost"


VALUES = {
    **{f"{kind}-order": of_steps(_order, kind) for kind in KINDS},
    **{f"{kind}-text": of_steps(partial(_text, LINES), kind) for kind in KINDS},
    "built-in": of_steps(partial(_text, b"prove says no"), "built-in"),
}
