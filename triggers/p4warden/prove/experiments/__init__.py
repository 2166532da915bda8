"""Experiments on a p4d, one per module: `run` carries one out, `read` interprets the recording."""

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


def read(experiment: str, steps: Mapping[str, Step]) -> dict[str, str | None]:
    """Return the values of an experiment's facts, by the facts' ids."""
    values_by_id: dict[str, str | None] = _module(experiment).read(steps)
    return values_by_id


def values(experiment: str, steps: Mapping[str, Step]) -> dict[str, str | None]:
    """Return the values of facts; none if a step cannot be read, as in an edited report."""
    asked = {name: step for name, step in steps.items() if step.was_asked}
    try:
        return read(experiment, asked)
    except (ValueError, LookupError, TypeError):
        return {}


def _module(experiment: str) -> Any:
    return import_module(f"{__name__}.{experiment}")
