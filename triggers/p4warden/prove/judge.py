from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden.prove.experiments import values
from p4warden.prove.records import (
    BREAKS,
    HOLDS,
    INCONCLUSIVE,
    TOLERATED,
    UNASKED,
    Finding,
    Recording,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from p4warden.prove.records import Experiment, Fact


def findings(
    experiments: Iterable[Experiment], recordings: Mapping[str, Recording]
) -> list[Finding]:
    """Return a verdict on each fact; those without a recording are inconclusive."""
    results = []
    for experiment in experiments:
        recording = recordings.get(experiment.name, Recording({}, "it was not run"))
        found = values(experiment.name, recording.steps)
        reason = recording.trouble or experiment.without_value
        results += [
            _unasked(fact, recording) or _finding(fact, found.get(fact.id), reason)
            for fact in experiment.facts
        ]
    return results


def _unasked(fact: Fact, recording: Recording) -> Finding | None:
    steps = (recording.steps.get(name) for name in fact.steps)
    unasked = next((step for step in steps if step and not step.was_asked), None)
    if unasked is None:
        return None
    return Finding(fact, None, UNASKED, unasked.rows[1].decode("utf-8", "replace"))


def _finding(fact: Fact, value: str | None, reason: str) -> Finding:
    if value is None:
        return Finding(fact, None, INCONCLUSIVE, reason)
    if value == fact.hypothesis:
        return Finding(fact, value, HOLDS)
    return Finding(fact, value, TOLERATED if value in fact.accepted_values else BREAKS)
