"""Write the report of `p4warden prove` as Markdown."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from p4warden.prove.judge import BREAKS, HOLDS, INCONCLUSIVE, TOLERATED
from p4warden.prove.recording_file import step_row

if TYPE_CHECKING:
    from collections.abc import Iterator

    from p4warden.prove.records import Experiment, Finding, Step
    from p4warden.prove.report import Report

MOST_BYTES = 1_500
"""Maximum number of bytes of an experiment's step in the Markdown report; a longer step is cut
there, and whole in the JSON report."""

_ANSWERS = {
    0: "All promises hold.",
    1: "A promise does not hold.",
    2: "Not every promise could be checked.",
}


def as_markdown(report: Report) -> str:
    """Return the report on the experiments with a p4d as Markdown."""
    lines = [*_head(report), *_promises(report)]
    for experiment in report.experiments:
        lines += _experiment(report, experiment)
    lines += ["## Recordings", "", "All bytes in base64."]
    for experiment in report.experiments:
        lines += _recording(report, experiment)
    return "\n".join(lines) + "\n"


def _head(report: Report) -> Iterator[str]:
    verdicts = [finding.verdict for finding in report.findings]
    yield "# p4warden on a p4d"
    yield ""
    yield f"- p4d: {report.version or 'unknown'}"
    yield f"- configurables set: {', '.join(report.configurables) or 'none'}"
    counts = (f"{verdicts.count(one)} {one}" for one in (HOLDS, TOLERATED, BREAKS, INCONCLUSIVE))
    yield f"- {len(verdicts)} facts: {', '.join(counts)}"
    yield f"- {_ANSWERS[report.exit_code]}"
    yield ""


def _promises(report: Report) -> Iterator[str]:
    if not report.broken_promises:
        return
    yield "## Promises that do not hold"
    yield ""
    for name in report.broken_promises:
        resting = (f.fact.id for f in report.findings if f.verdict == BREAKS)
        fact_ids = [i for i in resting if name in _promises_of(report, i)]
        yield f"- {name}: {report.promises[name]} ({', '.join(fact_ids)})"
    yield ""


def _promises_of(report: Report, fact: str) -> tuple[str, ...]:
    return next(finding.fact.promises for finding in report.findings if finding.fact.id == fact)


def _experiment(report: Report, experiment: Experiment) -> Iterator[str]:
    findings = [f for f in report.findings if f.fact in experiment.facts]
    yield f"## {experiment.title}"
    yield ""
    yield "| fact | hypothesis | found | verdict | promises that depend on it |"
    yield "|---|---|---|---|---|"
    for finding in findings:
        yield _row(finding)
    yield ""


def _row(finding: Finding) -> str:
    fact = finding.fact
    value = finding.value or (finding.reason or "").replace("|", "/")
    promises = ", ".join(fact.promises)
    question = f"`{fact.id}` {fact.question.replace('|', '/')}"
    return f"| {question} | {fact.hypothesis} | {value} | {finding.verdict} | {promises} |"


def _recording(report: Report, experiment: Experiment) -> Iterator[str]:
    recording = report.recordings.get(experiment.name)
    yield ""
    yield f"### {experiment.name}"
    yield ""
    if recording is None or (recording.trouble and not recording.steps):
        yield f"Nothing was recorded: {recording.trouble if recording else 'it was not run'}."
        return
    if recording.trouble:
        yield f"It did not end: {recording.trouble}."
        yield ""
    yield "```"
    for step in recording.steps.values():
        yield _step(step)
    yield "```"


def _step(step: Step) -> str:
    text = json.dumps(step_row(step))
    if len(text) <= MOST_BYTES:
        return text
    return f"{text[:MOST_BYTES]} ... ({len(text)} bytes; whole in the JSON report)"
