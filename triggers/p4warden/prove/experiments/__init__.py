"""Experiments on a p4d, one per module: `run` carries one out, `read` interprets the recording."""

from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden.prove.experiments import (
    arguments,
    case,
    checkpoint,
    dictionary,
    edge,
    environment,
    form_out,
    forms,
    killed,
    login,
    logs,
    names,
    refusals,
    rows,
    server_id,
    submits,
    synonyms,
    table,
    terminate,
    unicode,
    views,
    whole_life,
    words,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from p4warden.prove.lab import Lab
    from p4warden.prove.records import Step

_MODULES = {
    "login": login,
    "whole_life": whole_life,
    "table": table,
    "killed": killed,
    "words": words,
    "names": names,
    "arguments": arguments,
    "forms": forms,
    "form_out": form_out,
    "views": views,
    "submits": submits,
    "dictionary": dictionary,
    "refusals": refusals,
    "synonyms": synonyms,
    "environment": environment,
    "case": case,
    "unicode": unicode,
    "rows": rows,
    "terminate": terminate,
    "logs": logs,
    "server_id": server_id,
    "checkpoint": checkpoint,
    "edge": edge,
}
READERS: dict[str, Callable[[Mapping[str, Step]], dict[str, str | None]]] = {
    name: module.read for name, module in _MODULES.items()
}
RUNNERS: dict[str, Callable[[Lab], None]] = {name: module.run for name, module in _MODULES.items()}


def values(experiment: str, steps: Mapping[str, Step]) -> dict[str, str | None]:
    """Return the values of facts; none if a step cannot be read, as in an edited report."""
    asked = {name: step for name, step in steps.items() if step.was_asked}
    try:
        return READERS[experiment](asked)
    except (ValueError, LookupError, TypeError):
        return {}
