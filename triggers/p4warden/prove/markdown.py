from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden.prove.records import BREAKS, HOLDS, UNASKED
from p4warden.prove.report import ANSWERS, WORDS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from p4warden.prove.records import Experiment, Finding, Step
    from p4warden.prove.report import Report

MOST_BYTES = 90_000
"""With recorded steps as long as there is room."""
_STEP_CHARACTERS = 1_500
_TEXT_CHARACTERS = 400


def as_markdown(report: Report) -> str:
    """Return the report on the experiments with a p4d as Markdown."""
    lines = [*_head(report), *_promises(report)]
    for experiment in report.experiments:
        lines += _experiment(report, experiment)
    lines += ["## What was seen where a fact does not hold\n", "All bytes are in the JSON report."]
    room_bytes = MOST_BYTES - len("\n".join(lines).encode())
    return "\n".join([*lines, *_within(room_bytes, report)]) + "\n"


def _within(room_bytes: int, report: Report) -> Iterator[str]:
    for finding in report.findings:
        if finding.verdict in {HOLDS, UNASKED}:
            continue
        text = "\n".join(_seen(report, finding))
        room_bytes -= len(text.encode()) + 1
        if room_bytes < 0:
            yield f"\nThere is no room for `{finding.fact.id}` and what follows."
            return
        yield text


def _head(report: Report) -> Iterator[str]:
    verdicts = [finding.verdict for finding in report.findings]
    yield "# p4warden on a p4d\n"
    yield f"- p4d: {report.version or 'unknown'}"
    yield f"- configurables set: {', '.join(report.configurables) or 'none'}"
    counts = (f"{verdicts.count(one)} {one}" for one in WORDS)
    yield f"- {len(verdicts)} facts: {', '.join(counts)}"
    yield f"- {ANSWERS[report.exit_code].capitalize()}.\n"


def _promises(report: Report) -> Iterator[str]:
    if not report.broken_promises:
        return
    yield "## Promises that do not hold\n"
    broken = [finding.fact for finding in report.findings if finding.verdict == BREAKS]
    for name, text in report.broken_promises.items():
        fact_ids = (fact.id for fact in broken if name in fact.promises)
        yield f"- {name}: {text} ({', '.join(fact_ids)})"
    yield ""


def _experiment(report: Report, experiment: Experiment) -> Iterator[str]:
    yield f"## {experiment.title}\n"
    yield "| fact | hypothesis | found | verdict | promises that depend on it |"
    yield "|---|---|---|---|---|"
    yield from (_row(f) for f in report.findings if f.fact in experiment.facts)
    yield ""


def _row(finding: Finding) -> str:
    fact = finding.fact
    value = finding.value or (finding.reason or "").replace("|", "/")
    promises = ", ".join(fact.promises)
    question = f"`{fact.id}` {fact.question.replace('|', '/')}"
    return f"| {question} | {fact.hypothesis} | {value} | {finding.verdict} | {promises} |"


def _seen(report: Report, finding: Finding) -> Iterator[str]:
    recording = report.recordings.get(finding.fact.id.partition(".")[0])
    yield f"\n### {finding.fact.id}: {finding.value or finding.reason}\n"
    yield "```"
    for name in finding.fact.steps:
        step = recording.steps.get(name) if recording else None
        lines = "\n".join(_lines(step)) if step else f"{name}: not seen"
        yield _shortened(lines, _STEP_CHARACTERS)
    yield "```"


def _lines(step: Step) -> Iterator[str]:
    yield f"{step.name}:"
    for call in step.calls:
        yield f"  trigger {call.label} {_text(b' '.join(call.words))}"
        if call.form is not None:
            yield f"    form, mode {call.mode}: {_text(call.form)}"
    for message in step.messages:
        yield f"  message {message.number} ({message.severity}): {_text(message.text)}"
    for row in step.rows:
        yield f"  {_text(row)}"


def _text(content: bytes) -> str:
    """One line that ends no code block."""
    text = content.decode("utf-8", "backslashreplace").replace("`", "'")
    shown = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    return _shortened(shown, _TEXT_CHARACTERS)


def _shortened(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]} ... ({len(text):,} characters)"
