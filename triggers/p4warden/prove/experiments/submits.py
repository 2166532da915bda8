from __future__ import annotations

import threading
from functools import partial
from typing import TYPE_CHECKING

from p4warden.prove.processes import tries

if TYPE_CHECKING:
    from collections.abc import Mapping

    from p4warden.prove.lab import Lab
    from p4warden.prove.records import Step

EVENTS = ("change-submit", "change-content")
_WAIT_S = 10


def run(lab: Lab) -> None:
    """Query files during the triggers of a submit and a populate."""
    lab.install(*(lab.line(f"prove-{e}", e, "//...", "--change=%changelist%") for e in EVENTS))
    with lab.part():
        path = lab.write("prove-ws", "prove/a/submitted.txt")
        lab.must("add", path, p4=lab.connect())
        _run_with_pauses(lab, "submit", "submit", "-d", "prove")
    _run_with_pauses(
        lab, "populate", "populate", "//depot/prove/b/...", "//depot/prove/populated/..."
    )


def _run_with_pauses(lab: Lab, command: str, *words: str) -> None:
    """Query the server while each trigger of a command is paused."""
    for event in EVENTS:
        lab.answer(f"prove-{event}", wait_for=f"{command}-{event}.go")
    lab.forget_calls()
    p4 = lab.connect()
    thread = threading.Thread(target=p4.run, args=words, daemon=True)
    thread.start()
    for event in EVENTS:
        _ask(lab, command, event, thread)
        (lab.place.calls / f"{command}-{event}.go").touch()
    thread.join()
    lab.note(f"{command}-end", *(str(error).encode() for error in p4.errors))


def _ask(lab: Lab, command: str, event: str, thread: threading.Thread) -> None:
    """Wait up to 10 seconds for a trigger of the event."""
    for _ in tries(_WAIT_S):
        call = next((c for c in lab.calls() if c.label == f"prove-{event}"), None)
        if call is not None:
            change = (call.value("change") or b"").decode("ascii", "replace")
            for name, question in _questions(change).items():
                with lab.admin.at_exception_level(0):
                    rows = lab.admin.run(*question)
                lab.note(f"{command}-{event}-{name}", *(str(row).encode() for row in rows))
            return
        if not thread.is_alive():
            return


def _questions(change: str) -> dict[str, tuple[str, ...]]:
    return {"files": ("files", f"//...@={change}"), "opened": ("opened", "-a", "-c", change)}


def _answering_queries(command: str, event: str, steps: Mapping[str, Step]) -> str | None:
    """Without a query: `silent` if the user's command succeeded, else None."""
    queries = {name: steps.get(f"{command}-{event}-{name}") for name in ("files", "opened")}
    end = steps.get(f"{command}-end")
    if not all(queries.values()):
        return "silent" if end is not None and not end.rows else None
    answered_queries = [name for name, step in queries.items() if step and step.rows]
    return {2: "both", 0: "neither"}.get(len(answered_queries)) or answered_queries[0]


VALUES = {
    f"{command}-{event}": partial(_answering_queries, command, event)
    for command in ("submit", "populate")
    for event in EVENTS
}
