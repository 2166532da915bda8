from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from p4warden.prove.lab import Lab
    from p4warden.prove.records import Step

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
        with lab.part():
            words = _ARGUMENTS.get(typed_name, ("-m1",))
            lab.step(typed_name, lab.connect(), typed_name, *words)
    lab.step("patterns", lab.connect(), "depots")


def read(steps: Mapping[str, Step]) -> dict[str, str | None]:
    """Derive facts about command names in triggers."""
    values = {
        f"synonyms.{typed_name}": _name(steps.get(typed_name), typed_name)
        for typed_name in SYNONYMS
    }
    patterns = steps.get("patterns")
    return {
        **values,
        "synonyms.pattern": _meeting(patterns),
        "synonyms.times": _times(patterns),
    }


def _name(step: Step | None, typed_name: str) -> str | None:
    if step is None or (step.has_failed and not step.calls):
        return None
    if not step.calls:
        return "no-trigger"
    names = {
        f"user-{typed_name}".encode(): "typed",
        f"user-{SYNONYMS[typed_name]}".encode(): "main",
    }
    return names.get(step.calls[0].value("command") or b"", "other")


def _meeting(step: Step | None) -> str | None:
    if step is None or (step.has_failed and not step.calls):
        return None
    return _MEETING.get(frozenset(step.labels), "other")


def _times(step: Step | None) -> str | None:
    if step is None or not step.calls:
        return None
    times = step.labels.count("prove-whole")
    return {1: "once", 2: "twice"}.get(times, "other")
