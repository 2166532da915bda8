"""Experiments on a p4d, one per module: `run` carries one out, `read` interprets the recording.

`run` uses a `Lab`, which connects to the server and reports the steps. `read` is a pure function;
it returns a value for each fact, None if the recorded steps do not show it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden.prove.experiments import (
    arguments,
    dictionary,
    forms,
    killed,
    login,
    names,
    refusals,
    rows,
    submits,
    synonyms,
    table,
    whole_life,
    words,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from p4warden.prove.lab import Lab
    from p4warden.prove.records import Step

_MODULES = {
    "login": login,
    "table": table,
    "killed": killed,
    "words": words,
    "names": names,
    "arguments": arguments,
    "forms": forms,
    "submits": submits,
    "dictionary": dictionary,
    "refusals": refusals,
    "synonyms": synonyms,
    "rows": rows,
    "whole_life": whole_life,
}
READERS: dict[str, Callable[[Mapping[str, Step]], dict[str, str | None]]] = {
    name: module.read for name, module in _MODULES.items()
}
RUNNERS: dict[str, Callable[[Lab], None]] = {name: module.run for name, module in _MODULES.items()}
