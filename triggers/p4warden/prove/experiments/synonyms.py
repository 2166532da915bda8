from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from p4warden.prove.experiments.fact_values import of_call, of_steps

if TYPE_CHECKING:
    from p4warden.prove.lab import Lab
    from p4warden.prove.records import Call, Step

SYNONYMS = {"changelists": "changes", "workspaces": "clients", "flush": "sync", "update": "sync"}
"""Main names by synonym (`p4 help commands`)."""

_PATTERNS = {
    "prove-inside": "user-depots$",
    "prove-start": "pre-user-depot",
    "prove-whole": "pre-user-depots$",
}
_MEETING = {
    frozenset(_PATTERNS): "anywhere",
    frozenset(["prove-start", "prove-whole"]): "start",
    frozenset(["prove-whole"]): "whole",
}
_ARGUMENTS = {"flush": ("-n", "//depot/prove/none"), "update": ("-n", "//depot/prove/none")}


def run(lab: Lab) -> None:
    """Run commands under synonyms, and one that several trigger lines may match."""
    names = "|".join(dict.fromkeys([*SYNONYMS, *SYNONYMS.values()]))
    lab.install(
        lab.line("prove-synonym", "command", f"pre-user-({names})$", "--command=%command%"),
        *(lab.line(label, "command", path) for label, path in _PATTERNS.items()),
    )
    for typed_name in SYNONYMS:
        lab.ask(typed_name, typed_name, *_ARGUMENTS.get(typed_name, ("-m1",)))
    lab.step("patterns", lab.connect(), "depots")


def _name(typed_name: str, call: Call) -> str:
    names = {
        f"user-{typed_name}".encode(): "typed",
        f"user-{SYNONYMS[typed_name]}".encode(): "main",
    }
    return names.get(call.value("command") or b"", "other")


def _meeting(step: Step) -> str | None:
    if step.has_failed and not step.calls:
        return None
    return _MEETING.get(frozenset(step.labels), "other")


def _times(step: Step) -> str | None:
    if not step.calls:
        return None
    return {1: "once", 2: "twice"}.get(step.labels.count("prove-whole"), "other")


VALUES = {
    **{name: of_call(partial(_name, name), name, "no-trigger") for name in SYNONYMS},
    "pattern": of_steps(_meeting, "patterns"),
    "times": of_steps(_times, "patterns"),
}
