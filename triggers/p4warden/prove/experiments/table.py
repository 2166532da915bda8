from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from p4warden.prove.experiments.fact_values import of_steps

if TYPE_CHECKING:
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


def _visible_table(new: str, old: str, step: Step) -> str:
    return {frozenset([NEW]): new, frozenset([OLD]): old}.get(frozenset(step.labels), "neither")


def _bytes(writing_step: Step, reading_step: Step) -> str | None:
    if reading_step.has_failed:
        return None
    return "same" if any(writing_step.rows[0] in row for row in reading_step.rows) else "changed"


VALUES = {
    "old-connection": of_steps(partial(_visible_table, "command", "connection"), "old-connection"),
    "new-connection": of_steps(partial(_visible_table, "new", "old"), "new-connection"),
    "bytes": of_steps(_bytes, "written", "stored"),
}
