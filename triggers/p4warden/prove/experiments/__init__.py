"""Experiments on a p4d, one per module.

`run` carries one out, `VALUES` has for the name of each fact how a recording shows its value.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from p4warden.prove.lab import Lab
    from p4warden.prove.records import Step


def run(experiment: str, lab: Lab) -> None:
    """Carry out the experiment of this name."""
    _module(experiment).run(lab)


def values(experiment: str, steps: Mapping[str, Step]) -> dict[str, str | None]:
    """Return the values of facts by id; none if a step cannot be read, as in an edited report."""
    asked = {name: step for name, step in steps.items() if step.was_asked}
    try:
        return {
            f"{experiment}.{name}": value(asked)
            for name, value in _module(experiment).VALUES.items()
        }
    except (ValueError, LookupError, TypeError):
        return {}


def _module(experiment: str) -> Any:
    return import_module(f"{__name__}.{experiment}")
