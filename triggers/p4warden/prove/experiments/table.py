from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from p4warden.prove.lab import Lab
    from p4warden.prove.records import Step

OLD, NEW = "prove-old", "prove-new"
_EVENT = ("command", "pre-user-depots$")


def run(lab: Lab) -> None:
    """Run a command before and after a change of the table, on an old and a new connection."""
    lab.install(lab.line(OLD, *_EVENT))
    early_connection = lab.connect()
    lab.step("before", early_connection, "depots")
    line = lab.line(NEW, *_EVENT, "--user=%user%")
    lab.install(line)
    lab.step("old-connection", early_connection, "depots")
    lab.step("new-connection", lab.connect(), "depots")
    lab.note("written", line.encode())
    lab.step("stored", lab.admin, "triggers", "-o")


def read(steps: Mapping[str, Step]) -> dict[str, str | None]:
    """Derive which table each connection used, and whether a line was stored byte for byte."""
    return {
        "table.old-connection": _visible_table(
            steps.get("old-connection"), "command", "connection"
        ),
        "table.new-connection": _visible_table(steps.get("new-connection"), "new", "old"),
        "table.bytes": _bytes(steps.get("written"), steps.get("stored")),
    }


def _visible_table(step: Step | None, new: str, old: str) -> str | None:
    if step is None:
        return None
    labels = set(step.labels)
    return {frozenset([NEW]): new, frozenset([OLD]): old}.get(frozenset(labels), "neither")


def _bytes(writing_step: Step | None, reading_step: Step | None) -> str | None:
    if writing_step is None or reading_step is None or reading_step.has_failed:
        return None
    return "same" if any(writing_step.rows[0] in row for row in reading_step.rows) else "changed"
