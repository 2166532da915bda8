"""Names and numbers of this release's gate, from `tables.json`.

`make docs` writes that file with `p4warden-gate tables`, so that a gate that does not start stops
no command that needs no verdict.
"""

from __future__ import annotations

import functools
import json
from importlib import resources
from typing import Any, NamedTuple


class Synonym(NamedTuple):
    """A command's main name, and the option or word with which that command does the same."""

    main_name: str
    addition: str = ""


def trigger_events() -> frozenset[str]:
    """Return the events of trigger lines that rules of any kind judge."""
    return frozenset(event for events in _tables()["events"].values() for event in events)


def events(kind: str) -> frozenset[str]:
    """Return the events that rules of a kind may judge; none for a kind that does not exist."""
    return frozenset(_tables()["events"].get(kind, ()))


def rescue_commands() -> frozenset[str]:
    """Return the main names of the p4 commands that no rule limits."""
    return frozenset(_tables()["rescue"])


@functools.cache
def synonyms() -> dict[str, Synonym]:
    """Return the meaning of each p4 command's name that is a synonym."""
    return {name: Synonym(*synonym) for name, synonym in _tables()["synonyms"].items()}


def synonym_of(command: str) -> Synonym:
    """Return the meaning of a p4 command's name; one that is no synonym stands for itself."""
    return synonyms().get(command) or Synonym(command)


def estimated_commands() -> frozenset[str]:
    """Return the main names of the commands whose records an index of a checkpoint counts."""
    return frozenset(_tables()["estimated"])


def max_delay_s() -> int:
    """Return the longest `max_delay` of a policy."""
    return int(_tables()["max_delay_s"])


@functools.cache
def _tables() -> dict[str, Any]:
    text = (resources.files("p4warden.asking") / "tables.json").read_text("utf-8")
    document: dict[str, Any] = json.loads(text)
    return document
